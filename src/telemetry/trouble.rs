//! What fails again and again while something is away: said once, and then at growing distance.

use std::time::Duration;

use tokio::time::Instant;

use crate::retry;

/// Milliseconds between the first time that it is said and the second, at most; each time doubles them.
const FIRST: u64 = 4_000;
/// Milliseconds that they grow to.
const MOST: u64 = 600_000;

/// Something that is tried again at its own pace, which says nothing of how often its failures are worth a line.
#[derive(Debug, Default)]
pub struct Trouble(Option<Failing>);

#[derive(Debug)]
struct Failing {
    since: Instant,
    said: u32,
    next: Instant,
}

impl Trouble {
    /// It failed. Whether that is to be said: the first time it is, then less and less often, and not in step with other
    /// nodes.
    pub fn again(&mut self) -> bool {
        let now = Instant::now();
        let failing = self.0.get_or_insert(Failing { since: now, said: 0, next: now });
        let due = failing.next <= now;
        if due {
            failing.said += 1;
            failing.next = now + Duration::from_millis(retry::pause(failing.said, FIRST, MOST));
        }
        due
    }

    /// It works. For how long it did not, where it did not.
    pub fn over(&mut self) -> Option<Duration> {
        self.0.take().map(|failing| failing.since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_hour_of_failures_is_a_few_lines_and_the_next_one_is_said_at_once() {
        let (mut trouble, begun, mut said) = (Trouble::default(), Instant::now(), vec![]);
        while begun.elapsed() < Duration::from_secs(3_600) {
            if trouble.again() {
                said.push(begun.elapsed());
            }
            tokio::time::advance(Duration::from_millis(500)).await;
        }
        assert_eq!(said[0], Duration::ZERO, "the first failure is said");
        let gaps: Vec<_> = said.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!((10..25).contains(&said.len()) && gaps[0] < Duration::from_secs(5), "{said:?}");
        assert!(gaps.iter().max() > gaps.iter().min().map(|least| *least * 50).as_ref(), "they grow: {gaps:?}");
        assert_eq!(trouble.over(), Some(begun.elapsed()));
        assert_eq!(trouble.over(), None, "its end is told once");
        assert!(trouble.again(), "what fails anew is said at once");
    }
}
