//! Shared cache of log pages. Thousands of viewers that reconnect at about the same position cause one or two reads,
//! and all of them get the same bytes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt, Shared};
use parking_lot::Mutex;
use tracing::Instrument;

use super::{FeedSettings, frame};
use crate::kernel::SessionId;
use crate::store::{EventStore, StoredEvent};
use crate::store_error::StoreError;
use crate::telemetry::{log_spans, metrics};

/// The page reads of this node: those in progress, and a cache of the latest completed ones.
pub(super) struct PageCache {
    store: Arc<dyn EventStore>,
    max_page_events: u32,
    max_bytes: usize,
    reads: Mutex<PageReads>,
}

/// The session, and the seq after which the page starts.
type PageKey = (SessionId, u64);
type PageRead = Shared<BoxFuture<'static, Result<Arc<EventPage>, StoreError>>>;

#[derive(Default)]
struct PageReads {
    reads: BTreeMap<PageKey, PageRead>,
    /// Completed reads with their sizes in bytes, oldest first. A log changes only by redactions, so reads are
    /// otherwise evicted only to free memory.
    done: VecDeque<(PageKey, usize)>,
    bytes: usize,
}

/// The events of one read.
struct EventPage {
    /// Seq of the first event.
    first: u64,
    /// End of each event in `framed`.
    ends: Vec<usize>,
    /// The exact bytes that are written to sockets.
    framed: Bytes,
}

/// Framed events of a log, in order.
pub(super) struct FramePage {
    /// Seq of the last event.
    pub(super) last: u64,
    /// The exact bytes that are written to sockets.
    pub(super) framed: Bytes,
}

impl PageCache {
    pub(super) fn new(store: Arc<dyn EventStore>, settings: &FeedSettings) -> Arc<Self> {
        let (max_page_events, max_bytes) = (settings.max_page_events, settings.max_shared_page_bytes);
        Arc::new(Self { store, max_page_events, max_bytes, reads: Mutex::default() })
    }

    /// Returns events after `after` up to `through`, as many as one read contains. Never empty while there are such
    /// events.
    pub(super) async fn after(
        self: &Arc<Self>,
        session: SessionId,
        after: u64,
        through: u64,
    ) -> Result<FramePage, StoreError> {
        loop {
            let (from, read) = self.read(session, after);
            match read.await?.cut(after, through) {
                Some(page) => return Ok(page),
                None if from == after => return Err(StoreError::corrupt("the log ends before its head")),
                // The read of another viewer ended before this position, which happens with large events. It is not
                // chosen again.
                None => {}
            }
        }
    }

    /// Returns a read that contains, or will contain, the events after `after`, and the seq after which it starts: a
    /// new read, or that of another viewer slightly further behind.
    fn read(self: &Arc<Self>, session: SessionId, after: u64) -> (u64, PageRead) {
        let mut reads = self.reads.lock();
        let nearest = reads.reads.range((session, 0)..=(session, after)).next_back();
        if let Some((&(_, from), read)) = nearest {
            let reaches = match read.peek() {
                Some(Ok(sheet)) => sheet.cut(after, u64::MAX).is_some(),
                Some(Err(_)) => false,
                None => after - from < u64::from(self.max_page_events),
            };
            if reaches {
                return (from, read.clone());
            }
        }
        // A separate task, so that the read completes even if its first viewer leaves.
        let fetch = self.clone().fetch((session, after)).instrument(log_spans::own_session(session));
        let task = tokio::spawn(fetch);
        let lost = |_| Err(StoreError::unavailable("the read was cancelled"));
        let read = task.map(move |read| read.unwrap_or_else(lost)).boxed().shared();
        reads.reads.insert((session, after), read.clone());
        (after, read)
    }

    /// Discards the reads of a session, because they might contain erased text. Pages are read only by viewers of a
    /// feed, and the feed learns of every redaction.
    pub(super) fn forget(&self, session: SessionId) {
        let mut reads = self.reads.lock();
        reads.reads.retain(|(of, _), _| *of != session);
        let gone: usize = reads.done.iter().filter(|((of, _), _)| *of == session).map(|(_, weight)| weight).sum();
        reads.done.retain(|((of, _), _)| *of != session);
        reads.bytes -= gone;
    }

    async fn fetch(self: Arc<Self>, key: PageKey) -> Result<Arc<EventPage>, StoreError> {
        metrics().page_reads.inc();
        let read = self.store.read(key.0, key.1, self.max_page_events).await;
        let sheet = read.map(|events| Arc::new(EventPage::new(key.1, &events)));
        let weight = sheet.as_ref().ok().filter(|sheet| !sheet.ends.is_empty()).map(|sheet| sheet.weight());
        self.reads.lock().settle(key, weight, self.max_bytes);
        sheet
    }
}

impl PageReads {
    /// Completes a read. A read without a weight failed or is empty, and is not cached.
    fn settle(&mut self, key: PageKey, weight: Option<usize>, max_bytes: usize) {
        let Some(weight) = weight else {
            self.reads.remove(&key);
            return;
        };
        self.done.push_back((key, weight));
        self.bytes += weight;
        while self.bytes > max_bytes
            && let Some((oldest, weight)) = self.done.pop_front()
        {
            self.reads.remove(&oldest);
            self.bytes -= weight;
        }
    }
}

impl EventPage {
    fn new(after: u64, events: &[StoredEvent]) -> Self {
        let bytes = events.iter().map(|stored| stored.frame.len() + frame::header_len(stored.frame.len())).sum();
        let (mut framed, mut ends) = (Vec::with_capacity(bytes), Vec::with_capacity(events.len()));
        for stored in events {
            frame::push_text(&mut framed, &stored.frame);
            ends.push(framed.len());
        }
        Self { first: after + 1, ends, framed: framed.into() }
    }

    /// Returns the events after `after` up to `through` that this read contains. `None` if it contains none.
    fn cut(&self, after: u64, through: u64) -> Option<FramePage> {
        let end_of = |seq: u64| match seq.checked_sub(self.first) {
            Some(index) => self.ends.get(usize::try_from(index).ok()?).copied(),
            None => Some(0),
        };
        let last = through.min((self.first - 1).saturating_add(self.ends.len() as u64));
        if last <= after {
            return None;
        }
        Some(FramePage { last, framed: self.framed.slice(end_of(after)?..end_of(last)?) })
    }

    fn weight(&self) -> usize {
        self.framed.len() + self.ends.len() * size_of::<usize>() + 512
    }
}
