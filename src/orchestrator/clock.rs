//! Time as one session sees it.

use std::time::Duration;

use tokio::time::Instant;

use crate::clock;
use crate::kernel::Timestamp;

/// The time of one session: the machine's, but never before its log, and always going on. Where an event was written by a
/// clock that was ahead, retries and deadlines reckoned from it would else wait until the machine has caught up.
pub(super) struct Clock {
    at: Timestamp,
    read: Instant,
}

impl Clock {
    /// The clock of a log that ends at this time.
    pub(super) fn after(end: Timestamp) -> Self {
        Self { at: end, read: Instant::now() }
    }

    /// This moment, which is not before `end` of the log.
    pub(super) fn now(&mut self, end: Timestamp) -> Timestamp {
        let read = Instant::now();
        let since = u64::try_from(read.duration_since(self.read).as_millis()).unwrap_or(u64::MAX);
        self.at = clock::now().max(self.at.plus(since)).max(end);
        self.read = read;
        self.at
    }

    /// When it will be this time.
    pub(super) fn instant_of(&mut self, at: Timestamp, end: Timestamp) -> Instant {
        let now = self.now(end);
        self.read + Duration::from_millis(at.millis().saturating_sub(now.millis()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn after_a_log_from_the_future_time_goes_on_from_there() {
        let end = clock::now().plus(3_600_000);
        let mut clock = Clock::after(end);
        tokio::time::advance(Duration::from_millis(400)).await;
        assert_eq!(clock.now(end), end.plus(400));
        assert_eq!(clock.instant_of(end.plus(1_000), end), Instant::now() + Duration::from_millis(600));
        tokio::time::advance(Duration::from_millis(600)).await;
        assert_eq!(clock.now(end), end.plus(1_000));
    }

    #[tokio::test(start_paused = true)]
    async fn it_never_goes_back() {
        let mut clock = Clock::after(Timestamp::default());
        let first = clock.now(Timestamp::default());
        let ahead = first.plus(5_000);
        assert_eq!(clock.now(ahead), ahead, "the log is ahead");
        assert!(clock.now(first) >= ahead);
    }
}
