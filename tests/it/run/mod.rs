//! Orchestrators with a real store and the demo model over HTTP, seen through the feed as every viewer sees it.

mod artifacts;
pub(crate) mod bench;
mod crash;
pub(crate) mod eye;
pub(crate) mod gated;
mod laws;
mod reads;
mod stops;
mod whole;
