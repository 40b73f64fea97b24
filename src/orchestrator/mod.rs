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

use crate::kernel::Timestamp;

/// The moment, for envelopes: the kernel has no clock.
pub fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
