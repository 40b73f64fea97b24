//! Origin of a request, for all actions that the request causes.

use std::net::IpAddr;
use std::sync::Arc;

tokio::task_local! {
    static ORIGIN: RequestOrigin;
}

/// Address and id of the request, or of the connection's upgrade, that the current task works for. It belongs to the
/// task instead of being an argument, so that no caller of [`super::AuditLog::record`] can forget or forge it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestOrigin {
    /// Address of the client. Absent for work without a client.
    pub address: Option<IpAddr>,
    /// Id that the response carries as `x-request-id`.
    pub request: Option<Arc<str>>,
}

impl RequestOrigin {
    /// Returns the origin of the current task. It is empty for work without a client.
    pub fn current() -> Self {
        ORIGIN.try_with(Self::clone).unwrap_or_default()
    }

    /// Runs `work` with this origin. A spawned task needs its own call, because it does not inherit the origin.
    pub fn scope<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        ORIGIN.scope(self, work)
    }
}
