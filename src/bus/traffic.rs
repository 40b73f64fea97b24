//! What the bus carried, for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What the bus carried since the start.
#[derive(Debug, Default)]
pub struct Traffic {
    /// News that went out.
    pub published: AtomicU64,
    /// News, questions and answers that could not go out: too large, too many, or the bus was down.
    pub dropped: AtomicU64,
    /// News that was put before a follower.
    pub heard: AtomicU64,
    /// Times that a follower had to be told to read the store.
    pub lost: AtomicU64,
    /// Connections that had to be made again.
    pub reconnections: AtomicU64,
}

/// One more.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}
