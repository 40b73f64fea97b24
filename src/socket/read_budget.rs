//! Limits of one connection, so that it does not slow down the others: its rate, its unfinished messages, and the bytes
//! that it reads per wake-up of its task.

use std::sync::Arc;
use std::task::{Context, Poll};

use tokio_tungstenite::tungstenite::protocol::Message;

use super::SocketSettings;
use super::frame_rate_limit::FrameRateLimiter;
use super::unfinished_messages::{UnfinishedBudget, UnfinishedMessage};
use crate::kernel::ParticipantId;
use crate::protocol::{CloseCode, Problem};

/// Maximum number of bytes read per wake-up. Without this limit, the library would read fragments of a message in a
/// loop as long as bytes are available.
pub(super) const MAX_WAKEUP_BYTES: usize = 64 << 10;

/// The limits of one connection.
pub(super) struct ReadBudget {
    settings: Arc<SocketSettings>,
    governor: FrameRateLimiter,
    unfinished: UnfinishedMessage,
    /// Number of bytes that can still be read in this wake-up.
    left: usize,
}

impl ReadBudget {
    pub(super) fn new(settings: Arc<SocketSettings>, budget: Arc<UnfinishedBudget>) -> Self {
        let governor = FrameRateLimiter::new(&settings);
        Self { settings, governor, unfinished: UnfinishedMessage::new(budget), left: MAX_WAKEUP_BYTES }
    }

    /// Counts the connection's unfinished messages toward this participant from now on.
    pub(super) fn identified(&mut self, who: ParticipantId) {
        self.unfinished.identified(who);
    }

    /// Starts a wake-up, with a new allowance of bytes to read.
    pub(super) fn begin(&mut self) {
        self.left = MAX_WAKEUP_BYTES;
    }

    /// Returns ready if the connection is within its budget. Otherwise the task is woken as soon as it is.
    pub(super) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.governor.poll_ready(cx)
    }

    /// Returns whether more bytes can be read now.
    pub(super) fn may_read(&self) -> bool {
        self.left > 0 && !self.governor.is_paused()
    }

    /// Counts bytes that were read.
    pub(super) fn read(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count);
        self.governor.bytes(count);
        self.unfinished.read(count, &self.settings);
    }

    /// Counts a message of any kind.
    pub(super) fn message(&mut self, message: &Message) {
        self.governor.frame();
        self.unfinished.whole(message);
    }

    /// Handles a read that returned no bytes, because none are available or the budget is used up. Returns whether to
    /// retry immediately. If not, the task is woken when more bytes can be read.
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

    /// Returns a warning for a client that exceeds its budget, but only occasionally.
    pub(super) fn warning(&mut self) -> Option<Problem> {
        self.governor.warning(&self.settings)
    }

    /// Returns the close code if the connection has to be closed, otherwise `None`.
    pub(super) fn violation(&self) -> Option<CloseCode> {
        let flooded = self.governor.is_flooded(&self.settings).then_some(CloseCode::Abuse);
        flooded.or_else(|| self.unfinished.violation(&self.settings))
    }
}
