//! A session on its own node: store, feed, model and orchestrator, and a viewer that follows from the first event.

use std::sync::Arc;

use roundtable::agent::{BackoffSettings, ModelSettings, Models, ProviderSettings, ProvidersSettings};
use roundtable::demo_model::{DemoCounters, DemoModel, DemoSettings};
use roundtable::feed::{FeedRegistry, FeedSettings};
use roundtable::kernel::*;
use roundtable::orchestrator::{OrchestratorSettings, SessionRegistry};
use roundtable::protocol::Problem;
use roundtable::store::{EventStore, RecordedEvent};
use roundtable::tool::Toolbox;
use uuid::Uuid;

use super::ordered_viewer::{OrderedViewer, TIMEOUT};
use crate::fresh_database::FreshDatabase;

pub(super) struct RunHarness {
    _fresh: Arc<FreshDatabase>,
    pub(super) store: Arc<dyn EventStore>,
    pub(super) demo: Arc<DemoModel>,
    pub(super) node: SessionRegistry,
    pub(super) feeds: FeedRegistry,
    pub(super) session: SessionId,
    viewer: OrderedViewer,
}

impl std::ops::Deref for RunHarness {
    type Target = OrderedViewer;

    fn deref(&self) -> &OrderedViewer {
        &self.viewer
    }
}

impl std::ops::DerefMut for RunHarness {
    fn deref_mut(&mut self) -> &mut OrderedViewer {
        &mut self.viewer
    }
}

pub(crate) fn owner() -> Actor {
    Actor::participant(ParticipantId(Uuid::from_u128(1)), ActorKind::User, "Ada")
}

pub(crate) fn sender(id: &str) -> CommandSender {
    CommandSender::Participant { actor: owner(), id: id.parse().expect("an id"), granted_role: None, max_role: None }
}

pub(crate) fn say(text: &str) -> Command {
    Command::Say { text: text.into(), to: None, mode: Mode::Queue, files: vec![] }
}

fn agent(name: &str, role: AgentRole, model: &str) -> Agent {
    let (prompt, model) = (format!("You are {name}.").into(), Some(format!("demo/{model}").into()));
    Agent { prompt, model, ..Agent::new(name.parse().expect("an id"), role) }
}

/// Returns a team of a generator, a reviewer and an optimizer, each with a demo model with these options.
pub(crate) fn team(models: [&str; 3]) -> Team {
    let roles = [AgentRole::Generator, AgentRole::Reviewer, AgentRole::Optimizer];
    let names = ["Gen", "Rev", "Opt"];
    let agents = (0..3).map(|n| agent(names[n], roles[n], models[n])).collect();
    Team {
        name: "harness".into(),
        title: "RunHarness".into(),
        flow: "review".into(),
        language: Language::En,
        starters: vec![],
        agents,
        steps: vec![],
        topology: None,
        origin: None,
    }
}

pub(super) fn build_node(
    store: &Arc<dyn EventStore>,
    demo: &DemoModel,
    bounds: OrchestratorSettings,
) -> (FeedRegistry, SessionRegistry) {
    build_node_with(store, demo, bounds, Toolbox::default())
}

fn build_node_with(
    store: &Arc<dyn EventStore>,
    demo: &DemoModel,
    bounds: OrchestratorSettings,
    toolbox: Toolbox,
) -> (FeedRegistry, SessionRegistry) {
    let feeds = FeedRegistry::new(store.clone(), FeedSettings::default(), None);
    (feeds.clone(), SessionRegistry::new(store.clone(), feeds, Arc::new(models(demo)), toolbox, bounds, None, None))
}

/// Returns models whose only provider is the demo model.
pub(crate) fn models(demo: &DemoModel) -> Models {
    let provider = ProviderSettings {
        base_url: demo.base_url(),
        models: vec![ModelSettings { name: "demo-fast".into(), ..ModelSettings::default() }],
        ..ProviderSettings::default()
    };
    let backoff = BackoffSettings { base_ms: 1, max_ms: 2, max_retry_after_ms: 5 };
    let providers = ProvidersSettings {
        default: "demo/demo-fast".into(),
        named: [("demo".into(), provider)].into(),
        backoff,
        ..ProvidersSettings::default()
    };
    Models::new(&providers, |_| None).expect("a usable configuration")
}

impl RunHarness {
    pub(super) async fn new(models: [&str; 3]) -> Self {
        let fresh = FreshDatabase::sqlite().await;
        let store = fresh.open().await.events;
        Self::on(fresh, store, models, OrchestratorSettings::default()).await
    }

    pub(super) async fn on(
        fresh: FreshDatabase,
        store: Arc<dyn EventStore>,
        models: [&str; 3],
        bounds: OrchestratorSettings,
    ) -> Self {
        Self::with_toolbox(fresh, store, models, bounds, Toolbox::default()).await
    }

    pub(super) async fn with_toolbox(
        fresh: FreshDatabase,
        store: Arc<dyn EventStore>,
        models: [&str; 3],
        bounds: OrchestratorSettings,
        toolbox: Toolbox,
    ) -> Self {
        let demo = DemoModel::start(DemoSettings::fast()).await.expect("listens");
        let (feeds, node) = build_node_with(&store, &demo, bounds, toolbox);
        let session = SessionId(Uuid::now_v7());
        let settings = Settings::default();
        let create = Command::Create { title: "A run on the harness".into(), team: team(models), settings };
        node.submit(session, sender("create"), create).await.expect("created");
        let viewer = OrderedViewer::new(feeds.open(session).await.expect("opens").watch(0));
        let (fresh, demo) = (Arc::new(fresh), Arc::new(demo));
        Self { _fresh: fresh, store, demo, node, feeds, session, viewer }
    }

    pub(super) async fn submit(&self, id: &str, command: Command) -> Result<u64, Problem> {
        self.node.submit(self.session, sender(id), command).await
    }

    /// Returns the newest run.
    pub(super) async fn run(&self) -> RunId {
        newest_run(&*self.store, self.session).await
    }

    /// Returns a command that interrupts the newest run.
    pub(super) async fn interrupt(&self, text: Option<&str>) -> Command {
        Command::Interrupt { run: self.run().await, step: None, message: None, text: text.map(Into::into) }
    }

    /// Waits until the model's counters meet this condition.
    pub(super) async fn wait_for_model(&self, wanted: impl FnMut(&DemoCounters) -> bool) {
        wait_for_model(&self.demo, wanted).await;
    }

    /// Shuts down the node, and lets another one take over the session.
    pub(super) async fn restart(&mut self) {
        self.node.shutdown().await;
        let (feeds, node) = build_node(&self.store, &self.demo, OrchestratorSettings::default());
        (self.feeds, self.node) = (feeds, node);
        self.node.start(None).await.expect("starts");
        let feed = self.feeds.open(self.session).await.expect("opens");
        self.watch = feed.watch(self.seen.last().map_or(0, |last| last.seq));
    }

    /// Returns the stored log.
    pub(super) async fn log(&self) -> Vec<Event> {
        read_log(&*self.store, self.session).await
    }
}

/// Returns the stored log of a session.
pub(crate) async fn read_log(store: &dyn EventStore, session: SessionId) -> Vec<Event> {
    let stored = store.read(session, 0, 10_000).await.expect("reads");
    stored.into_iter().map(|stored| RecordedEvent::try_from(stored).expect("an event").event).collect()
}

/// Returns the session's newest run.
pub(crate) async fn newest_run(store: &dyn EventStore, session: SessionId) -> RunId {
    let started = |event: &Event| matches!(event.fact, Fact::RunStarted { .. }).then_some(event.run).flatten();
    read_log(store, session).await.iter().rev().find_map(started).expect("a run has begun")
}

/// Waits until the model's counters meet this condition.
pub(crate) async fn wait_for_model(demo: &DemoModel, wanted: impl FnMut(&DemoCounters) -> bool) {
    let mut counters = demo.counters();
    let wait = tokio::time::timeout(TIMEOUT, counters.wait_for(wanted));
    assert!(wait.await.is_ok_and(|seen| seen.is_ok()), "the model: {:?}", *demo.counters().borrow());
}

pub(crate) fn wire_name(event: &Event) -> String {
    let value = serde_json::to_value(event).expect("JSON");
    value["event"].as_str().expect("a name").to_owned()
}
