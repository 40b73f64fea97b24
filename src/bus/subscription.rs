//! A follower's inbox: a bounded queue of messages that were received but not yet taken.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::followers::Followers;
use crate::kernel::SessionId;

/// An item of a follower's inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboxItem {
    /// A message, as it was published.
    Message(Bytes),
    /// Earlier messages might be missing. The follower has to read the store.
    Lost,
}

/// Approximate memory overhead per message, in bytes.
const MESSAGE_OVERHEAD_BYTES: usize = 64;

/// Messages that one follower has not yet taken.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    waiting: Mutex<InboxQueue>,
    grown: Notify,
}

/// The queue of an inbox. If `lost` is set, the loss precedes all waiting messages.
#[derive(Debug, Default)]
struct InboxQueue {
    lost: bool,
    messages: VecDeque<Bytes>,
    bytes: usize,
}

impl Inbox {
    /// Adds a message. Returns false if the inbox was full; all earlier messages are then replaced by a loss.
    pub(super) fn put(&self, message: Bytes, bound: usize) -> bool {
        let mut waiting = self.waiting.lock();
        let fits = waiting.messages.is_empty() || waiting.bytes + message.len() + MESSAGE_OVERHEAD_BYTES <= bound;
        if !fits {
            *waiting = InboxQueue { lost: true, ..InboxQueue::default() };
        }
        waiting.bytes += message.len() + MESSAGE_OVERHEAD_BYTES;
        waiting.messages.push_back(message);
        drop(waiting);
        self.grown.notify_one();
        fits
    }

    /// Records a loss and discards all waiting messages, because the store has them too.
    pub(super) fn lose(&self) {
        *self.waiting.lock() = InboxQueue { lost: true, ..InboxQueue::default() };
        self.grown.notify_one();
    }

    fn take(&self) -> Option<InboxItem> {
        let mut waiting = self.waiting.lock();
        if std::mem::take(&mut waiting.lost) {
            return Some(InboxItem::Lost);
        }
        let message = waiting.messages.pop_front()?;
        waiting.bytes -= message.len() + MESSAGE_OVERHEAD_BYTES;
        Some(InboxItem::Message(message))
    }
}

/// A subscription to a session's messages. It ends when it is dropped.
#[must_use = "dropping it ends the subscription"]
pub struct BusSubscription {
    session: SessionId,
    inbox: Arc<Inbox>,
    followers: Arc<Followers>,
}

impl BusSubscription {
    pub(super) fn new(session: SessionId, inbox: Arc<Inbox>, followers: Arc<Followers>) -> Self {
        Self { session, inbox, followers }
    }

    /// Waits for the next item. Cancel-safe: a cancelled wait loses nothing.
    pub async fn next(&mut self) -> InboxItem {
        loop {
            if let Some(item) = self.inbox.take() {
                return item;
            }
            self.inbox.grown.notified().await;
        }
    }
}

impl Drop for BusSubscription {
    fn drop(&mut self) {
        self.followers.leave(self.session, &self.inbox);
    }
}
