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
    wire::{Part, Refusal},
};
use crate::{
    bus::{AskError, Asked},
    store::NodeId,
};

/// Outgoing and incoming requests.
pub(super) struct Asking {
    pub(super) node: NodeId,
    bound: usize,
    outbox: Arc<Outbox>,
    questions: mpsc::Sender<Asked>,
    pending: Mutex<HashMap<u64, oneshot::Sender<Result<Bytes, Refusal>>>>,
    next: AtomicU64,
}

/// A request that waits for its reply. Dropping it removes its entry.
struct Pending<'a> {
    asking: &'a Asking,
    id: u64,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.asking.pending.lock().remove(&self.id);
    }
}

impl Asking {
    pub(super) fn new(node: NodeId, bound: usize, outbox: Arc<Outbox>, questions: mpsc::Sender<Asked>) -> Self {
        Self { node, bound, outbox, questions, pending: Mutex::default(), next: AtomicU64::new(0) }
    }

    pub(super) async fn ask(&self, node: NodeId, content: Bytes, within: Duration) -> Result<Bytes, AskError> {
        if !self.outbox.fits(&content) {
            return Err(AskError::TooLarge);
        }
        let (answer, answered) = oneshot::channel();
        let pending = self.pend(answer)?;
        let (reached, listeners) = oneshot::channel();
        self.outbox.send(node, Part::Question { id: pending.id, content }, Some(reached));
        let answered = async {
            match listeners.await {
                Ok(0) => Err(AskError::Absent),
                Ok(_) => Ok(answered.await.map_err(|_| AskError::Down)??),
                Err(_) => Err(AskError::Down),
            }
        };
        timeout(within, answered).await.unwrap_or(Err(AskError::Late))
    }

    fn pend(&self, answer: oneshot::Sender<Result<Bytes, Refusal>>) -> Result<Pending<'_>, AskError> {
        let mut pending = self.pending.lock();
        if pending.len() >= self.bound {
            return Err(AskError::Busy);
        }
        let id = self.next.fetch_add(1, Relaxed);
        pending.insert(id, answer);
        Ok(Pending { asking: self, id })
    }

    /// Delivers a reply to its requester.
    pub(super) fn answered(&self, id: u64, answer: Result<Bytes, Refusal>) {
        if let Some(waits) = self.pending.lock().remove(&id) {
            // Fails if the requester no longer waits.
            let _ = waits.send(answer);
        }
    }

    /// Fails all pending requests, because their replies can have been missed.
    pub(super) fn give_up(&self) {
        self.pending.lock().clear();
    }

    /// Handles an incoming request.
    pub(super) fn asked(&self, from: NodeId, id: u64, content: Bytes) {
        let outbox = self.outbox.clone();
        let question = Asked::new(from, content, move |content| {
            let answer = if outbox.fits(&content) { Ok(content) } else { Err(Refusal::TooLarge) };
            outbox.send(from, Part::Answer { id, answer }, None);
        });
        let refusal = match self.questions.try_send(question) {
            Ok(()) => return,
            Err(TrySendError::Full(_)) => Refusal::Busy,
            Err(TrySendError::Closed(_)) => Refusal::Absent,
        };
        self.outbox.send(from, Part::Answer { id, answer: Err(refusal) }, None);
    }
}
