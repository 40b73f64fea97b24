//! One task per live session: the only writer of its log.

mod bounds;
mod listing;
mod recording;
mod registry;
mod restore;
mod task;
mod turns;

pub use bounds::OrchestratorBounds;
pub use listing::{Summary, SummaryGate};
pub use registry::Orchestrators;
pub use restore::restore;
