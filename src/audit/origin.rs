//! Where a request came from, for everything that is done because of it.

use std::net::IpAddr;
use std::sync::Arc;

tokio::task_local! {
    static ORIGIN: Origin;
}

/// Address and id of the request, or of the connection's upgrade, that the current task works for. It belongs to the task
/// and is no argument, so that no caller of [`super::Audit::record`] can forget or forge it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The client's address; absent in work that no client asked for.
    pub address: Option<IpAddr>,
    /// The id that the answer carries as `x-request-id`.
    pub request: Option<Arc<str>>,
}

impl Origin {
    /// The origin of the current task; empty where no client asked for its work.
    pub fn current() -> Self {
        ORIGIN.try_with(Self::clone).unwrap_or_default()
    }

    /// Do `work` for this origin. A spawned task needs this again: it does not inherit the origin of its spawner.
    pub async fn scope<F: Future>(self, work: F) -> F::Output {
        ORIGIN.scope(self, work).await
    }
}
