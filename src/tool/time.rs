//! The time that a call may take: people's own time does not count, who may answer on another day.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::People;
use crate::kernel::{Inquiry, Reply};

/// The people of a call, and whether it waits for them.
pub(super) struct Asked {
    people: Arc<dyn People>,
    open: watch::Sender<usize>,
}

impl Asked {
    pub(super) fn new(people: Arc<dyn People>) -> Arc<Self> {
        Arc::new(Self { people, open: watch::Sender::new(0) })
    }

    /// Ends once the call has had so much time in which it did not wait for people.
    pub(super) async fn had(&self, time: Duration) {
        let (mut open, mut left) = (self.open.subscribe(), time);
        loop {
            // The sender lives as long as this does.
            let _ = open.wait_for(|open| *open == 0).await;
            let began = Instant::now();
            tokio::select! {
                () = sleep(left) => return,
                _ = open.wait_for(|open| *open > 0) => left = left.saturating_sub(began.elapsed()),
            }
        }
    }
}

#[async_trait]
impl People for Asked {
    async fn ask(&self, question: Inquiry) -> Reply {
        struct Closed<'a>(&'a watch::Sender<usize>);
        impl Drop for Closed<'_> {
            fn drop(&mut self) {
                self.0.send_modify(|open| *open -= 1);
            }
        }
        self.open.send_modify(|open| *open += 1);
        let _closed = Closed(&self.open);
        self.people.ask(question).await
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    struct Slow;

    #[async_trait]
    impl People for Slow {
        async fn ask(&self, _: Inquiry) -> Reply {
            sleep(Duration::from_secs(100_000)).await;
            Reply::Declined
        }
    }

    #[tokio::test(start_paused = true)]
    async fn people_have_all_the_time_that_they_need_and_the_call_has_the_rest_of_its_own() {
        let asked = Asked::new(Arc::new(Slow));
        let question = Inquiry { from: "s".into(), message: "?".into(), schema: true.into() };
        let call = async {
            sleep(Duration::from_secs(6)).await;
            assert_eq!(asked.ask(question).await, Reply::Declined);
            sleep(Duration::from_secs(6)).await;
        };
        let began = Instant::now();
        tokio::select! {
            () = call => panic!("had more than its time"),
            () = asked.had(Duration::from_secs(10)) => {}
        }
        assert_eq!(began.elapsed(), Duration::from_secs(100_010));
        assert!(timeout(Duration::from_secs(9), asked.had(Duration::from_secs(10))).await.is_err());
    }
}
