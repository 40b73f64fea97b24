//! Sessions that are owned by another node and shown on this one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::FutureExt;
use roundtable::bus::{Bus, BusRequestError, BusSettings, BusStatus, BusSubscription, BusTraffic, InboxItem, Urgency};
use roundtable::kernel::*;
use roundtable::node_id::NodeId;
use roundtable::peer_messages::{self, NodePresence, PeerNotice};
use tokio::sync::{Semaphore, watch};

use super::harness::{ClusterHarness, ClusterNode, NEVER_MS, fast_settings};
use crate::fresh_database::{FreshDatabase, laws};
use crate::run::harness::{newest_run, say};
use crate::run::ordered_viewer::OrderedViewer;

laws! {
    every_node_shows_a_run_as_it_is_written,
    a_viewer_that_joins_mid_message_on_another_node_gets_the_whole_text,
    a_command_reaches_the_session_from_every_node_and_counts_once,
    lost_events_are_read_from_the_store,
    presence_is_shared_between_nodes,
    viewers_of_a_dead_node_are_removed,
    a_reply_ahead_of_the_viewer_shows_no_text_before_its_message_started,
    events_are_shown_while_another_node_is_slow_to_reply,
}

const TEAM: [&str; 3] = ["demo-fast", "demo-fast", "demo-fast"];

async fn every_node_shows_a_run_as_it_is_written(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.add_node(fast_settings()).await, cluster.add_node(fast_settings()).await);
    let session = one.session(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
    let mut viewer = two.open_viewer(session).await;
    one.submit(session, "c1", say("write")).await.expect("accepted");
    let started = viewer.wait_for("message.started").await;
    let Fact::MessageStarted { message, .. } = started.fact else { panic!("began") };
    cluster.wait_for_model(|model| model.held == 1).await;
    while viewer.text_of(message).is_empty() {
        viewer.next().await;
    }
    cluster.demo.release();
    viewer.wait_for("gate.opened").await;
    cluster.assert_sees_whole_log(&mut viewer, session).await;
    assert_eq!(cluster.owner(session).await, Some(one.me.node), "watching takes nothing");
    let Some(Fact::MessageCompleted { text, .. }) = viewer
        .seen
        .iter()
        .map(|event| &event.fact)
        .find(|fact| matches!(fact, Fact::MessageCompleted { message: of, .. } if *of == message))
    else {
        panic!("completed")
    };
    assert_eq!(viewer.text_of(message), **text, "each fragment once, in order");
}

async fn a_viewer_that_joins_mid_message_on_another_node_gets_the_whole_text(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.add_node(fast_settings()).await, cluster.add_node(fast_settings()).await);
    let session = one.session(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
    let mut first = one.open_viewer(session).await;
    one.submit(session, "c1", say("write")).await.expect("accepted");
    let started = first.wait_for("message.started").await;
    let Fact::MessageStarted { message, .. } = started.fact else { panic!("began") };
    cluster.wait_for_model(|model| model.held == 1).await;
    while first.text_of(message).chars().count() < 10 {
        first.next().await;
    }
    let mut late = two.open_viewer(session).await;
    while !late.text_of(message).starts_with(&first.text_of(message)) {
        late.next().await;
    }
    cluster.demo.release();
    late.wait_for("gate.opened").await;
    cluster.assert_sees_whole_log(&mut late, session).await;
}

async fn a_command_reaches_the_session_from_every_node_and_counts_once(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.add_node(fast_settings()).await, cluster.add_node(fast_settings()).await);
    let session = one.session(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
    let first = two.submit(session, "c1", say("write")).await.expect("is brought to the other node");
    cluster.wait_for_model(|model| model.held == 1).await;
    assert_eq!(one.submit(session, "c1", say("write")).await.expect("the first answer"), first);
    assert_eq!(two.submit(session, "c1", say("write")).await.expect("the first answer"), first);
    let refused = two
        .submit(session, "c2", Command::Resume { run: newest_run(&*cluster.store, session).await })
        .await
        .expect_err("nothing is paused");
    assert_eq!(refused.code(), roundtable::protocol::Code::NotPaused, "the other node's very answer");
    let posted = cluster.log(session).await;
    assert_eq!(posted.iter().filter(|event| matches!(event.fact, Fact::MessagePosted { .. })).count(), 1);
    cluster.demo.release();
    two.open_viewer(session).await.wait_for("gate.opened").await;
    two.submit(session, "c3", say("approve")).await.expect("accepted");
    one.open_viewer(session).await.wait_for("run.finished").await;
}

/// A bus that publishes nothing, or whose requests wait for a permit.
struct FaultyBus {
    bus: Arc<dyn Bus>,
    publishes: AtomicBool,
    request_permits: Semaphore,
}

impl FaultyBus {
    fn without_publishing(bus: Arc<dyn Bus>) -> Arc<Self> {
        Arc::new(Self { bus, publishes: false.into(), request_permits: Semaphore::new(Semaphore::MAX_PERMITS) })
    }

    fn with_held_requests(bus: Arc<dyn Bus>) -> Arc<Self> {
        Arc::new(Self { bus, publishes: true.into(), request_permits: Semaphore::new(0) })
    }
}

#[async_trait]
impl Bus for FaultyBus {
    fn node(&self) -> NodeId {
        self.bus.node()
    }

    fn publish(&self, session: SessionId, message: Bytes, urgency: Urgency) {
        if self.publishes.load(Relaxed) {
            self.bus.publish(session, message, urgency);
        }
    }

    fn follow(&self, session: SessionId) -> BusSubscription {
        self.bus.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, BusRequestError> {
        self.request_permits.acquire().await.expect("is open").forget();
        self.bus.ask(node, question, within).await
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.bus.status()
    }

    fn traffic(&self) -> &BusTraffic {
        self.bus.traffic()
    }
}

async fn lost_events_are_read_from_the_store(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node_with_bus(fast_settings(), NEVER_MS, |bus| FaultyBus::without_publishing(bus)).await;
    let two = cluster.add_node_with_bus(fast_settings(), 20, |bus| bus).await;
    let session = one.session(TEAM).await;
    let mut viewer = two.open_viewer(session).await;
    one.submit(session, "c1", say("write")).await.expect("accepted");
    viewer.wait_for("gate.opened").await;
    cluster.assert_sees_whole_log(&mut viewer, session).await;
}

async fn open_viewer_as(node: &ClusterNode, session: SessionId, number: u128, name: &str) -> OrderedViewer {
    let id = ParticipantId(uuid::Uuid::from_u128(number));
    let actor = Actor::participant(id, ActorKind::User, name);
    OrderedViewer::new(node.feeds.open(session).await.expect("opens").watch_as(id, &actor, 0))
}

async fn presence_is_shared_between_nodes(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.add_node(fast_settings()).await, cluster.add_node(fast_settings()).await);
    let session = one.session(TEAM).await;
    let mut ann = open_viewer_as(&one, session, 1, "Ann").await;
    let mut bob = open_viewer_as(&two, session, 2, "Bob").await;
    for viewer in [&mut ann, &mut bob] {
        viewer.wait_for_presence(&["Ann", "Bob"]).await;
    }
    drop(bob);
    ann.signals.clear();
    ann.wait_for_presence(&["Ann"]).await;
}

async fn viewers_of_a_dead_node_are_removed(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node(fast_settings()).await;
    let session = one.session(TEAM).await;
    let mut ann = open_viewer_as(&one, session, 1, "Ann").await;
    ann.wait_for_presence(&["Ann"]).await;
    let dead = NodeId::fresh();
    let bob = Actor::participant(ParticipantId(uuid::Uuid::from_u128(2)), ActorKind::User, "Bob");
    let here = PeerNotice::Here(NodePresence { node: dead, who: vec![bob], more: 0 });
    let theirs = cluster.hub.join(dead, &BusSettings::default());
    theirs.bus.publish(session, peer_messages::encode(&here), Urgency::Soon);
    ann.wait_for_presence(&["Ann", "Bob"]).await;
    ann.signals.clear();
    one.feeds.forget_viewers_of(&[dead]);
    ann.wait_for_presence(&["Ann"]).await;
}

/// Runs on a single thread, so that nothing is published between two statements.
#[tokio::test]
async fn presence_is_reported_when_the_last_viewer_leaves_and_repeated_for_a_newcomer() {
    let cluster = ClusterHarness::on(FreshDatabase::sqlite().await).await;
    let (one, two) = (cluster.add_node(fast_settings()).await, cluster.add_node(fast_settings()).await);
    let session = one.session(TEAM).await;
    let witness = cluster.hub.join(NodeId::fresh(), &BusSettings::default());
    let mut subscription = witness.bus.follow(session);
    let feed = two.feeds.open(session).await.expect("opens");
    let watch = |number: u128, name: &str| {
        let id = ParticipantId(uuid::Uuid::from_u128(number));
        feed.watch_as(id, &Actor::participant(id, ActorKind::User, name), 0)
    };
    let mut last_presence = || {
        let received = std::iter::from_fn(|| subscription.next().now_or_never());
        let here = received.filter_map(|item| match item {
            InboxItem::Message(message) => PeerNotice::read(&message),
            InboxItem::Lost => None,
        });
        here.last().map(|PeerNotice::Here(here)| here.who.iter().map(|who| who.name.to_string()).collect::<Vec<_>>())
    };
    let (ann, bob) = (watch(1, "Ann"), watch(2, "Bob"));
    drop(ann);
    assert_eq!(last_presence(), None, "somebody still watches, and the next look says who");
    let ann = watch(1, "Ann");
    drop(bob);
    assert_eq!(last_presence(), None);
    drop(ann);
    assert_eq!(last_presence(), Some(vec![]), "nobody is here any more");
    let mut again = OrderedViewer::new(watch(3, "Eve"));
    one.submit(session, "c1", say("write")).await.expect("accepted");
    again.wait_for("gate.opened").await;
}

async fn a_reply_ahead_of_the_viewer_shows_no_text_before_its_message_started(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let (mut publisher, mut requester) = (None, None);
    let one = cluster
        .add_node_with_bus(fast_settings(), NEVER_MS, |bus| {
            publisher.insert(FaultyBus::without_publishing(bus)).clone()
        })
        .await;
    let two = cluster
        .add_node_with_bus(fast_settings(), NEVER_MS, |bus| {
            requester.insert(FaultyBus::with_held_requests(bus)).clone()
        })
        .await;
    let session = one.session(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
    // The node requests the running messages before there are any. The reply arrives when the owner is far ahead, and
    // before the messages that the owner publishes.
    let mut viewer = two.open_viewer(session).await;
    viewer.next().await;
    one.submit(session, "c1", say("write")).await.expect("accepted");
    cluster.wait_for_model(|model| model.held == 1).await;
    let mut near = one.open_viewer(session).await;
    while near.deltas.is_empty() {
        near.next().await;
    }
    requester.expect("is made").request_permits.add_permits(Semaphore::MAX_PERMITS);
    while viewer.deltas.is_empty() {
        viewer.next().await;
    }
    publisher.expect("is made").publishes.store(true, Relaxed);
    assert!(viewer.event_names().contains(&"message.started".into()), "{:?}", viewer.event_names());
    cluster.demo.release();
    viewer.wait_for("gate.opened").await;
    cluster.assert_sees_whole_log(&mut viewer, session).await;
}

async fn events_are_shown_while_another_node_is_slow_to_reply(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node(fast_settings()).await;
    let two = cluster.add_node_with_bus(fast_settings(), NEVER_MS, |bus| FaultyBus::with_held_requests(bus)).await;
    let session = one.session(TEAM).await;
    let mut viewer = two.open_viewer(session).await;
    viewer.next().await;
    one.submit(session, "c1", say("write")).await.expect("accepted");
    viewer.wait_for("gate.opened").await;
    cluster.assert_sees_whole_log(&mut viewer, session).await;
}
