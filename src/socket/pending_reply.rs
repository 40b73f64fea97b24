//! Operations of a client that must complete before its next frame is read, because later frames can depend on them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tracing::Instrument;

use super::SocketContext;
use super::connection_log::ConnectionLog;
use super::subscription::{NewSubscription, join};
use crate::audit::RequestOrigin;
use crate::identity::{CredentialProof, Participant, authenticate};
use crate::kernel::{SessionId, Timestamp};
use crate::protocol::{Code, Problem};

/// An operation that must complete before the next frame is read.
pub(super) enum PendingReply {
    Hello(CredentialProof, BoxFuture<'static, Result<Option<Participant>, Problem>>),
    Join(SessionId, BoxFuture<'static, Result<NewSubscription, Problem>>),
}

impl PendingReply {
    /// Starts the identification of a client.
    pub(super) fn hello(server: &Arc<SocketContext>, log: ConnectionLog, proof: CredentialProof) -> Self {
        let (this, address) = (server.clone(), RequestOrigin::current().address);
        let work = async move { authenticate(&*this.dispatcher.identities, proof, address).await };
        Self::Hello(proof, in_time(server, log, work))
    }

    /// Starts a join of a session.
    pub(super) fn join(
        server: &Arc<SocketContext>,
        log: ConnectionLog,
        who: Arc<Participant>,
        session: SessionId,
        after: Option<u64>,
        at: Option<Timestamp>,
    ) -> Self {
        Self::Join(session, in_time(server, log, join(server.clone(), who, session, after, at)))
    }
}

fn in_time<T>(
    server: &SocketContext,
    log: ConnectionLog,
    work: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> BoxFuture<'static, Result<T, Problem>> {
    let limit = Duration::from_secs(server.settings.join_seconds);
    let in_time = async move {
        let late = |_| Problem::new(Code::TimedOut, "the request timed out; retry");
        tokio::time::timeout(limit, work).await.map_err(late)?
    };
    Box::pin(in_time.instrument(log.span()))
}
