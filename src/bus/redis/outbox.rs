//! What is to be published, in order, within a bound. Who puts something in never waits.

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

use super::{channel::Address, wire::Part};
use crate::{
    bus::{BusSettings, Traffic, Urgency, traffic::count},
    kernel::SessionId,
    store::NodeId,
};

/// Bytes that go out together, about: an answer to them must come in time.
const BATCH_BYTES: usize = 1 << 20;

/// One thing to be published.
pub(super) struct Item {
    pub(super) address: Address,
    pub(super) part: Part,
    /// Wants to know how many listened.
    pub(super) reached: Option<oneshot::Sender<u64>>,
}

/// What is to be published.
pub(super) struct Outbox {
    waiting: Mutex<Waiting>,
    due: Notify,
    traffic: Arc<Traffic>,
    largest: usize,
    bound: usize,
    window: Duration,
}

#[derive(Default)]
struct Waiting {
    /// A connection is there to take it.
    open: bool,
    /// News could not go out: that is told before all items.
    lost: bool,
    items: VecDeque<Item>,
    bytes: usize,
    /// When the first of it has to go out; none while there is nothing.
    due: Option<Instant>,
    /// When something went out last.
    taken: Option<Instant>,
}

impl Outbox {
    pub(super) fn new(settings: &BusSettings, traffic: Arc<Traffic>) -> Self {
        Self {
            waiting: Mutex::default(),
            due: Notify::new(),
            traffic,
            largest: settings.news_bytes,
            bound: settings.queue_bytes,
            window: Duration::from_millis(settings.window_ms),
        }
    }

    /// Whether it can be sent at all.
    pub(super) fn fits(&self, content: &Bytes) -> bool {
        content.len() <= self.largest
    }

    /// News. What is too large becomes a loss, in its place.
    pub(super) fn tell(&self, session: SessionId, news: Bytes, urgency: Urgency) {
        let part = if self.fits(&news) {
            Part::News(news)
        } else {
            count(&self.traffic.dropped);
            Part::Lost
        };
        self.put(Item { address: Address::Session(session), part, reached: None }, urgency);
    }

    /// To one node, at once.
    pub(super) fn send(&self, node: NodeId, part: Part, reached: Option<oneshot::Sender<u64>>) {
        self.put(Item { address: Address::Node(node), part, reached }, Urgency::Now);
    }

    fn put(&self, item: Item, urgency: Urgency) {
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
        // What comes alone goes at once; what comes close behind waits, so that there is one write in a window at most.
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

    /// From now on there is a connection. If news could not go out before, or may not have reached all, that is told first.
    pub(super) fn open(&self, doubt: bool) {
        let mut waiting = self.waiting.lock();
        waiting.open = true;
        waiting.lost |= doubt;
        waiting.due = waiting.lost.then(Instant::now);
    }

    /// From now on there is none, and nothing waits for the next; these may have gone out, or not.
    pub(super) fn close(&self, batch: &[Item]) {
        let mut waiting = self.waiting.lock();
        waiting.lose(batch, &self.traffic);
        waiting.lose_all(&self.traffic);
        waiting.open = false;
    }

    /// What goes out next, when it is due. Giving up the wait loses nothing.
    pub(super) async fn next(&self) -> Vec<Item> {
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

    fn take(&self) -> Vec<Item> {
        let mut waiting = self.waiting.lock();
        waiting.taken = Some(Instant::now());
        let mut batch = Vec::with_capacity(waiting.items.len() + 1);
        if mem::take(&mut waiting.lost) {
            let address = Address::Everybody;
            batch.push(Item { address, part: Part::AllLost, reached: None });
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
        let published = batch.iter().filter(|item| matches!(item.part, Part::News(_))).count();
        self.traffic.published.fetch_add(published as u64, Relaxed);
        batch
    }
}

impl Waiting {
    fn lose_all(&mut self, traffic: &Traffic) {
        let items = mem::take(&mut self.items);
        self.lose(&items, traffic);
        (self.bytes, self.due) = (0, None);
    }

    /// Who asks is told that nobody was reached, by dropping `reached`; who follows, that news is missing.
    fn lose<'a>(&mut self, items: impl IntoIterator<Item = &'a Item>, traffic: &Traffic) {
        for item in items {
            self.lost |= !matches!(item.address, Address::Node(_));
            // A loss in the place of news was counted when it took that place.
            if !matches!(item.part, Part::Lost | Part::AllLost) {
                count(&traffic.dropped);
            }
        }
    }
}
