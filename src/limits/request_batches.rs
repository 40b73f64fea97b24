//! Batches in which a node adds its HTTP requests to the counters that all nodes share. A Redis request for each HTTP
//! request would cost more than most HTTP requests do.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::RateLimit;
use crate::kernel::ParticipantId;

/// Number of batches in the burst of a limit. With more batches, nodes send more requests to Redis; with fewer, each
/// node lets more HTTP requests pass beyond the limit.
const BATCHES_PER_BURST: u32 = 20;

/// Source of an HTTP request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RequestSource {
    Participant(ParticipantId),
    Address(IpAddr),
}

impl fmt::Display for RequestSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Participant(id) => id.fmt(f),
            Self::Address(address) => address.fmt(f),
        }
    }
}

/// Outcome of counting a request.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestCount {
    /// The request is counted in the batch, which is not full.
    Counted,
    /// The batch is full. The caller must count this number of requests on all nodes.
    Full(u32),
    /// The source has exceeded the limit on all nodes together, and has to wait.
    Blocked(Duration),
}

/// Requests that only this node has counted so far, by the name of the limit and the source.
#[derive(Default)]
pub(super) struct RequestBatches(Mutex<HashMap<(&'static str, RequestSource), Batch>>);

#[derive(Default)]
struct Batch {
    requests: u32,
    blocked_until: Option<Instant>,
}

impl RequestBatches {
    pub(super) fn count(&self, limit_name: &'static str, source: RequestSource, limit: RateLimit) -> RequestCount {
        let mut batches = self.0.lock();
        let batch = batches.entry((limit_name, source)).or_default();
        if let Some(until) = batch.blocked_until {
            let wait = until.saturating_duration_since(Instant::now());
            if !wait.is_zero() {
                return RequestCount::Blocked(wait);
            }
            batch.blocked_until = None;
        }
        batch.requests += 1;
        if batch.requests < limit.burst.get().div_ceil(BATCHES_PER_BURST) {
            return RequestCount::Counted;
        }
        RequestCount::Full(std::mem::take(&mut batch.requests))
    }

    /// Rejects further requests of the source for the duration `wait`.
    pub(super) fn block(&self, limit_name: &'static str, source: RequestSource, wait: Duration) {
        self.0.lock().entry((limit_name, source)).or_default().blocked_until = Some(Instant::now() + wait);
    }

    /// Removes the batches of sources that are not blocked. The requests in these batches, each with less than a full
    /// batch, are never counted on all nodes.
    pub(super) fn sweep(&self) {
        let mut batches = self.0.lock();
        batches.retain(|_, batch| batch.blocked_until.is_some_and(|until| until > Instant::now()));
        batches.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: RequestSource = RequestSource::Address(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    #[tokio::test(start_paused = true)]
    async fn a_full_batch_is_counted_and_a_blocked_source_waits() {
        let (batches, limit) = (RequestBatches::default(), RateLimit::new(100, 10));
        for _ in 0..2 {
            let counts: Vec<_> = (0..5).map(|_| batches.count("address", ADDRESS, limit)).collect();
            assert_eq!(counts[..4].iter().filter(|count| **count == RequestCount::Counted).count(), 4);
            assert_eq!(counts[4], RequestCount::Full(5));
        }
        batches.block("address", ADDRESS, Duration::from_millis(300));
        batches.sweep();
        assert_eq!(batches.count("address", ADDRESS, limit), RequestCount::Blocked(Duration::from_millis(300)));
        assert_eq!(batches.count("stranger", ADDRESS, limit), RequestCount::Counted, "is another limit");
        tokio::time::advance(Duration::from_millis(300)).await;
        assert_eq!(batches.count("address", ADDRESS, limit), RequestCount::Counted);
        batches.sweep();
        assert!(batches.0.lock().is_empty());
    }

    #[test]
    fn a_small_limit_is_counted_exactly() {
        let batches = RequestBatches::default();
        assert_eq!(batches.count("stranger", ADDRESS, RateLimit::new(20, 1)), RequestCount::Full(1));
    }
}
