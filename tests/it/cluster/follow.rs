//! Sessions owned by another node and shown by this one.

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

use super::harness::{ClusterHarness, ClusterNode, NEVER, quick};
use crate::fresh_database::{Fresh, laws};
use crate::run::harness::{run, say};
use crate::run::ordered_viewer::OrderedViewer;

laws! {
    a_run_is_seen_on_every_node_as_it_is_written,
    a_viewer_that_joins_mid_sentence_on_another_node_sees_it_whole,
    a_command_reaches_the_session_from_every_node_and_counts_once,
    news_that_is_lost_is_read_from_the_store,
    everybody_sees_who_watches_wherever_they_do,
    viewers_of_a_node_that_has_died_are_gone,
    an_answer_that_is_ahead_of_its_asker_shows_nothing_before_its_beginning,
    news_is_shown_while_a_node_takes_its_time_to_answer,
}

const TEAM: [&str; 3] = ["demo-fast", "demo-fast", "demo-fast"];

async fn a_run_is_seen_on_every_node_as_it_is_written(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.node(quick()).await, cluster.node(quick()).await);
    let session = one.session(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
    let mut eye = two.eye(session).await;
    one.does(session, "c1", say("write")).await.expect("accepted");
    let begun = eye.until("message.started").await;
    let Fact::MessageStarted { message, .. } = begun.fact else { panic!("began") };
    cluster.model(|model| model.held == 1).await;
    while eye.written(message).is_empty() {
        eye.next().await;
    }
    cluster.demo.release();
    eye.until("gate.opened").await;
    cluster.is_whole(&mut eye, session).await;
    assert_eq!(cluster.owner(session).await, Some(one.me.node), "watching takes nothing");
    let Some(Fact::MessageCompleted { text, .. }) = eye
        .seen
        .iter()
        .map(|event| &event.fact)
        .find(|fact| matches!(fact, Fact::MessageCompleted { message: of, .. } if *of == message))
    else {
        panic!("completed")
    };
    assert_eq!(eye.written(message), **text, "each fragment once, in order");
}

async fn a_viewer_that_joins_mid_sentence_on_another_node_sees_it_whole(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.node(quick()).await, cluster.node(quick()).await);
    let session = one.session(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
    let mut first = one.eye(session).await;
    one.does(session, "c1", say("write")).await.expect("accepted");
    let begun = first.until("message.started").await;
    let Fact::MessageStarted { message, .. } = begun.fact else { panic!("began") };
    cluster.model(|model| model.held == 1).await;
    while first.written(message).chars().count() < 10 {
        first.next().await;
    }
    let mut late = two.eye(session).await;
    while !late.written(message).starts_with(&first.written(message)) {
        late.next().await;
    }
    cluster.demo.release();
    late.until("gate.opened").await;
    cluster.is_whole(&mut late, session).await;
}

async fn a_command_reaches_the_session_from_every_node_and_counts_once(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.node(quick()).await, cluster.node(quick()).await);
    let session = one.session(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
    let first = two.does(session, "c1", say("write")).await.expect("is brought to the other node");
    cluster.model(|model| model.held == 1).await;
    assert_eq!(one.does(session, "c1", say("write")).await.expect("the first answer"), first);
    assert_eq!(two.does(session, "c1", say("write")).await.expect("the first answer"), first);
    let refused = two
        .does(session, "c2", Command::Resume { run: run(&*cluster.store, session).await })
        .await
        .expect_err("nothing is paused");
    assert_eq!(refused.code(), roundtable::protocol::Code::NotPaused, "the other node's very answer");
    let posted = cluster.log(session).await;
    assert_eq!(posted.iter().filter(|event| matches!(event.fact, Fact::MessagePosted { .. })).count(), 1);
    cluster.demo.release();
    two.eye(session).await.until("gate.opened").await;
    two.does(session, "c3", say("approve")).await.expect("accepted");
    one.eye(session).await.until("run.finished").await;
}

/// A bus that publishes nothing, or whose requests wait for a permit.
struct Odd {
    bus: Arc<dyn Bus>,
    says: AtomicBool,
    asking: Semaphore,
}

impl Odd {
    fn deaf(bus: Arc<dyn Bus>) -> Arc<Self> {
        Arc::new(Self { bus, says: false.into(), asking: Semaphore::new(Semaphore::MAX_PERMITS) })
    }

    fn patient(bus: Arc<dyn Bus>) -> Arc<Self> {
        Arc::new(Self { bus, says: true.into(), asking: Semaphore::new(0) })
    }
}

#[async_trait]
impl Bus for Odd {
    fn node(&self) -> NodeId {
        self.bus.node()
    }

    fn publish(&self, session: SessionId, news: Bytes, urgency: Urgency) {
        if self.says.load(Relaxed) {
            self.bus.publish(session, news, urgency);
        }
    }

    fn follow(&self, session: SessionId) -> BusSubscription {
        self.bus.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, BusRequestError> {
        self.asking.acquire().await.expect("is open").forget();
        self.bus.ask(node, question, within).await
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.bus.status()
    }

    fn traffic(&self) -> &BusTraffic {
        self.bus.traffic()
    }
}

async fn news_that_is_lost_is_read_from_the_store(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node_with(quick(), NEVER, |bus| Odd::deaf(bus)).await;
    let two = cluster.node_with(quick(), 20, |bus| bus).await;
    let session = one.session(TEAM).await;
    let mut eye = two.eye(session).await;
    one.does(session, "c1", say("write")).await.expect("accepted");
    eye.until("gate.opened").await;
    cluster.is_whole(&mut eye, session).await;
}

async fn watch(node: &ClusterNode, session: SessionId, number: u128, name: &str) -> OrderedViewer {
    let id = ParticipantId(uuid::Uuid::from_u128(number));
    let actor = Actor::participant(id, ActorKind::User, name);
    OrderedViewer::new(node.feeds.open(session).await.expect("opens").watch_as(id, &actor, 0))
}

async fn everybody_sees_who_watches_wherever_they_do(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.node(quick()).await, cluster.node(quick()).await);
    let session = one.session(TEAM).await;
    let mut ann = watch(&one, session, 1, "Ann").await;
    let mut bob = watch(&two, session, 2, "Bob").await;
    for eye in [&mut ann, &mut bob] {
        eye.until_here(&["Ann", "Bob"]).await;
    }
    drop(bob);
    ann.signals.clear();
    ann.until_here(&["Ann"]).await;
}

async fn viewers_of_a_node_that_has_died_are_gone(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node(quick()).await;
    let session = one.session(TEAM).await;
    let mut ann = watch(&one, session, 1, "Ann").await;
    ann.until_here(&["Ann"]).await;
    let dead = NodeId::fresh();
    let bob = Actor::participant(ParticipantId(uuid::Uuid::from_u128(2)), ActorKind::User, "Bob");
    let here = PeerNotice::Here(NodePresence { node: dead, who: vec![bob], more: 0 });
    let theirs = cluster.hub.join(dead, &BusSettings::default());
    theirs.bus.publish(session, peer_messages::encode(&here), Urgency::Soon);
    ann.until_here(&["Ann", "Bob"]).await;
    ann.signals.clear();
    one.feeds.forget_viewers_of(&[dead]);
    ann.until_here(&["Ann"]).await;
}

/// On a single thread, so that nothing is published between two statements.
#[tokio::test]
async fn presence_is_reported_when_the_last_viewer_leaves_and_repeated_for_a_newcomer() {
    let cluster = ClusterHarness::on(Fresh::sqlite().await).await;
    let (one, two) = (cluster.node(quick()).await, cluster.node(quick()).await);
    let session = one.session(TEAM).await;
    let witness = cluster.hub.join(NodeId::fresh(), &BusSettings::default());
    let mut heard = witness.bus.follow(session);
    let feed = two.feeds.open(session).await.expect("opens");
    let watch = |number: u128, name: &str| {
        let id = ParticipantId(uuid::Uuid::from_u128(number));
        feed.watch_as(id, &Actor::participant(id, ActorKind::User, name), 0)
    };
    let mut said = || {
        let news = std::iter::from_fn(|| heard.next().now_or_never());
        let here = news.filter_map(|heard| match heard {
            InboxItem::News(news) => PeerNotice::read(&news),
            InboxItem::Lost => None,
        });
        here.last().map(|PeerNotice::Here(here)| here.who.iter().map(|who| who.name.to_string()).collect::<Vec<_>>())
    };
    let (ann, bob) = (watch(1, "Ann"), watch(2, "Bob"));
    drop(ann);
    assert_eq!(said(), None, "somebody still watches, and the next look says who");
    let ann = watch(1, "Ann");
    drop(bob);
    assert_eq!(said(), None);
    drop(ann);
    assert_eq!(said(), Some(vec![]), "nobody is here any more");
    let mut again = OrderedViewer::new(watch(3, "Eve"));
    one.does(session, "c1", say("write")).await.expect("accepted");
    again.until("gate.opened").await;
}

async fn an_answer_that_is_ahead_of_its_asker_shows_nothing_before_its_beginning(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let (mut says, mut asks) = (None, None);
    let one = cluster.node_with(quick(), NEVER, |bus| says.insert(Odd::deaf(bus)).clone()).await;
    let two = cluster.node_with(quick(), NEVER, |bus| asks.insert(Odd::patient(bus)).clone()).await;
    let session = one.session(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
    // The node asks what is being written before anything is. The reply comes when the owner is far ahead, and before
    // the owner's news.
    let mut eye = two.eye(session).await;
    eye.next().await;
    one.does(session, "c1", say("write")).await.expect("accepted");
    cluster.model(|model| model.held == 1).await;
    let mut near = one.eye(session).await;
    while near.deltas.is_empty() {
        near.next().await;
    }
    asks.expect("is made").asking.add_permits(Semaphore::MAX_PERMITS);
    while eye.deltas.is_empty() {
        eye.next().await;
    }
    says.expect("is made").says.store(true, Relaxed);
    assert!(eye.names().contains(&"message.started".into()), "{:?}", eye.names());
    cluster.demo.release();
    eye.until("gate.opened").await;
    cluster.is_whole(&mut eye, session).await;
}

async fn news_is_shown_while_a_node_takes_its_time_to_answer(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node(quick()).await;
    let two = cluster.node_with(quick(), NEVER, |bus| Odd::patient(bus)).await;
    let session = one.session(TEAM).await;
    let mut eye = two.eye(session).await;
    eye.next().await;
    one.does(session, "c1", say("write")).await.expect("accepted");
    eye.until("gate.opened").await;
    cluster.is_whole(&mut eye, session).await;
}
