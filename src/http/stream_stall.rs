//! Detects HTTP/2 streams whose client reads nothing. Over HTTP/1.1, such a client blocks the connection itself. Over
//! HTTP/2, the other streams of the connection continue, so a response that is never read would go unnoticed.

use std::sync::Arc;
use std::time::Duration;

use hyper::rt::Executor;
use parking_lot::Mutex;
use tokio::time::{Instant, interval};
use tracing::Instrument;

tokio::task_local! {
    static TAKING: Arc<StreamProgress>;
}

/// Time at which the response of this stream produced data that has not been read completely. `None` if all data has
/// been read.
#[derive(Debug, Default)]
struct StreamProgress(Mutex<Option<Instant>>);

/// Runs each HTTP/2 stream as a task, and ends it if its client reads nothing for too long.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamExecutor {
    /// Maximum time that a client can go without reading.
    pub(super) stall: Duration,
}

impl<F> Executor<F> for StreamExecutor
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let (stall, taking) = (self.stall, Arc::new(StreamProgress::default()));
        let stalled = taking.clone().stalled(stall);
        let stream = TAKING.scope(taking, async move {
            tokio::select! {
                () = stream => {}
                () = stalled => tracing::debug!("stream ended early: its client reads nothing"),
            }
        });
        tokio::spawn(stream.in_current_span());
    }
}

impl StreamProgress {
    async fn stalled(self: Arc<Self>, limit: Duration) {
        let mut checks = interval(limit / 4);
        loop {
            checks.tick().await;
            if self.0.lock().is_some_and(|given| given.elapsed() >= limit) {
                return;
            }
        }
    }
}

/// Records progress of this task's stream. If `something` is true, its body produced data. Otherwise, more data was
/// requested, which means that the earlier data was read.
pub(super) fn record_progress(something: bool) {
    // Other tasks, such as those of HTTP/1.1, are not tracked here.
    let _ = TAKING.try_with(|taking| *taking.0.lock() = something.then(Instant::now));
}
