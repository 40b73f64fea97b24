//! One task per live session, the only writer of its log.

mod apply;
mod bounds;
mod calls;
mod clock;
mod cluster;
mod erasing;
mod inquiries;
mod lease;
mod listing;
mod mail;
mod observe;
mod reach;
mod recording;
mod refusal;
mod registry;
mod running;
mod shared;
mod spans;
mod task;
mod titles;
mod turns;

pub use bounds::OrchestratorBounds;
pub use cluster::{Cluster, ClusterSettings};
pub use listing::{Summary, SummaryGate};
pub use registry::Orchestrators;
