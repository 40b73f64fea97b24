//! Viewers at the same position share their reads of the log.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::future::join_all;
use roundtable::feed::{Feed, FeedRegistry, FeedSettings, JsonViewer};
use roundtable::kernel::SessionId;
use roundtable::store::Fence;

use super::faulty_store::FaultyStore;
use crate::append_builders::{append, new_session_id};
use crate::fresh_database::FreshDatabase;
use crate::server::with_timeout;

const EVENTS: u64 = 600;

/// A session with a long log in a store that counts reads, and its feed.
struct ReadHarness {
    store: Arc<FaultyStore>,
    session: SessionId,
    fence: Fence,
    feeds: FeedRegistry,
    feed: Arc<Feed>,
    _fresh: FreshDatabase,
}

impl ReadHarness {
    async fn new(bounds: FeedSettings) -> Self {
        Self::with_events(EVENTS, 300, bounds).await
    }

    async fn with_events(events: u64, bytes: usize, bounds: FeedSettings) -> Self {
        let fresh = FreshDatabase::sqlite().await;
        let store = FaultyStore::new(fresh.open().await.events);
        let session = new_session_id();
        let fence = store.inner.claim(session, None).await.expect("claims");
        let texts: Vec<String> = (0..events).map(|n| format!("{n} {}", "x".repeat(bytes))).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        store.inner.append(append(session, fence, 0, &texts)).await.expect("appends");
        let feeds = FeedRegistry::new(store.clone(), bounds, None);
        let feed = feeds.open(session).await.expect("opens");
        Self { store, session, fence, feeds, feed, _fresh: fresh }
    }

    fn reads(&self) -> u64 {
        self.store.reads.swap(0, Ordering::SeqCst)
    }

    /// Checks that viewers who join at these seqs see the rest of the log.
    async fn check_replays_from(&self, after: impl Iterator<Item = u64>) {
        let whole = crate::append_builders::read_whole_log(&self.store.inner, self.session).await;
        let all = after
            .map(async |after| assert_eq!(read_until_caught_up(self.feed.watch(after)).await, whole[after as usize..]));
        with_timeout(join_all(all)).await;
    }
}

async fn read_until_caught_up(mut watch: JsonViewer) -> Vec<String> {
    let mut seen = vec![];
    loop {
        let frame = watch.next().await.expect("goes on");
        let text = String::from_utf8(frame.to_vec()).expect("UTF-8");
        if text.contains("caught_up") {
            return seen;
        }
        seen.push(text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_replays_of_a_range_read_it_once() {
    let harness = ReadHarness::new(FeedSettings::default()).await;
    harness.check_replays_from((0..200).map(|_| 0)).await;
    assert_eq!(harness.reads(), EVENTS.div_ceil(256));
    harness.check_replays_from((0..200).map(|_| 0)).await;
    assert_eq!(harness.reads(), 0, "and later, while there is room");
    // Viewers at different positions use pages that were read for others.
    harness.check_replays_from((0..200).map(|n| n * 3 % EVENTS)).await;
    assert_eq!(harness.reads(), 0);
    let more = append(harness.session, harness.fence, EVENTS, &["one more"]);
    let events = more.events.clone();
    harness.store.inner.append(more).await.expect("appends");
    harness.feed.publish(&events);
    harness.check_replays_from((0..200).map(|_| EVENTS)).await;
    assert_eq!(harness.reads(), 1, "what is new is read, once");
}

#[tokio::test]
async fn pages_are_evicted_for_others() {
    // One page takes about 80 KiB.
    let harness = ReadHarness::new(FeedSettings { max_shared_page_bytes: 100 << 10, ..FeedSettings::default() }).await;
    for _ in 0..2 {
        harness.check_replays_from([0].into_iter()).await;
        assert_eq!(harness.reads(), 3, "no more than fits is kept");
    }
    let none = ReadHarness::new(FeedSettings { max_shared_page_bytes: 0, ..FeedSettings::default() }).await;
    none.check_replays_from([0, 0].into_iter()).await;
    assert!((3..=6).contains(&none.reads()), "nothing is kept, and what is under way may be shared");
    assert!(!none.feeds.is_empty());
}

#[tokio::test]
async fn a_page_that_ends_early_is_read_on_from_its_end() {
    // The store returns about 1 MiB at a time: three or four of these events. A page can contain all ten.
    let harness = ReadHarness::with_events(10, 300_000, FeedSettings::default()).await;
    harness.check_replays_from([0, 1, 5, 9, 10].into_iter()).await;
    let reads = harness.reads();
    assert!((3..=10).contains(&reads), "{reads}");
}
