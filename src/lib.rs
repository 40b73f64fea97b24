//! Roundtable: one run, many hands.

pub mod agent;
pub mod config;
pub mod demo_model;
pub mod doors;
pub mod feed;
pub mod http;
pub mod identity;
pub mod kernel;
pub mod orchestrator;
pub mod protocol;
pub mod socket;
pub mod store;
pub mod telemetry;
