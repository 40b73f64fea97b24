//! Limits of one connection, so that it does not slow down the others: its rate, its unfinished messages, and the bytes
//! that it reads per turn.

use std::sync::Arc;
use std::task::{Context, Poll};

use tokio_tungstenite::tungstenite::protocol::Message;

use super::SocketSettings;
use super::frame_rate_limit::FrameRateLimiter;
use super::unfinished_messages::{UnfinishedBudget, UnfinishedMessage};
use crate::kernel::ParticipantId;
use crate::protocol::{CloseCode, Problem};

/// Maximum number of bytes read per turn. The library reads fragments of a message in a loop while there are bytes.
pub(super) const MAX_WAKEUP_BYTES: usize = 64 << 10;

/// The limits of one connection.
pub(super) struct ReadBudget {
    settings: Arc<SocketSettings>,
    governor: FrameRateLimiter,
    unfinished: UnfinishedMessage,
    /// Bytes that can still be read in this turn.
    left: usize,
}

impl ReadBudget {
    pub(super) fn new(settings: Arc<SocketSettings>, budget: Arc<UnfinishedBudget>) -> Self {
        let governor = FrameRateLimiter::new(&settings);
        Self { settings, governor, unfinished: UnfinishedMessage::new(budget), left: MAX_WAKEUP_BYTES }
    }

    /// Counts the connection toward this participant from now on.
    pub(super) fn identified(&mut self, who: ParticipantId) {
        self.unfinished.identified(who);
    }

    /// Starts a turn.
    pub(super) fn begin(&mut self) {
        self.left = MAX_WAKEUP_BYTES;
    }

    /// Returns ready while the connection is within its budget.
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

    /// Handles the end of available bytes. Returns whether to retry immediately; otherwise the task is woken when there
    /// is more.
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

    /// Returns an occasional warning for a client that exceeds its budget.
    pub(super) fn warning(&mut self) -> Option<Problem> {
        self.governor.warning(&self.settings)
    }

    /// Returns the close code if the connection has to be closed.
    pub(super) fn violation(&self) -> Option<CloseCode> {
        let flooded = self.governor.is_flooded(&self.settings).then_some(CloseCode::Abuse);
        flooded.or_else(|| self.unfinished.violation(&self.settings))
    }
}
