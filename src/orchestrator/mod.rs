//! One task per live session, which is the only writer of the session's log.

mod append;
mod apply;
mod calls;
mod clock;
mod cluster;
mod context;
mod decided_commands;
mod erasure;
mod error;
mod forward;
mod inquiries;
mod interrupt;
mod lease_renewal;
mod listing;
mod mailbox;
mod metrics;
mod registry;
mod session_task;
mod settings;
mod spans;
mod spending;
mod takeover;
mod task_set;
mod titles;
mod turns;

pub use cluster::{Cluster, ClusterSettings};
pub use listing::{GateSummary, SessionSummary};
pub use registry::SessionRegistry;
pub use settings::OrchestratorSettings;
