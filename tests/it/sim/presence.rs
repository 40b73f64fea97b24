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

use super::faulty_links::{Faults, NodeLinks};
use super::memory::Memory;
use super::world::person;
use crate::append_builders;
use crate::run::ordered_viewer::OrderedViewer;

/// One session, and nodes that show it.
struct Place {
    memory: Arc<Memory>,
    hub: Arc<Hub>,
    session: SessionId,
}

impl Place {
    fn new() -> Self {
        let (memory, session) = (Arc::<Memory>::default(), append_builders::session());
        let fence = memory.claim_after(session, None, Fence::default()).expect("claims");
        memory.append(&append_builders::append(session, fence, 0, &["begun"])).expect("appends");
        Self { memory, hub: Hub::new(), session }
    }

    fn bus(&self) -> Arc<dyn Bus> {
        self.hub.join(NodeId::fresh(), &BusSettings::default()).bus
    }

    fn node(&self) -> FeedRegistry {
        let store = Arc::new(NodeLinks { memory: self.memory.clone(), faults: Faults::none(Random::new(1)) });
        FeedRegistry::new(store, FeedSettings::default(), Some(self.bus()))
    }

    /// Ann, Bob or Cyd watches on this node.
    async fn watches(&self, number: u64, on: &FeedRegistry) -> OrderedViewer {
        let feed = on.open(self.session).await.expect("opens");
        OrderedViewer::new(feed.watch_as(ParticipantId(Uuid::from_u128(u128::from(number) + 1)), &person(number), 0))
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_nodes_participants_are_not_shown() {
    let place = Place::new();
    let node = place.node();
    let mut ann = place.watches(0, &node).await;
    ann.until_here(&["Ann"]).await;
    let dies = place.bus();
    let here = PeerNotice::Here(NodePresence { node: dies.node(), who: vec![person(1)], more: 0 });
    dies.publish(place.session, peer_messages::encode(&here), Urgency::Now);
    ann.until_here(&["Ann", "Bob"]).await;
    let (since, silent) = (Instant::now(), Duration::from_secs(60));
    ann.signals.clear();
    timeout(silent, ann.until_here(&["Ann"])).await.expect("is forgotten");
    assert!(since.elapsed() > Duration::from_secs(20), "a node that is late with its word is no dead one");
}

#[tokio::test(start_paused = true)]
async fn a_participant_who_left_while_nobody_watched_is_not_shown() {
    let place = Place::new();
    let (one, two) = (place.node(), place.node());
    // As on a node that writes the session, which keeps the feed while nobody watches.
    let _kept = one.open(place.session).await.expect("opens");
    let (mut ann, mut bob) = (place.watches(0, &one).await, place.watches(1, &two).await);
    for eye in [&mut ann, &mut bob] {
        eye.until_here(&["Ann", "Bob"]).await;
    }
    drop(ann);
    bob.signals.clear();
    bob.until_here(&["Bob"]).await;
    drop(bob);
    let mut again = place.watches(0, &one).await;
    while again.told_here().is_empty() {
        again.next().await;
    }
    assert_eq!(again.told_here(), [["Ann"]], "Bob has gone");
    let _cyd = place.watches(2, &two).await;
    again.until_here(&["Ann", "Cyd"]).await;
}
