//! Orchestrators with a real store and the demo model over HTTP, seen through the feed as every viewer sees it.

mod bench;
mod crash;
mod gated;
mod laws;
mod stops;
mod whole;
