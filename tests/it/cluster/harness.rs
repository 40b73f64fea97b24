//! Several nodes on one database and one bus.

use std::sync::Arc;
use std::time::Duration;

use roundtable::bus::{Bus, BusSettings, Hub};
use roundtable::demo_model::{DemoCounters, DemoModel, DemoSettings};
use roundtable::feed::{FeedRegistry, FeedSettings};
use roundtable::kernel::*;
use roundtable::node_id::NodeId;
use roundtable::orchestrator::{Cluster, ClusterSettings, OrchestratorSettings, SessionRegistry};
use roundtable::protocol::Problem;
use roundtable::store::{EventStore, LeaseStore, LiveNode};
use roundtable::tool::Toolbox;
use uuid::Uuid;

use crate::fresh_database::FreshDatabase;
use crate::run::harness::{models, read_log, say, sender, team, wait_for_model};
use crate::run::ordered_viewer::OrderedViewer;

/// Milliseconds between position checks, longer than any test, so that a node can learn of events only over the bus.
pub(super) const NEVER_MS: u64 = 600_000;

/// Returns settings with frequent scans for takeovers, so that tests need not wait long, and with leases that outlast
/// every test.
pub(super) fn fast_settings() -> ClusterSettings {
    ClusterSettings { lease_ms: 600_000, renew_ms: 200_000, takeover_ms: 20, ..ClusterSettings::default() }
}

/// A cluster: the database, the bus and the model that the nodes share.
pub(super) struct ClusterHarness {
    fresh: FreshDatabase,
    pub(super) store: Arc<dyn EventStore>,
    leases: Arc<dyn LeaseStore>,
    pub(super) hub: Arc<Hub>,
    pub(super) demo: DemoModel,
}

/// A node of the cluster.
pub(super) struct ClusterNode {
    pub(super) me: LiveNode,
    pub(super) session_registry: SessionRegistry,
    pub(super) feeds: FeedRegistry,
}

impl ClusterHarness {
    pub(super) async fn on(fresh: FreshDatabase) -> Self {
        let engines = fresh.open().await;
        let demo = DemoModel::start(DemoSettings::fast()).await.expect("listens");
        Self { fresh, store: engines.events, leases: engines.leases, hub: Hub::new(), demo }
    }

    /// Adds a node.
    pub(super) async fn add_node(&self, settings: ClusterSettings) -> ClusterNode {
        self.add_node_with_bus(settings, NEVER_MS, |bus| bus).await
    }

    /// Adds a node with this store, which can lose appends.
    pub(super) async fn add_node_with_store(
        &self,
        settings: ClusterSettings,
        store: Arc<dyn EventStore>,
    ) -> ClusterNode {
        self.build(settings, NEVER_MS, Some(store), |bus| bus).await
    }

    /// Adds a node whose bus is a wrapper around the real one.
    pub(super) async fn add_node_with_bus(
        &self,
        settings: ClusterSettings,
        check_ms: u64,
        bus: impl FnOnce(Arc<dyn Bus>) -> Arc<dyn Bus>,
    ) -> ClusterNode {
        self.build(settings, check_ms, None, bus).await
    }

    async fn build(
        &self,
        settings: ClusterSettings,
        check_ms: u64,
        store: Option<Arc<dyn EventStore>>,
        bus: impl FnOnce(Arc<dyn Bus>) -> Arc<dyn Bus>,
    ) -> ClusterNode {
        let mut engines = self.fresh.open().await;
        engines.events = store.unwrap_or(engines.events);
        let me = LiveNode { node: NodeId::fresh(), name: "test".into(), version: "1".into(), bus: None };
        let joined = self.hub.join(me.node, &BusSettings::default());
        let bus = bus(joined.bus);
        let feeds = FeedRegistry::new(
            engines.events.clone(),
            FeedSettings { check_ms, ..FeedSettings::default() },
            Some(bus.clone()),
        );
        tokio::spawn(feeds.clone().keep_up(bus.status()));
        let cluster = Cluster { me: me.clone(), leases: engines.leases, bus, settings };
        let bounds = OrchestratorSettings::default();
        let session_registry = SessionRegistry::new(
            engines.events,
            feeds.clone(),
            Arc::new(models(&self.demo)),
            Toolbox::default(),
            bounds,
            Some(cluster),
            None,
        );
        session_registry.start(Some(joined.requests)).await.expect("starts");
        ClusterNode { me, session_registry, feeds }
    }

    /// Ends the node's lease, as if the node had been silent for too long. The node does not notice.
    pub(super) async fn expire_lease(&self, node: &ClusterNode) {
        self.leases.renew(&node.me, Duration::ZERO).await.expect("writes");
    }

    /// Renews the lease of a node after [`Self::expire_lease`].
    pub(super) async fn renew_lease(&self, node: &ClusterNode) {
        self.leases.renew(&node.me, Duration::from_secs(600)).await.expect("writes");
    }

    /// Adds a live node that owns the session from now on. The former owner loses the session.
    pub(super) async fn transfer_session(&self, from: &ClusterNode, to: &LiveNode, session: SessionId) {
        self.leases.renew(to, Duration::from_secs(600)).await.expect("writes");
        self.expire_lease(from).await;
        self.store.claim(session, Some(to.node)).await.expect("claims");
        self.renew_lease(from).await;
    }

    /// Returns the node that owns the session.
    pub(super) async fn owner(&self, session: SessionId) -> Option<NodeId> {
        self.store.ownership(session).await.expect("reads").owner
    }

    /// Creates a session on this node, with a run whose model holds its response halfway.
    pub(super) async fn start_held_run(&self, node: &ClusterNode) -> SessionId {
        let before = self.demo.counters().borrow().held;
        let session = node.session(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
        node.submit(session, "c1", say("write")).await.expect("accepted");
        self.wait_for_model(|model| model.held > before).await;
        session
    }

    pub(super) async fn wait_for_model(&self, wanted: impl FnMut(&DemoCounters) -> bool) {
        wait_for_model(&self.demo, wanted).await;
    }

    /// Checks that the viewer sees exactly the events of the whole log.
    pub(super) async fn assert_sees_whole_log(&self, viewer: &mut OrderedViewer, session: SessionId) {
        let log = self.log(session).await;
        while viewer.seen.len() < log.len() {
            viewer.next().await;
        }
        assert_eq!(log, viewer.seen);
    }

    /// Returns the stored log.
    pub(super) async fn log(&self, session: SessionId) -> Vec<Event> {
        read_log(&*self.store, session).await
    }
}

impl ClusterNode {
    /// Creates a session on this node, with a team that uses these models.
    pub(super) async fn session(&self, models: [&str; 3]) -> SessionId {
        let session = SessionId(Uuid::now_v7());
        let settings = Settings::default();
        let create = Command::Create { title: "ClusterHarness".into(), team: team(models), settings };
        self.submit(session, "create", create).await.expect("created");
        session
    }

    pub(super) async fn submit(&self, session: SessionId, id: &str, command: Command) -> Result<u64, Problem> {
        self.session_registry.submit(session, sender(id), command).await
    }

    /// Opens a viewer on this node that starts at the first event.
    pub(super) async fn open_viewer(&self, session: SessionId) -> OrderedViewer {
        OrderedViewer::new(self.feeds.open(session).await.expect("opens").watch(0))
    }
}
