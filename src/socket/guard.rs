//! What keeps one connection from costing the others too much: its budget, what it holds of unfinished messages, and how
//! much of it is read before it is somebody else's turn.

use std::sync::Arc;
use std::task::{Context, Poll};

use tokio_tungstenite::tungstenite::protocol::Message;

use super::SocketBounds;
use super::governor::Governor;
use super::unfinished::{Unfinished, UnfinishedBudget};
use crate::kernel::ParticipantId;
use crate::protocol::{CloseCode, Problem};

/// Bytes that are read before it is somebody else's turn. The library takes fragments of a message one after the other
/// without coming back, as long as there are bytes.
pub(super) const MAX_WAKEUP_BYTES: usize = 64 << 10;

/// The guard of one connection.
pub(super) struct Guard {
    bounds: Arc<SocketBounds>,
    governor: Governor,
    unfinished: Unfinished,
    /// Bytes that may still be read before it is somebody else's turn.
    left: usize,
}

impl Guard {
    pub(super) fn new(bounds: Arc<SocketBounds>, budget: Arc<UnfinishedBudget>) -> Self {
        let governor = Governor::new(&bounds);
        Self { bounds, governor, unfinished: Unfinished::new(budget), left: MAX_WAKEUP_BYTES }
    }

    /// From here on the connection is this participant's.
    pub(super) fn identified(&mut self, who: ParticipantId) {
        self.unfinished.identified(who);
    }

    /// It is this connection's turn.
    pub(super) fn begin(&mut self) {
        self.left = MAX_WAKEUP_BYTES;
    }

    /// Ready while the connection is within its budget.
    pub(super) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.governor.poll_ready(cx)
    }

    /// Whether more bytes may be read now.
    pub(super) fn may_read(&self) -> bool {
        self.left > 0 && !self.governor.is_paused()
    }

    /// So many bytes were read.
    pub(super) fn read(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count);
        self.governor.bytes(count);
        self.unfinished.read(count, &self.bounds);
    }

    /// A message was read, whatever it is.
    pub(super) fn message(&mut self, message: &Message) {
        self.governor.frame();
        self.unfinished.whole(message);
    }

    /// Nothing more could be read. Whether to try again at once; else the task is woken when there is more.
    pub(super) fn blocked(&mut self, cx: &mut Context<'_>) -> bool {
        if self.governor.is_paused() {
            return self.governor.poll_ready(cx).is_ready();
        }
        if self.left == 0 {
            cx.waker().wake_by_ref();
        } else {
            self.governor.caught_up();
        }
        false
    }

    /// What a peer that is over its budget is told, every now and then.
    pub(super) fn rebuke(&mut self) -> Option<Problem> {
        self.governor.rebuke(&self.bounds)
    }

    /// Why the connection has to be closed, if it has.
    pub(super) fn wrong(&self) -> Option<CloseCode> {
        let flooded = self.governor.is_flooded(&self.bounds).then_some(CloseCode::Abuse);
        flooded.or_else(|| self.unfinished.wrong(&self.bounds))
    }
}
