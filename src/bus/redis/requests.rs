//! Requests of this node that wait for a reply, and requests that arrive at this node.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::{
    sync::{
        mpsc::{self, error::TrySendError},
        oneshot,
    },
    time::timeout,
};

use super::{
    outbox::Outbox,
    wire::{MessagePart, PeerError},
};
use crate::bus::{BusRequest, BusRequestError};
use crate::node_id::NodeId;

/// The outgoing requests of a node that wait for a reply, and the queue of its incoming requests.
pub(super) struct PendingRequests {
    pub(super) node: NodeId,
    bound: usize,
    outbox: Arc<Outbox>,
    requests: mpsc::Sender<BusRequest>,
    pending: Mutex<HashMap<u64, oneshot::Sender<Result<Bytes, PeerError>>>>,
    next: AtomicU64,
}

/// A request that waits for its reply. Dropping it removes its entry.
struct PendingRequest<'a> {
    requests: &'a PendingRequests,
    id: u64,
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        self.requests.pending.lock().remove(&self.id);
    }
}

impl PendingRequests {
    pub(super) fn new(node: NodeId, bound: usize, outbox: Arc<Outbox>, requests: mpsc::Sender<BusRequest>) -> Self {
        Self { node, bound, outbox, requests, pending: Mutex::default(), next: AtomicU64::new(0) }
    }

    pub(super) async fn ask(&self, node: NodeId, content: Bytes, within: Duration) -> Result<Bytes, BusRequestError> {
        if !self.outbox.fits(&content) {
            return Err(BusRequestError::TooLarge);
        }
        let (reply, replied) = oneshot::channel();
        let pending = self.register(reply)?;
        let (reached, listeners) = oneshot::channel();
        self.outbox.send(node, MessagePart::Request { id: pending.id, content }, Some(reached));
        let replied = async {
            match listeners.await {
                Ok(0) => Err(BusRequestError::Absent),
                Ok(_) => Ok(replied.await.map_err(|_| BusRequestError::Down)??),
                Err(_) => Err(BusRequestError::Down),
            }
        };
        timeout(within, replied).await.unwrap_or(Err(BusRequestError::Late))
    }

    fn register(
        &self,
        reply: oneshot::Sender<Result<Bytes, PeerError>>,
    ) -> Result<PendingRequest<'_>, BusRequestError> {
        let mut pending = self.pending.lock();
        if pending.len() >= self.bound {
            return Err(BusRequestError::Busy);
        }
        let id = self.next.fetch_add(1, Relaxed);
        pending.insert(id, reply);
        Ok(PendingRequest { requests: self, id })
    }

    /// Delivers a reply to its requester.
    pub(super) fn handle_reply(&self, id: u64, reply: Result<Bytes, PeerError>) {
        if let Some(waits) = self.pending.lock().remove(&id) {
            // Fails if the requester no longer waits.
            let _ = waits.send(reply);
        }
    }

    /// Fails all pending requests, because their replies might have been missed.
    pub(super) fn fail_all(&self) {
        self.pending.lock().clear();
    }

    /// Handles an incoming request.
    pub(super) fn handle_request(&self, from: NodeId, id: u64, content: Bytes) {
        let outbox = self.outbox.clone();
        let request = BusRequest::new(from, content, move |content| {
            let reply = if outbox.fits(&content) { Ok(content) } else { Err(PeerError::TooLarge) };
            outbox.send(from, MessagePart::Reply { id, reply }, None);
        });
        let error = match self.requests.try_send(request) {
            Ok(()) => return,
            Err(TrySendError::Full(_)) => PeerError::Busy,
            Err(TrySendError::Closed(_)) => PeerError::Absent,
        };
        self.outbox.send(from, MessagePart::Reply { id, reply: Err(error) }, None);
    }
}
