//! Intervals at which a node checks for missed events, while its bus fails and recovers.

use std::sync::Arc;
use std::time::Duration;

use roundtable::bus::{BusSettings, BusStatus, Hub};
use roundtable::feed::{FeedRegistry, FeedSettings};
use roundtable::node_id::NodeId;
use roundtable::store::Fence;
use servers::random::Random;
use tokio::sync::watch;
use tokio::time::timeout;

use super::faulty_links::{FaultyStoreLink, NodeFaults};
use super::memory_store::MemoryStore;
use super::pause::pause;
use crate::append_builders;

/// Maximum time until a viewer sees an event that no message announces, with the default settings.
const IN_TIME: Duration = Duration::from_secs(1);

fn bus_down(why: &str) -> BusStatus {
    BusStatus::Down { since: tokio::time::Instant::now(), reason: why.into() }
}

/// Checks that a viewer sees an event in time although no message announces it, while `happens` changes the status of
/// the bus.
async fn check_event_is_seen(bounds: FeedSettings, happens: impl AsyncFnOnce(&watch::Sender<BusStatus>)) {
    let memory = Arc::<MemoryStore>::default();
    let store = Arc::new(FaultyStoreLink { memory: memory.clone(), faults: NodeFaults::none(Random::new(1)) });
    let status = watch::Sender::new(BusStatus::Up);
    let feeds = FeedRegistry::new(store, bounds, Some(Hub::new().join(NodeId::fresh(), &BusSettings::default()).bus));
    tokio::spawn(feeds.clone().keep_up(status.subscribe()));
    let session = append_builders::new_session_id();
    let fence = memory.claim_after(session, None, Fence::default()).expect("claims");
    memory.append(&append_builders::append(session, fence, 0, &["begun"])).expect("appends");
    let feed = feeds.open(session).await.expect("opens");
    let mut viewer = feed.watch(1);
    // The first checks have read the store before the event is written.
    pause(100).await;
    memory.append(&append_builders::append(session, fence, 1, &["more"])).expect("appends");
    let sees = async {
        while viewer.seq() < 2 {
            viewer.next().await.expect("goes on");
        }
    };
    let seen = timeout(IN_TIME, sees);
    tokio::select! {
        seen = seen => seen.expect("sees it in time"),
        () = async { happens(&status).await; std::future::pending().await } => {}
    }
}

#[tokio::test(start_paused = true)]
async fn missed_events_are_read_when_the_bus_recovers() {
    let never = FeedSettings { check_ms: 3_600_000, poll_ms: 3_600_000, ..FeedSettings::default() };
    check_event_is_seen(never, async |status| {
        status.send_replace(bus_down("cut"));
        pause(1).await;
        status.send_replace(BusStatus::Up);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn changing_reasons_of_an_outage_do_not_postpone_checks() {
    check_event_is_seen(FeedSettings::default(), async |status| {
        for attempt in 0.. {
            status.send_replace(bus_down(&format!("attempt {attempt}")));
            pause(200).await;
        }
    })
    .await;
}
