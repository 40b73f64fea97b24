//! What sockets need of the rest of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::SocketBounds;
use super::unfinished::{self, UnfinishedBudget};
use super::unidentified::Unidentified;
use crate::access::Access;
use crate::identity::Revocations;
use crate::protocol::{Code, Problem};
use crate::reception::Reception;

/// What sockets need of the rest of the server.
pub struct Context {
    /// Where commands come in, and who somebody is; shared with HTTP.
    pub reception: Reception,
    /// What ends when a credential does; its sockets are closed with 4501.
    pub revocations: Arc<Revocations>,
    /// Who may join which session.
    pub access: Access,
    /// What a socket accepts.
    pub bounds: Arc<SocketBounds>,
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
#[derive(Debug)]
pub struct Traffic {
    /// Open connections and event streams.
    pub connections: AtomicUsize,
    /// Bytes that sockets took since the server started.
    pub sent_bytes: AtomicU64,
    pub(super) unfinished: Arc<UnfinishedBudget>,
    pub(super) unidentified: Arc<Unidentified>,
}

impl Traffic {
    /// None yet, within these bounds.
    pub fn new(bounds: &SocketBounds) -> Self {
        Self {
            connections: AtomicUsize::default(),
            sent_bytes: AtomicU64::default(),
            unfinished: unfinished::budget(bounds),
            unidentified: Arc::default(),
        }
    }
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
