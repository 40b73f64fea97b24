//! A node without its bus.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use roundtable::bus::{Bus, BusRequestError, BusStatus, BusSubscription, BusTraffic, Urgency};
use roundtable::kernel::*;
use roundtable::node_id::NodeId;
use roundtable::orchestrator::ClusterSettings;
use roundtable::protocol::Code;
use roundtable::store::LiveNode;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::harness::{ClusterHarness, ClusterNode, NEVER, quick};
use crate::fresh_database::{Fresh, laws};
use crate::run::harness::say;
use crate::run::ordered_viewer::{OrderedViewer, PATIENCE};

laws! {
    a_session_that_comes_to_a_node_or_leaves_it_while_the_bus_is_away_is_said_to_be_live_or_not,
    a_command_for_another_living_node_is_refused_at_once,
}

/// A bus that carries nothing while it says that it is away.
struct Absent {
    bus: Arc<dyn Bus>,
    status: watch::Sender<BusStatus>,
}

impl Absent {
    async fn node(cluster: &ClusterHarness) -> (ClusterNode, Arc<Self>) {
        let mut made = None;
        // Commands that wait for the bus, or for a lease to end, wait longer than a test takes.
        let settings = ClusterSettings { forward_ms: 600_000, ..quick() };
        let node = cluster.node_with(settings, NEVER, |bus| {
            let absent = Arc::new(Self { bus, status: watch::Sender::new(BusStatus::Up) });
            made.insert(absent).clone()
        });
        let node = node.await;
        (node, made.expect("is made"))
    }

    fn goes(&self) {
        let since = Instant::now() - Duration::from_secs(10);
        self.status.send_replace(BusStatus::Down { since, reason: "away".into() });
    }

    fn is_here(&self) -> bool {
        self.status.borrow().is_up()
    }
}

#[async_trait]
impl Bus for Absent {
    fn node(&self) -> NodeId {
        self.bus.node()
    }

    fn publish(&self, session: SessionId, news: Bytes, urgency: Urgency) {
        if self.is_here() {
            self.bus.publish(session, news, urgency);
        }
    }

    fn follow(&self, session: SessionId) -> BusSubscription {
        self.bus.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, BusRequestError> {
        if self.is_here() { self.bus.ask(node, question, within).await } else { Err(BusRequestError::Late) }
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.status.subscribe()
    }

    fn traffic(&self) -> &BusTraffic {
        self.bus.traffic()
    }
}

/// Returns whether each liveness signal told the viewer that text is live.
fn told(eye: &OrderedViewer) -> Vec<bool> {
    let data = eye.signals.iter().filter(|(name, _)| name == "liveness");
    data.map(|(_, data)| data["live"].as_bool().expect("says so")).collect()
}

async fn is_told(eye: &mut OrderedViewer, wanted: &[bool]) {
    let heard = async {
        while told(eye) != wanted {
            eye.next().await;
        }
    };
    if timeout(PATIENCE, heard).await.is_err() {
        panic!("was told {:?} instead of {wanted:?}", told(eye));
    }
}

async fn a_session_that_comes_to_a_node_or_leaves_it_while_the_bus_is_away_is_said_to_be_live_or_not(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let ((one, _), (two, bus)) = (Absent::node(&cluster).await, Absent::node(&cluster).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    let mut eye = two.eye(session).await;
    bus.goes();
    is_told(&mut eye, &[false]).await;
    cluster.let_die(&one).await;
    two.does(session, "c1", say("write")).await.expect("takes the dead node's session over");
    is_told(&mut eye, &[false, true]).await;
    // A later viewer gets no signal: everything is live.
    let mut late = two.eye(session).await;
    late.until("gate.opened").await;
    assert_eq!(told(&late), [] as [bool; 0]);
    // Another node takes the session over, and this one finds out.
    let three = LiveNode { node: NodeId::fresh(), name: "three".into(), version: "1".into(), bus: None };
    cluster.give(&two, &three, session).await;
    two.does(session, "c2", say("approve")).await.expect_err("cannot be brought to the third node");
    is_told(&mut late, &[false]).await;
    is_told(&mut eye, &[false, true, false]).await;
    // The last signal applies to new viewers.
    is_told(&mut two.eye(session).await, &[false]).await;
}

async fn a_command_for_another_living_node_is_refused_at_once(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let ((one, _), (two, bus)) = (Absent::node(&cluster).await, Absent::node(&cluster).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    bus.goes();
    let refused = timeout(PATIENCE, two.does(session, "c1", say("write"))).await.expect("at once");
    assert_eq!(refused.expect_err("cannot be brought there").code(), Code::Busy);
    cluster.let_die(&one).await;
    two.does(session, "c1", say("write")).await.expect("can be claimed now");
}
