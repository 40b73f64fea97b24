//! Traffic counters of the bus, for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Traffic counters of the bus since the node started.
#[derive(Debug, Default)]
pub struct BusTraffic {
    /// Number of messages that were sent.
    pub published: AtomicU64,
    /// Number of messages, requests and replies that were not sent, because they were too large or too many, or the bus
    /// was down.
    pub dropped: AtomicU64,
    /// Number of messages that were delivered to a follower.
    pub received: AtomicU64,
    /// Number of times that a follower had to read the store because messages might have been lost.
    pub lost: AtomicU64,
    /// Number of reconnections.
    pub reconnections: AtomicU64,
}

/// Increments the counter.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}
