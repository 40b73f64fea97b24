//! The clock of one session.

use std::time::Duration;

use tokio::time::Instant;

use crate::clock;
use crate::kernel::Timestamp;

/// The time of one session: the node's time, but never earlier than the log, and always advancing. Otherwise, if
/// another node's clock was ahead when it wrote an event, retries and deadlines based on that event would wait until
/// this node's clock catches up.
pub(super) struct SessionClock {
    at: Timestamp,
    read: Instant,
}

impl SessionClock {
    /// Creates the clock of a log that ends at this time.
    pub(super) fn after(end: Timestamp) -> Self {
        Self { at: end, read: Instant::now() }
    }

    /// Returns the current time, which is never before `end`, the time of the log's last event.
    pub(super) fn now(&mut self, end: Timestamp) -> Timestamp {
        let read = Instant::now();
        let since = u64::try_from(read.duration_since(self.read).as_millis()).unwrap_or(u64::MAX);
        self.at = clock::now().max(self.at.plus(since)).max(end);
        self.read = read;
        self.at
    }

    /// Returns the instant at which the session's time reaches `at`.
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
        let mut clock = SessionClock::after(end);
        tokio::time::advance(Duration::from_millis(400)).await;
        assert_eq!(clock.now(end), end.plus(400));
        assert_eq!(clock.instant_of(end.plus(1_000), end), Instant::now() + Duration::from_millis(600));
        tokio::time::advance(Duration::from_millis(600)).await;
        assert_eq!(clock.now(end), end.plus(1_000));
    }

    #[tokio::test(start_paused = true)]
    async fn it_never_goes_back() {
        let mut clock = SessionClock::after(Timestamp::default());
        let first = clock.now(Timestamp::default());
        let ahead = first.plus(5_000);
        assert_eq!(clock.now(ahead), ahead, "the log is ahead");
        assert!(clock.now(first) >= ahead);
    }
}
