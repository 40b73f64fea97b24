//! Counts of an abuse's acts, so that none passes by doing nothing.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use reqwest::StatusCode;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Acts of an abuse so far.
#[derive(Debug, Clone, Copy, Default)]
pub struct Acts {
    /// Acts that the server took.
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

/// The tally that an abuse keeps of its acts.
#[derive(Clone, Default)]
pub struct Tally(Arc<watch::Sender<Acts>>);

impl Tally {
    /// Acts that the server took.
    pub fn taken(&self, acts: u64) {
        self.0.send_modify(|tally| tally.taken += acts);
    }

    /// An act that a limit refused.
    pub fn refused(&self) {
        self.0.send_modify(|tally| tally.refused += 1);
    }

    /// A connection that the server closed.
    pub fn closed(&self) {
        self.0.send_modify(|tally| tally.closed += 1);
    }

    /// An act that was answered with this status: only limits refuse, and nothing fails.
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

    /// The acts are as wanted.
    pub async fn until(&self, wanted: impl FnMut(&Acts) -> bool) {
        self.0.subscribe().wait_for(wanted).await.expect("this has the sender");
    }

    /// The first act was taken.
    pub async fn begun(&self) {
        self.until(|acts| acts.taken > 0).await;
    }
}

/// All of these at once, each as a task of its own that ends with this.
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
