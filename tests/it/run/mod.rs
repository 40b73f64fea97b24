//! Orchestrators with a real store and the demo model over HTTP, seen through the feed as any viewer sees them.

mod artifacts;
mod budget;
mod complete_runs;
mod crash;
pub(crate) mod faulty_store;
pub(crate) mod harness;
mod laws;
pub(crate) mod ordered_viewer;
mod reads;
mod results;
mod shared_commit;
mod stops;
