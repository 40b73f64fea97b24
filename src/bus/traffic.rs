//! Traffic counters of the bus, for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Traffic of the bus since the start of the node.
#[derive(Debug, Default)]
pub struct BusTraffic {
    /// Messages that were sent.
    pub published: AtomicU64,
    /// Messages, requests and replies that were not sent: too large, too many, or the bus was down.
    pub dropped: AtomicU64,
    /// Messages that were delivered to a follower.
    pub received: AtomicU64,
    /// Number of times that a follower had to read the store.
    pub lost: AtomicU64,
    /// Number of reconnections.
    pub reconnections: AtomicU64,
}

/// Increments the counter.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}
