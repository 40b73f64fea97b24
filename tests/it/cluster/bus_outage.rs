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

use super::harness::{ClusterHarness, ClusterNode, NEVER_MS, fast_settings};
use crate::fresh_database::{FreshDatabase, laws};
use crate::run::harness::say;
use crate::run::ordered_viewer::{OrderedViewer, TIMEOUT};

laws! {
    liveness_is_signalled_when_a_session_moves_during_a_bus_outage,
    a_command_for_another_live_node_is_refused_at_once,
}

/// A bus that delivers nothing while it reports that it is down.
struct InterruptibleBus {
    bus: Arc<dyn Bus>,
    status: watch::Sender<BusStatus>,
}

impl InterruptibleBus {
    async fn add_node(cluster: &ClusterHarness) -> (ClusterNode, Arc<Self>) {
        let mut made = None;
        // A command that waits for the bus, or for a lease to expire, waits longer than a test takes.
        let settings = ClusterSettings { forward_ms: 600_000, ..fast_settings() };
        let node = cluster.add_node_with_bus(settings, NEVER_MS, |bus| {
            let bus = Arc::new(Self { bus, status: watch::Sender::new(BusStatus::Up) });
            made.insert(bus).clone()
        });
        let node = node.await;
        (node, made.expect("is made"))
    }

    fn disconnect(&self) {
        let since = Instant::now() - Duration::from_secs(10);
        self.status.send_replace(BusStatus::Down { since, reason: "away".into() });
    }

    fn is_up(&self) -> bool {
        self.status.borrow().is_up()
    }
}

#[async_trait]
impl Bus for InterruptibleBus {
    fn node(&self) -> NodeId {
        self.bus.node()
    }

    fn publish(&self, session: SessionId, message: Bytes, urgency: Urgency) {
        if self.is_up() {
            self.bus.publish(session, message, urgency);
        }
    }

    fn follow(&self, session: SessionId) -> BusSubscription {
        self.bus.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, BusRequestError> {
        if self.is_up() { self.bus.ask(node, question, within).await } else { Err(BusRequestError::Late) }
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.status.subscribe()
    }

    fn traffic(&self) -> &BusTraffic {
        self.bus.traffic()
    }
}

/// Returns the `live` field of each liveness signal that the viewer received.
fn liveness_signals(viewer: &OrderedViewer) -> Vec<bool> {
    let data = viewer.signals.iter().filter(|(name, _)| name == "liveness");
    data.map(|(_, data)| data["live"].as_bool().expect("says so")).collect()
}

async fn wait_for_liveness_signals(viewer: &mut OrderedViewer, wanted: &[bool]) {
    let received = async {
        while liveness_signals(viewer) != wanted {
            viewer.next().await;
        }
    };
    if timeout(TIMEOUT, received).await.is_err() {
        panic!("was told {:?} instead of {wanted:?}", liveness_signals(viewer));
    }
}

async fn liveness_is_signalled_when_a_session_moves_during_a_bus_outage(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let ((one, _), (two, bus)) =
        (InterruptibleBus::add_node(&cluster).await, InterruptibleBus::add_node(&cluster).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    let mut viewer = two.open_viewer(session).await;
    bus.disconnect();
    wait_for_liveness_signals(&mut viewer, &[false]).await;
    cluster.expire_lease(&one).await;
    two.submit(session, "c1", say("write")).await.expect("takes the dead node's session over");
    wait_for_liveness_signals(&mut viewer, &[false, true]).await;
    // A later viewer gets no signal: everything is live.
    let mut late = two.open_viewer(session).await;
    late.wait_for("gate.opened").await;
    assert_eq!(liveness_signals(&late), [] as [bool; 0]);
    // Another node takes the session over, and node two learns of it.
    let three = LiveNode { node: NodeId::fresh(), name: "three".into(), version: "1".into(), bus: None };
    cluster.transfer_session(&two, &three, session).await;
    two.submit(session, "c2", say("approve")).await.expect_err("cannot be brought to the third node");
    wait_for_liveness_signals(&mut late, &[false]).await;
    wait_for_liveness_signals(&mut viewer, &[false, true, false]).await;
    // The last signal applies to new viewers.
    wait_for_liveness_signals(&mut two.open_viewer(session).await, &[false]).await;
}

async fn a_command_for_another_live_node_is_refused_at_once(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let ((one, _), (two, bus)) =
        (InterruptibleBus::add_node(&cluster).await, InterruptibleBus::add_node(&cluster).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    bus.disconnect();
    let refused = timeout(TIMEOUT, two.submit(session, "c1", say("write"))).await.expect("at once");
    assert_eq!(refused.expect_err("cannot be brought there").code(), Code::Busy);
    cluster.expire_lease(&one).await;
    two.submit(session, "c1", say("write")).await.expect("can be claimed now");
}
