//! Rate limit of log lines about repeated failures: the first one is logged, further ones at growing intervals.

use std::time::Duration;

use tokio::time::Instant;

use crate::backoff;

/// Maximum interval between the first and the second log line, in milliseconds. Each further line doubles it.
const FIRST_PAUSE_MS: u64 = 4_000;
/// Upper bound of the interval, in milliseconds.
const MAX_PAUSE_MS: u64 = 600_000;

/// Throttle of the log lines of one operation, which is retried at its own interval.
#[derive(Debug, Default)]
pub struct LogThrottle(Option<FailureStreak>);

#[derive(Debug)]
struct FailureStreak {
    since: Instant,
    logged: u32,
    next: Instant,
}

impl LogThrottle {
    /// Creates the throttle of an operation that has not failed.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Records a failure, and returns whether to log it: true for the first failure, then less and less often. The
    /// intervals are random, so that nodes do not log in lockstep.
    pub fn again(&mut self) -> bool {
        let now = Instant::now();
        let failing = self.0.get_or_insert(FailureStreak { since: now, logged: 0, next: now });
        let due = failing.next <= now;
        if due {
            failing.logged += 1;
            failing.next = now + Duration::from_millis(backoff::delay_ms(failing.logged, FIRST_PAUSE_MS, MAX_PAUSE_MS));
        }
        due
    }

    /// Records a success, and returns the duration of the failure before it, if any.
    pub fn over(&mut self) -> Option<Duration> {
        self.0.take().map(|failing| failing.since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_hour_of_failures_is_a_few_lines_and_the_next_one_is_said_at_once() {
        let (mut trouble, started, mut logged) = (LogThrottle::default(), Instant::now(), vec![]);
        while started.elapsed() < Duration::from_secs(3_600) {
            if trouble.again() {
                logged.push(started.elapsed());
            }
            tokio::time::advance(Duration::from_millis(500)).await;
        }
        assert_eq!(logged[0], Duration::ZERO, "the first failure is logged");
        let gaps: Vec<_> = logged.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!((10..25).contains(&logged.len()) && gaps[0] < Duration::from_secs(5), "{logged:?}");
        assert!(gaps.iter().max() > gaps.iter().min().map(|least| *least * 50).as_ref(), "they grow: {gaps:?}");
        assert_eq!(trouble.over(), Some(started.elapsed()));
        assert_eq!(trouble.over(), None, "its end is logged once");
        assert!(trouble.again(), "a new failure is logged at once");
    }
}
