//! Queue of messages to publish, in order and bounded. Adding a message never waits.

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::{
    sync::{Notify, oneshot},
    time::{Instant, sleep_until},
};

use super::{channel::BusAddress, wire::MessagePart};
use crate::bus::traffic::count;
use crate::bus::{BusSettings, BusTraffic, Urgency};
use crate::kernel::SessionId;
use crate::node_id::NodeId;

/// Approximate size limit of a batch, in bytes. The reply to a larger batch could exceed its timeout.
const BATCH_BYTES: usize = 1 << 20;

/// One message to publish.
pub(super) struct OutboxMessage {
    pub(super) address: BusAddress,
    pub(super) part: MessagePart,
    /// Receives the number of listeners that the message reached. `None` if no requester waits for it.
    pub(super) reached: Option<oneshot::Sender<u64>>,
}

/// The queue of messages to publish.
pub(super) struct Outbox {
    waiting: Mutex<OutboxQueue>,
    due: Notify,
    traffic: Arc<BusTraffic>,
    largest: usize,
    bound: usize,
    window: Duration,
}

#[derive(Default)]
struct OutboxQueue {
    /// True if a connection accepts messages.
    open: bool,
    /// True if messages were dropped. The loss is published before all items.
    lost: bool,
    items: VecDeque<OutboxMessage>,
    bytes: usize,
    /// Moment at which the next batch has to be sent. `None` if nothing is queued.
    due: Option<Instant>,
    /// Time of the last batch.
    taken: Option<Instant>,
}

impl Outbox {
    pub(super) fn new(settings: &BusSettings, traffic: Arc<BusTraffic>) -> Self {
        Self {
            waiting: Mutex::default(),
            due: Notify::new(),
            traffic,
            largest: settings.max_message_bytes,
            bound: settings.max_queue_bytes,
            window: Duration::from_millis(settings.batch_delay_ms),
        }
    }

    /// Returns whether `content` is small enough to be sent.
    pub(super) fn fits(&self, content: &Bytes) -> bool {
        content.len() <= self.largest
    }

    /// Queues a message for a session. A message that is too large becomes a loss at the same place in the queue.
    pub(super) fn publish(&self, session: SessionId, message: Bytes, urgency: Urgency) {
        let part = if self.fits(&message) {
            MessagePart::Publication(message)
        } else {
            count(&self.traffic.dropped);
            MessagePart::Lost
        };
        self.put(OutboxMessage { address: BusAddress::Session(session), part, reached: None }, urgency);
    }

    /// Queues a message for one node, to be sent immediately.
    pub(super) fn send(&self, node: NodeId, part: MessagePart, reached: Option<oneshot::Sender<u64>>) {
        self.put(OutboxMessage { address: BusAddress::Node(node), part, reached }, Urgency::Now);
    }

    fn put(&self, item: OutboxMessage, urgency: Urgency) {
        let mut waiting = self.waiting.lock();
        if !waiting.open {
            waiting.lose([&item], &self.traffic);
            return;
        }
        let size = item.part.size();
        if waiting.bytes + size > self.bound {
            waiting.lose_all(&self.traffic);
        }
        waiting.bytes += size;
        waiting.items.push_back(item);
        // A message after a pause is sent immediately. A message that follows closely and is not urgent waits, so that
        // there is at most one write per window.
        let now = Instant::now();
        let soon = match waiting.taken {
            Some(taken) if urgency == Urgency::Soon => now.max(taken + self.window),
            _ => now,
        };
        if waiting.due.is_none_or(|due| soon < due) {
            waiting.due = Some(soon);
            drop(waiting);
            self.due.notify_one();
        }
    }

    /// Opens the queue for a new connection. A loss is published first if messages were dropped, or if `doubt` says
    /// that messages might not have reached all nodes.
    pub(super) fn open(&self, doubt: bool) {
        let mut waiting = self.waiting.lock();
        waiting.open = true;
        waiting.lost |= doubt;
        waiting.due = waiting.lost.then(Instant::now);
    }

    /// Closes the queue and drops its messages, because messages do not wait for the next connection. The messages of
    /// `batch` might have been sent.
    pub(super) fn close(&self, batch: &[OutboxMessage]) {
        let mut waiting = self.waiting.lock();
        waiting.lose(batch, &self.traffic);
        waiting.lose_all(&self.traffic);
        waiting.open = false;
    }

    /// Returns the next batch when it is due. Cancel-safe: a cancelled wait loses nothing.
    pub(super) async fn next(&self) -> Vec<OutboxMessage> {
        loop {
            let due = self.waiting.lock().due;
            match due {
                None => self.due.notified().await,
                Some(due) if due <= Instant::now() => return self.take(),
                Some(due) => tokio::select! {
                    () = sleep_until(due) => {}
                    () = self.due.notified() => {}
                },
            }
        }
    }

    fn take(&self) -> Vec<OutboxMessage> {
        let mut waiting = self.waiting.lock();
        waiting.taken = Some(Instant::now());
        let mut batch = Vec::with_capacity(waiting.items.len() + 1);
        if mem::take(&mut waiting.lost) {
            let address = BusAddress::Everybody;
            batch.push(OutboxMessage { address, part: MessagePart::AllLost, reached: None });
        }
        let mut bytes = 0;
        while bytes < BATCH_BYTES
            && let Some(item) = waiting.items.pop_front()
        {
            bytes += item.part.size();
            batch.push(item);
        }
        waiting.bytes -= bytes;
        if waiting.items.is_empty() {
            waiting.due = None;
        }
        let published = batch.iter().filter(|item| matches!(item.part, MessagePart::Publication(_))).count();
        self.traffic.published.fetch_add(published as u64, Relaxed);
        batch
    }
}

impl OutboxQueue {
    fn lose_all(&mut self, traffic: &BusTraffic) {
        let items = mem::take(&mut self.items);
        self.lose(&items, traffic);
        (self.bytes, self.due) = (0, None);
    }

    /// Drops items. Requesters get an error, because `reached` is dropped; followers learn that messages are missing.
    fn lose<'a>(&mut self, items: impl IntoIterator<Item = &'a OutboxMessage>, traffic: &BusTraffic) {
        for item in items {
            self.lost |= !matches!(item.address, BusAddress::Node(_));
            // A loss that replaces a message was already counted when it was queued.
            if !matches!(item.part, MessagePart::Lost | MessagePart::AllLost) {
                count(&traffic.dropped);
            }
        }
    }
}
