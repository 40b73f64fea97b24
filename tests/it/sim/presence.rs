//! Viewers on another node are eventually removed, even without a departure message.

use std::sync::Arc;
use std::time::Duration;

use roundtable::bus::{Bus, BusSettings, Hub, Urgency};
use roundtable::feed::{FeedRegistry, FeedSettings};
use roundtable::kernel::{ParticipantId, SessionId};
use roundtable::node_id::NodeId;
use roundtable::peer_messages::{self, NodePresence, PeerNotice};
use roundtable::store::Fence;
use servers::random::Random;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::faulty_links::{FaultyStoreLink, NodeFaults};
use super::memory_store::MemoryStore;
use super::simulation::person;
use crate::append_builders;
use crate::run::ordered_viewer::OrderedViewer;

/// One session, and nodes that show it.
struct PresenceHarness {
    memory: Arc<MemoryStore>,
    hub: Arc<Hub>,
    session: SessionId,
}

impl PresenceHarness {
    fn new() -> Self {
        let (memory, session) = (Arc::<MemoryStore>::default(), append_builders::new_session_id());
        let fence = memory.claim_after(session, None, Fence::default()).expect("claims");
        memory.append(&append_builders::append(session, fence, 0, &["begun"])).expect("appends");
        Self { memory, hub: Hub::new(), session }
    }

    fn bus(&self) -> Arc<dyn Bus> {
        self.hub.join(NodeId::fresh(), &BusSettings::default()).bus
    }

    fn add_node(&self) -> FeedRegistry {
        let store = Arc::new(FaultyStoreLink { memory: self.memory.clone(), faults: NodeFaults::none(Random::new(1)) });
        FeedRegistry::new(store, FeedSettings::default(), Some(self.bus()))
    }

    /// Opens a viewer of Ann, Bob or Cyd on this node.
    async fn open_viewer(&self, number: u64, on: &FeedRegistry) -> OrderedViewer {
        let feed = on.open(self.session).await.expect("opens");
        OrderedViewer::new(feed.watch_as(ParticipantId(Uuid::from_u128(u128::from(number) + 1)), &person(number), 0))
    }
}

#[tokio::test(start_paused = true)]
async fn participants_on_a_silent_node_are_not_shown() {
    let harness = PresenceHarness::new();
    let node = harness.add_node();
    let mut ann = harness.open_viewer(0, &node).await;
    ann.wait_for_presence(&["Ann"]).await;
    let dies = harness.bus();
    let here = PeerNotice::Here(NodePresence { node: dies.node(), who: vec![person(1)], more: 0 });
    dies.publish(harness.session, peer_messages::encode(&here), Urgency::Now);
    ann.wait_for_presence(&["Ann", "Bob"]).await;
    let (since, silent) = (Instant::now(), Duration::from_secs(60));
    ann.signals.clear();
    timeout(silent, ann.wait_for_presence(&["Ann"])).await.expect("is forgotten");
    assert!(since.elapsed() > Duration::from_secs(20), "a node that is late with its word is no dead one");
}

#[tokio::test(start_paused = true)]
async fn a_participant_who_left_while_nobody_watched_is_not_shown() {
    let harness = PresenceHarness::new();
    let (one, two) = (harness.add_node(), harness.add_node());
    // The feed stays open while nobody watches, as on a node that writes to the session.
    let _kept = one.open(harness.session).await.expect("opens");
    let (mut ann, mut bob) = (harness.open_viewer(0, &one).await, harness.open_viewer(1, &two).await);
    for eye in [&mut ann, &mut bob] {
        eye.wait_for_presence(&["Ann", "Bob"]).await;
    }
    drop(ann);
    bob.signals.clear();
    bob.wait_for_presence(&["Bob"]).await;
    drop(bob);
    let mut again = harness.open_viewer(0, &one).await;
    while again.presence_signals().is_empty() {
        again.next().await;
    }
    assert_eq!(again.presence_signals(), [["Ann"]], "Bob has gone");
    let _cyd = harness.open_viewer(2, &two).await;
    again.wait_for_presence(&["Ann", "Cyd"]).await;
}
