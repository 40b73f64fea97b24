//! Count of similar log lines that follow each other closely, so that one line can represent several.

use std::time::Duration;

use tokio::time::Instant;

use super::LogThrottle;

/// Time without an occurrence after which the next one is logged immediately again.
const QUIET_TIME: Duration = Duration::from_secs(60);

/// Occurrences of one kind that follow each other closely.
#[derive(Debug)]
pub(super) struct LogStreak {
    throttle: LogThrottle,
    pub(super) latest: Option<Instant>,
    /// Number of occurrences since the last log line.
    unlogged: u64,
}

impl LogStreak {
    /// Creates the streak of a kind without occurrences.
    pub(super) const fn new() -> Self {
        Self { throttle: LogThrottle::new(), latest: None, unlogged: 0 }
    }

    /// Adds an occurrence. If a log line is due now, returns the number of occurrences that it represents, otherwise
    /// `None`.
    pub(super) fn add(&mut self) -> Option<u64> {
        if self.latest.is_some_and(|latest| latest.elapsed() >= QUIET_TIME) {
            self.throttle.over();
        }
        self.latest = Some(Instant::now());
        self.unlogged += 1;
        self.throttle.again().then(|| std::mem::take(&mut self.unlogged))
    }
}
