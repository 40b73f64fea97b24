//! Who gets in, and what they may do there.

mod callers;
mod commands;
mod credentials;
mod routes;
pub mod sources;
