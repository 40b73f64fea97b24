//! Counters of the acts of an abuse, so that no test passes because its abuse did nothing.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use reqwest::StatusCode;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Acts of an abuse so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct AbuseCounts {
    /// Acts that the server accepted.
    pub accepted: u64,
    /// Acts that a limit rejected.
    pub rejected: u64,
    /// Connections that the server closed.
    pub closed: u64,
}

impl fmt::Display for AbuseCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} accepted, {} rejected, {} closed", self.accepted, self.rejected, self.closed)
    }
}

/// Shared counters of an abuse.
#[derive(Clone, Default)]
pub struct AbuseCounter(Arc<watch::Sender<AbuseCounts>>);

impl AbuseCounter {
    /// Counts acts that the server accepted.
    pub fn count_accepted(&self, acts: u64) {
        self.0.send_modify(|counter| counter.accepted += acts);
    }

    /// Counts an act that a limit rejected.
    pub fn count_rejected(&self) {
        self.0.send_modify(|counter| counter.rejected += 1);
    }

    /// Counts a connection that the server closed.
    pub fn count_closed(&self) {
        self.0.send_modify(|counter| counter.closed += 1);
    }

    /// Counts an act by the status of its response: 429, 503 and 409 are refusals by a limit, any other server error
    /// fails the test, and all other statuses count as accepted.
    pub fn count_response(&self, status: StatusCode) {
        match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE | StatusCode::CONFLICT => {
                self.count_rejected()
            }
            status if status.is_server_error() => panic!("the server failed: {status}"),
            _ => self.count_accepted(1),
        }
    }

    /// Acts so far.
    pub fn counts(&self) -> AbuseCounts {
        *self.0.borrow()
    }

    /// Waits until `wanted` returns true for the counts.
    pub async fn wait_for(&self, wanted: impl FnMut(&AbuseCounts) -> bool) {
        self.0.subscribe().wait_for(wanted).await.expect("this has the sender");
    }

    /// Waits until the first act is accepted.
    pub async fn wait_for_first_accepted(&self) {
        self.wait_for(|acts| acts.accepted > 0).await;
    }
}

/// Runs all of these concurrently, each as a task that is aborted when this call is dropped.
pub async fn run_concurrently<A>(abuses: impl IntoIterator<Item = A>) -> Infallible
where
    A: Future<Output = Infallible> + Send + 'static,
{
    let mut tasks: JoinSet<Infallible> = abuses.into_iter().collect();
    match tasks.join_next().await.expect("there is one") {
        Ok(never) => never,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
