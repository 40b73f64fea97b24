//! Bytes of unfinished messages. Each connection can hold a few. Further bytes count toward a budget of the node, of
//! which one participant can use only a part. Without these limits, connections that finish no message would fill the
//! node's memory and cause the connections of others to be closed.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_tungstenite::tungstenite::protocol::Message;

use super::SocketSettings;
use crate::kernel::ParticipantId;
use crate::limits::{ConcurrencyLimit, ConcurrencyPermit};
use crate::protocol::CloseCode;

/// Bytes of a control frame besides its payload: header and mask.
const CONTROL_HEADER_BYTES: usize = 6;

/// Number by which the budget is divided to get one participant's maximum.
const PARTICIPANT_SHARE: usize = 8;

/// Budget for the bytes of unfinished messages of all connections, beyond the allowance of each connection.
pub(super) type UnfinishedBudget = ConcurrencyLimit<ParticipantId>;

/// Creates the budget for these limits. A message of the maximum size fits into one participant's part, unless it is
/// larger than the whole budget.
pub(super) fn budget(settings: &SocketSettings) -> Arc<UnfinishedBudget> {
    let max = settings.max_unfinished_bytes;
    UnfinishedBudget::new(max, max.div_ceil(PARTICIPANT_SHARE).max(settings.max_frame_bytes).min(max))
}

/// Bytes that one connection holds of an unfinished message.
pub(super) struct UnfinishedMessage {
    budget: Arc<UnfinishedBudget>,
    bytes: usize,
    /// Part of the bytes that counts toward the budget.
    charged: ConcurrencyPermit<ParticipantId>,
    since: Option<Instant>,
    crowded: bool,
}

impl UnfinishedMessage {
    pub(super) fn new(budget: Arc<UnfinishedBudget>) -> Self {
        let charged = budget.none(None);
        Self { budget, bytes: 0, charged, since: None, crowded: false }
    }

    /// Counts the connection's unfinished messages toward this participant from now on.
    pub(super) fn identified(&mut self, who: ParticipantId) {
        self.charged = self.budget.none(Some(who));
    }

    /// Counts bytes that were read.
    pub(super) fn read(&mut self, count: usize, settings: &SocketSettings) {
        if count == 0 {
            return;
        }
        self.bytes += count;
        self.since.get_or_insert_with(Instant::now);
        let more = self.bytes.saturating_sub(settings.max_hello_bytes).saturating_sub(self.charged.count());
        self.crowded |= !self.charged.grow(more);
    }

    /// Records a complete message. A ping or pong within another message does not complete that message.
    pub(super) fn whole(&mut self, message: &Message) {
        if matches!(message, Message::Ping(_) | Message::Pong(_)) {
            self.bytes = self.bytes.saturating_sub(message.len() + CONTROL_HEADER_BYTES);
            if self.bytes == 0 {
                self.since = None;
            }
            return;
        }
        self.charged.clear();
        (self.bytes, self.since) = (0, None);
    }

    /// Returns the close code if the connection has to be closed, otherwise `None`.
    pub(super) fn violation(&self, settings: &SocketSettings) -> Option<CloseCode> {
        let limit = Duration::from_secs(settings.message_seconds);
        if self.crowded {
            return Some(CloseCode::Crowded);
        }
        self.since.is_some_and(|since| since.elapsed() >= limit).then_some(CloseCode::Unfinished)
    }
}
