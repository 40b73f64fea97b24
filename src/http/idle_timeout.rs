//! Tracks whether a connection is in use, so that an idle connection is closed, even if its client has sent part of a
//! request head. The timeouts of `tower-http` start with a request, and would end a silent event stream.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use tokio::sync::watch;
use tokio::time::timeout;

use super::stream_stall;

/// Requests of one connection whose responses are not complete.
#[derive(Debug)]
pub(super) struct ConnectionActivity {
    open: watch::Sender<usize>,
    /// True while a response waits for the client to read it.
    blocked: Arc<AtomicBool>,
}

/// Registration of a request whose response is not complete. Dropping it ends the registration.
#[derive(Debug)]
pub(super) struct OpenRequest(Arc<ConnectionActivity>);

impl ConnectionActivity {
    /// Creates the tracker of a new connection. `blocked` is true while a response waits for the client to read it.
    pub(super) fn new(blocked: Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self { open: watch::Sender::new(0), blocked })
    }

    /// Registers a request.
    pub(super) fn open(self: &Arc<Self>) -> OpenRequest {
        self.open.send_modify(|open| *open += 1);
        OpenRequest(self.clone())
    }

    /// Completes when the connection has had no request, and no response waiting to be read, for `limit`. The timers of
    /// the HTTP library start with the first byte, or stop with the first complete head, so with these timers, a
    /// connection that sends nothing would stay open forever.
    pub(super) async fn quiet(&self, limit: Duration) {
        let mut open = self.open.subscribe();
        loop {
            if open.wait_for(|open| *open == 0).await.is_err() {
                return;
            }
            if timeout(limit, open.changed()).await.is_err() && !self.blocked.load(Relaxed) {
                return;
            }
        }
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.open.send_modify(|open| *open -= 1);
    }
}

/// Body of a response. It keeps its request registered until the body is dropped.
pub(super) struct OpenBody {
    body: Body,
    _open: OpenRequest,
}

impl OpenBody {
    /// Wraps a body, which then keeps `open` until it is dropped.
    pub(super) fn new(body: Body, open: OpenRequest) -> Self {
        Self { body, _open: open }
    }
}

impl hyper::body::Body for OpenBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        stream_stall::record_progress(matches!(frame, Poll::Ready(Some(Ok(_)))));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_quiet_so_long_after_its_last_answer() {
        let blocked = Arc::new(AtomicBool::new(false));
        let activity = ConnectionActivity::new(blocked.clone());
        let limit = Duration::from_secs(10);
        let started = tokio::time::Instant::now();
        activity.quiet(limit).await;
        assert_eq!(started.elapsed(), limit, "nothing was ever asked");
        let open = activity.open();
        assert!(timeout(limit * 100, activity.quiet(limit)).await.is_err(), "a request may take its time");
        drop(open);
        let started = tokio::time::Instant::now();
        // A request with an immediate response restarts the timer.
        let asks = async {
            tokio::time::timeout(limit / 2, std::future::pending::<()>()).await.expect_err("passes");
            drop(activity.open());
        };
        tokio::join!(activity.quiet(limit), asks);
        assert_eq!(started.elapsed(), limit + limit / 2);
        blocked.store(true, Relaxed);
        assert!(timeout(limit * 100, activity.quiet(limit)).await.is_err(), "the last answer is on its way");
    }
}
