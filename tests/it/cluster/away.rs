//! What a node does while the bus is away.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use roundtable::bus::{AskError, Bus, BusStatus, Following, Traffic, Urgency};
use roundtable::kernel::*;
use roundtable::orchestrator::ClusterSettings;
use roundtable::protocol::Code;
use roundtable::store::NodeId;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::stage::{NEVER, Node, Stage, quick};
use crate::fresh::{Fresh, laws};
use crate::run::bench::say;
use crate::run::eye::PATIENCE;

laws! {
    a_command_for_another_living_node_is_refused_at_once,
}

/// A bus that carries nothing while it says that it is away.
struct Absent {
    bus: Arc<dyn Bus>,
    status: watch::Sender<BusStatus>,
}

impl Absent {
    async fn node(stage: &Stage) -> (Node, Arc<Self>) {
        let mut made = None;
        // A command that waits for the bus, or for a lease to end, waits for longer than a test does.
        let settings = ClusterSettings { reach_ms: 600_000, ..quick() };
        let node = stage.node_with(settings, NEVER, |bus| {
            let absent = Arc::new(Self { bus, status: watch::Sender::new(BusStatus::Up) });
            made.insert(absent).clone()
        });
        let node = node.await;
        (node, made.expect("is made"))
    }

    fn goes(&self) {
        let since = Instant::now() - Duration::from_secs(10);
        self.status.send_replace(BusStatus::Down { since, why: "away".into() });
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

    fn follow(&self, session: SessionId) -> Following {
        self.bus.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, AskError> {
        if self.is_here() { self.bus.ask(node, question, within).await } else { Err(AskError::Late) }
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.status.subscribe()
    }

    fn traffic(&self) -> &Traffic {
        self.bus.traffic()
    }
}

async fn a_command_for_another_living_node_is_refused_at_once(fresh: Fresh) {
    let stage = Stage::on(fresh).await;
    let ((one, _), (two, bus)) = (Absent::node(&stage).await, Absent::node(&stage).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    bus.goes();
    let refused = timeout(PATIENCE, two.does(session, "c1", say("write"))).await.expect("at once");
    assert_eq!(refused.expect_err("cannot be brought there").code(), Code::Busy);
    stage.let_die(&one).await;
    two.does(session, "c1", say("write")).await.expect("can be claimed now");
}
