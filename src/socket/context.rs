//! The parts of the server that sockets use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::SocketSettings;
use super::unfinished_messages::{self, UnfinishedBudget};
use super::unidentified_connections::UnidentifiedConnections;
use crate::access::Access;
use crate::dispatch::Dispatcher;
use crate::identity::Revocations;
use crate::protocol::{Code, Problem};

/// The parts of the server that sockets use.
pub struct SocketContext {
    /// Commands and authentication, shared with HTTP.
    pub dispatcher: Dispatcher,
    /// Revocations of credentials. They close the sockets of a credential with 4501.
    pub revocations: Arc<Revocations>,
    /// Access checks for sessions.
    pub access: Access,
    /// Limits and timeouts of sockets.
    pub settings: Arc<SocketSettings>,
    /// Cancelled when the shutdown begins. New connections are then rejected.
    pub stopping: CancellationToken,
    /// Cancelled when the sessions have moved to other nodes. Sockets are then closed with 4000, one by one.
    pub shutdown: CancellationToken,
    /// Tasks of the connections, which a shutdown waits for.
    pub tasks: TaskTracker,
    /// Traffic counters.
    pub traffic: Arc<SocketTraffic>,
}

/// Traffic of sockets, for metrics.
#[derive(Debug)]
pub struct SocketTraffic {
    /// Number of open connections and event streams.
    pub connections: AtomicUsize,
    /// Bytes that sockets have accepted since the server started.
    pub sent_bytes: AtomicU64,
    pub(super) unfinished: Arc<UnfinishedBudget>,
    pub(super) unidentified: Arc<UnidentifiedConnections>,
}

impl SocketTraffic {
    /// Creates counters at zero, with these limits.
    pub fn new(settings: &SocketSettings) -> Arc<Self> {
        Arc::new(Self {
            connections: AtomicUsize::default(),
            sent_bytes: AtomicU64::default(),
            unfinished: unfinished_messages::budget(settings),
            unidentified: Arc::default(),
        })
    }
}

/// Guard that counts a connection (a WebSocket or an event stream) until the guard is dropped.
pub(crate) struct ConnectionCountGuard(Arc<SocketContext>);

impl SocketContext {
    /// Closes every connection so that clients reconnect, and waits until all are closed.
    pub async fn drain(&self) {
        self.stopping.cancel();
        self.shutdown.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Counts a new connection, or rejects it if there are too many.
    pub(crate) fn admit(self: &Arc<Self>) -> Result<ConnectionCountGuard, Problem> {
        let before = self.traffic.connections.fetch_add(1, Ordering::Relaxed);
        let counted = ConnectionCountGuard(self.clone());
        if before < self.settings.max_connections {
            return Ok(counted);
        }
        let message = "too many connections on this server; retry later";
        Err(Problem::new(Code::Busy, message).retry_after(5_000))
    }
}

impl Drop for ConnectionCountGuard {
    fn drop(&mut self) {
        self.0.traffic.connections.fetch_sub(1, Ordering::Relaxed);
    }
}
