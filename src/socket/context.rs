//! What sockets need of the rest of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::SocketBounds;
use crate::feed::Feeds;
use crate::identity::{IdentityStore, Revocations};
use crate::kernel::{By, Command, SessionId};
use crate::limits::RateLimits;
use crate::orchestrator::Orchestrators;
use crate::protocol::{Code, Problem};
use crate::store::EventStore;

/// Where commands go.
#[async_trait]
pub trait Submit: Send + Sync + 'static {
    /// Apply a command and answer with the seq of its last event, once that is durable.
    async fn submit(&self, session: SessionId, by: By, command: Command) -> Result<u64, Problem>;
}

#[async_trait]
impl Submit for Orchestrators {
    async fn submit(&self, session: SessionId, by: By, command: Command) -> Result<u64, Problem> {
        Orchestrators::submit(self, session, by, command).await
    }
}

/// What sockets need of the rest of the server.
pub struct Context {
    /// Sessions and memberships.
    pub store: Arc<dyn EventStore>,
    /// Who somebody is.
    pub identities: Arc<dyn IdentityStore>,
    /// What ends when a credential does; its sockets are closed with 4501.
    pub revocations: Arc<Revocations>,
    /// What is going on in sessions.
    pub feeds: Feeds,
    /// Where commands go.
    pub commands: Arc<dyn Submit>,
    /// How fast participants may act; shared with HTTP.
    pub limits: Arc<RateLimits>,
    /// What a socket accepts.
    pub bounds: SocketBounds,
    /// Cancelled when the server begins to stop: nobody new comes in.
    pub stopping: CancellationToken,
    /// Cancelled when its sessions are elsewhere: sockets are closed with 4000, one by one.
    pub shutdown: CancellationToken,
    /// The connections, to wait for when the server shuts down.
    pub tasks: TaskTracker,
    /// What sockets carry.
    pub traffic: Traffic,
}

/// What sockets carry, for metrics.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Open connections and event streams.
    pub connections: AtomicUsize,
    /// Bytes that sockets took since the server started.
    pub sent_bytes: AtomicU64,
}

/// A connection that counts while it lives: a WebSocket, or an event stream.
pub(crate) struct Counted(Arc<Context>);

impl Context {
    /// Close every connection so that clients connect again elsewhere or later, and wait until all are closed.
    pub async fn drain(&self) {
        self.stopping.cancel();
        self.shutdown.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Count one more connection, where there are not too many.
    pub(crate) fn admit(self: &Arc<Self>) -> Result<Counted, Problem> {
        let before = self.traffic.connections.fetch_add(1, Ordering::Relaxed);
        let counted = Counted(self.clone());
        if before < self.bounds.connections {
            return Ok(counted);
        }
        let words = "this server has as many connections as it takes; try again later";
        Err(Problem::new(Code::Busy, words).retry_after(5_000))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.traffic.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
