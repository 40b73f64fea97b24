//! Streams of HTTP/2 whose client takes nothing. Over HTTP/1.1 the connection itself is blocked then; here others of its
//! streams go on, so that nobody would notice an answer that is never taken.

use std::sync::Arc;
use std::time::Duration;

use hyper::rt::Executor;
use parking_lot::Mutex;
use tokio::time::{Instant, interval};

tokio::task_local! {
    static TAKING: Arc<Taking>;
}

/// When the answer of this stream gave something that is not taken in whole.
#[derive(Debug, Default)]
struct Taking(Mutex<Option<Instant>>);

/// Runs each stream of HTTP/2 as a task, and ends it where its client takes nothing for so long.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamExecutor {
    /// How long.
    pub(super) stall: Duration,
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let (stall, taking) = (self.stall, Arc::new(Taking::default()));
        let stalled = taking.clone().stalled(stall);
        tokio::spawn(TAKING.scope(taking, async move {
            tokio::select! {
                () = stream => {}
                () = stalled => tracing::debug!("a stream ended early: its client takes nothing"),
            }
        }));
    }
}

impl Taking {
    async fn stalled(self: Arc<Self>, limit: Duration) {
        let mut looks = interval(limit / 4);
        loop {
            looks.tick().await;
            if self.0.lock().is_some_and(|given| given.elapsed() >= limit) {
                return;
            }
        }
    }
}

/// The body of this task's stream gave something, or was asked for more, which means that what it gave is taken.
pub(super) fn gave(something: bool) {
    // Other tasks, as those of HTTP/1.1, look after themselves.
    let _ = TAKING.try_with(|taking| *taking.0.lock() = something.then(Instant::now));
}
