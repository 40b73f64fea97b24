//! Timeouts that exclude waiting. The timeout of a call does not include the time that it waits for people, who might
//! answer days later, or in the queue.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::{People, Progress};
use crate::kernel::{Inquiry, InquiryReply};

/// Measures time, but pauses during waits.
#[derive(Clone)]
pub struct Stopwatch {
    /// Number of waits in progress. The stopwatch runs while it is 0.
    waits: Arc<watch::Sender<usize>>,
}

impl Default for Stopwatch {
    fn default() -> Self {
        Self { waits: Arc::new(watch::Sender::new(0)) }
    }
}

impl Stopwatch {
    /// Waits for the future and pauses the stopwatch meanwhile.
    pub async fn pause_during<T>(&self, wait: impl Future<Output = T>) -> T {
        struct WaitGuard<'a>(&'a watch::Sender<usize>);
        impl Drop for WaitGuard<'_> {
            fn drop(&mut self) {
                self.0.send_modify(|waits| *waits -= 1);
            }
        }
        self.waits.send_modify(|waits| *waits += 1);
        let _guard = WaitGuard(&self.waits);
        wait.await
    }

    /// Waits until the stopwatch has run for `time`, counted from this call.
    pub(super) async fn passed(&self, time: Duration) {
        let (mut waits, mut left) = (self.waits.subscribe(), time);
        loop {
            // This cannot fail: the sender lives as long as `self`.
            let _ = waits.wait_for(|waits| *waits == 0).await;
            let began = Instant::now();
            tokio::select! {
                () = sleep(left) => return,
                _ = waits.wait_for(|waits| *waits > 0) => left = left.saturating_sub(began.elapsed()),
            }
        }
    }
}

/// People of a call, wrapped so that waiting for their answers pauses the stopwatch.
pub(super) struct PausingPeople {
    pub(super) people: Arc<dyn People>,
    pub(super) watch: Stopwatch,
}

#[async_trait]
impl People for PausingPeople {
    async fn ask(&self, question: Inquiry) -> InquiryReply {
        self.watch.pause_during(self.people.ask(question)).await
    }

    fn progress(&self, progress: Progress) {
        self.people.progress(progress);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    struct SlowPeople;

    #[async_trait]
    impl People for SlowPeople {
        async fn ask(&self, _: Inquiry) -> InquiryReply {
            sleep(Duration::from_secs(100_000)).await;
            InquiryReply::Declined
        }
    }

    #[tokio::test(start_paused = true)]
    async fn people_have_all_the_time_that_they_need_and_the_call_has_the_rest_of_its_own() {
        let watch = Stopwatch::default();
        let people = PausingPeople { people: Arc::new(SlowPeople), watch: watch.clone() };
        let question = Inquiry { from: "s".into(), message: "?".into(), schema: true.into(), link: None };
        let call = async {
            sleep(Duration::from_secs(6)).await;
            assert_eq!(people.ask(question).await, InquiryReply::Declined);
            sleep(Duration::from_secs(6)).await;
        };
        let began = Instant::now();
        tokio::select! {
            () = call => panic!("the call had more than its time"),
            () = watch.passed(Duration::from_secs(10)) => {}
        }
        assert_eq!(began.elapsed(), Duration::from_secs(100_010));
        assert!(timeout(Duration::from_secs(9), watch.passed(Duration::from_secs(10))).await.is_err());
    }
}
