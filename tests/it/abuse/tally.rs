//! Counts the acts of an abuse, so that no test passes because its abuse did nothing.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use reqwest::StatusCode;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Acts of an abuse so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Acts {
    /// Acts that the server accepted.
    pub taken: u64,
    /// Acts that a limit refused.
    pub refused: u64,
    /// Connections that the server closed.
    pub closed: u64,
}

impl fmt::Display for Acts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} taken, {} refused, {} closed", self.taken, self.refused, self.closed)
    }
}

/// Shared counters of an abuse.
#[derive(Clone, Default)]
pub struct Tally(Arc<watch::Sender<Acts>>);

impl Tally {
    /// Counts acts that the server accepted.
    pub fn taken(&self, acts: u64) {
        self.0.send_modify(|tally| tally.taken += acts);
    }

    /// Counts an act that a limit refused.
    pub fn refused(&self) {
        self.0.send_modify(|tally| tally.refused += 1);
    }

    /// Counts a connection that the server closed.
    pub fn closed(&self) {
        self.0.send_modify(|tally| tally.closed += 1);
    }

    /// Counts an act by the status of its response. Only limits may refuse an act, and no act may fail.
    pub fn answered(&self, status: StatusCode) {
        match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE | StatusCode::CONFLICT => self.refused(),
            status if status.is_server_error() => panic!("the server failed: {status}"),
            _ => self.taken(1),
        }
    }

    /// Acts so far.
    pub fn acts(&self) -> Acts {
        *self.0.borrow()
    }

    /// Waits until the counts are as wanted.
    pub async fn until(&self, wanted: impl FnMut(&Acts) -> bool) {
        self.0.subscribe().wait_for(wanted).await.expect("this has the sender");
    }

    /// Waits until the first act was accepted.
    pub async fn begun(&self) {
        self.until(|acts| acts.taken > 0).await;
    }
}

/// Runs all of these concurrently, each as a task that ends with this call.
pub async fn together<A>(abuses: impl IntoIterator<Item = A>) -> Infallible
where
    A: Future<Output = Infallible> + Send + 'static,
{
    let mut tasks: JoinSet<Infallible> = abuses.into_iter().collect();
    match tasks.join_next().await.expect("there is one") {
        Ok(never) => never,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
