//! Bytes of messages that have begun to arrive and are not whole yet. Each connection may hold a few; beyond that they
//! count towards a budget of the node, or many connections that finish nothing would fill its memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use tokio_tungstenite::tungstenite::protocol::Message;

use super::SocketBounds;
use crate::protocol::CloseCode;

/// Bytes that a control frame has besides its payload: header and mask.
const CONTROL_HEADER: usize = 6;

/// Bytes of unfinished messages of all connections, beyond those that each may hold.
#[derive(Debug, Default)]
pub(super) struct UnfinishedBudget(AtomicUsize);

/// What one connection holds of a message that is not whole yet.
pub(super) struct Unfinished {
    budget: Arc<UnfinishedBudget>,
    bytes: usize,
    /// Part of the bytes that counts towards the budget.
    charged: usize,
    since: Option<Instant>,
    crowded: bool,
}

impl Unfinished {
    pub(super) fn new(budget: Arc<UnfinishedBudget>) -> Self {
        Self { budget, bytes: 0, charged: 0, since: None, crowded: false }
    }

    /// So many bytes were read.
    pub(super) fn read(&mut self, count: usize, bounds: &SocketBounds) {
        if count == 0 {
            return;
        }
        self.bytes += count;
        self.since.get_or_insert_with(Instant::now);
        let more = self.bytes.saturating_sub(bounds.hello_bytes).saturating_sub(self.charged);
        if more > 0 {
            let before = self.budget.0.fetch_add(more, Ordering::Relaxed);
            self.charged += more;
            self.crowded |= before + more > bounds.max_unfinished_bytes;
        }
    }

    /// A message is whole. A ping in the middle of another message ends nothing but itself.
    pub(super) fn whole(&mut self, message: &Message) {
        if matches!(message, Message::Ping(_) | Message::Pong(_)) {
            self.bytes = self.bytes.saturating_sub(message.len() + CONTROL_HEADER);
            if self.bytes == 0 {
                self.since = None;
            }
            return;
        }
        self.release();
        (self.bytes, self.since) = (0, None);
    }

    /// Why the connection has to be closed, if it has.
    pub(super) fn wrong(&self, bounds: &SocketBounds) -> Option<CloseCode> {
        let limit = Duration::from_secs(bounds.message_seconds);
        if self.crowded {
            return Some(CloseCode::Crowded);
        }
        self.since.is_some_and(|since| since.elapsed() >= limit).then_some(CloseCode::Unfinished)
    }

    fn release(&mut self) {
        self.budget.0.fetch_sub(std::mem::take(&mut self.charged), Ordering::Relaxed);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.release();
    }
}
