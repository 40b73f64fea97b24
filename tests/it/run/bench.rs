//! A session on a node of its own: store, feed, model and orchestrator, and a viewer who follows from the first event.

use std::sync::Arc;
use std::time::Duration;

use roundtable::agent::{Backoff, Model, Models, Provider, Providers};
use roundtable::demo_model::{Counters, DemoModel, DemoOptions};
use roundtable::feed::{FeedBounds, Feeds, Watch};
use roundtable::kernel::*;
use roundtable::orchestrator::{OrchestratorBounds, Orchestrators};
use roundtable::protocol::{Problem, ServerFrame};
use roundtable::store::EventStore;
use uuid::Uuid;

use crate::fresh::Fresh;

/// How long anything may take before the test says what it waited for.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Bench {
    _fresh: Arc<Fresh>,
    pub(super) store: Arc<dyn EventStore>,
    pub(super) demo: Arc<DemoModel>,
    pub(super) node: Orchestrators,
    pub(super) feeds: Feeds,
    pub(super) session: SessionId,
    pub(super) watch: Watch,
    /// Every event that the viewer saw.
    pub(super) seen: Vec<Event>,
    /// What the viewer saw of items that are being written.
    pub(super) deltas: Vec<(MessageId, u32, u64, String)>,
}

pub(super) fn owner() -> Actor {
    Actor::participant(ParticipantId(Uuid::from_u128(1)), ActorKind::User, "Ada")
}

pub(super) fn by(id: &str) -> By {
    By::Participant { actor: owner(), id: id.parse().expect("an id"), standing: None }
}

pub(super) fn say(text: &str) -> Command {
    Command::Say { text: text.into(), to: None, mode: Mode::Queue }
}

fn agent(name: &str, role: AgentRole, model: &str) -> Agent {
    Agent {
        id: name.parse().expect("an id"),
        name: name.into(),
        role,
        title: "".into(),
        prompt: format!("You are {name}.").into(),
        model: Some(format!("demo/{model}").into()),
    }
}

/// Generator, reviewer and optimizer, each with a demo model of these options.
pub(super) fn team(models: [&str; 3]) -> Team {
    let roles = [AgentRole::Generator, AgentRole::Reviewer, AgentRole::Optimizer];
    let names = ["Gen", "Rev", "Opt"];
    let agents = (0..3).map(|n| agent(names[n], roles[n], models[n])).collect();
    Team { name: "bench".into(), title: "Bench".into(), flow: "review".into(), language: Language::En, agents }
}

pub(super) fn node(
    store: &Arc<dyn EventStore>,
    demo: &DemoModel,
    bounds: OrchestratorBounds,
) -> (Feeds, Orchestrators) {
    let feeds = Feeds::new(store.clone(), FeedBounds::default());
    let provider = Provider {
        base_url: demo.base_url(),
        models: vec![Model { name: "demo-fast".into(), ..Model::default() }],
        ..Provider::default()
    };
    let backoff = Backoff { base_ms: 1, max_ms: 2, retry_after_max_ms: 5 };
    let providers = Providers { default: "demo/demo-fast".into(), named: [("demo".into(), provider)].into(), backoff };
    let models = Models::new(&providers, |_| None).expect("a usable configuration");
    (feeds.clone(), Orchestrators::new(store.clone(), feeds, models, bounds))
}

impl Bench {
    pub(super) async fn new(models: [&str; 3]) -> Self {
        let fresh = Fresh::sqlite().await;
        let store = fresh.open().await.events;
        Self::on(fresh, store, models, OrchestratorBounds::default()).await
    }

    pub(super) async fn on(
        fresh: Fresh,
        store: Arc<dyn EventStore>,
        models: [&str; 3],
        bounds: OrchestratorBounds,
    ) -> Self {
        let demo = DemoModel::start(DemoOptions::fast()).await.expect("listens");
        let (feeds, node) = node(&store, &demo, bounds);
        let session = SessionId(Uuid::now_v7());
        let settings = Settings::default();
        let create = Command::Create { session, title: "Bench".into(), team: team(models), settings };
        node.submit(session, by("create"), create).await.expect("created");
        let watch = feeds.open(session).await.expect("opens").watch(0);
        let (fresh, demo) = (Arc::new(fresh), Arc::new(demo));
        Self { _fresh: fresh, store, demo, node, feeds, session, watch, seen: vec![], deltas: vec![] }
    }

    pub(super) async fn does(&self, id: &str, command: Command) -> Result<u64, Problem> {
        self.node.submit(self.session, by(id), command).await
    }

    /// Follow until an event of this name.
    pub(super) async fn until(&mut self, name: &str) -> Event {
        self.find(name, |event| wire_name(event) == name).await
    }

    pub(super) async fn find(&mut self, what: &str, wanted: impl Fn(&Event) -> bool) -> Event {
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                let before = self.seen.len();
                self.next().await;
                if self.seen.len() > before && wanted(&self.seen[before]) {
                    return self.seen[before].clone();
                }
            }
        });
        match found.await {
            Ok(event) => event,
            Err(_) => panic!("waited for {what}; saw {:?}", self.names()),
        }
    }

    /// Follow by one frame.
    pub(super) async fn next(&mut self) {
        let json = self.watch.next().await.expect("the feed goes on");
        match serde_json::from_slice(&json).expect("a frame") {
            ServerFrame::Event { event, .. } => {
                let expected = self.seen.last().map_or(1, |last| last.seq + 1);
                assert_eq!(event.seq, expected, "one order, no gap, no repeat");
                self.seen.push(event);
            }
            ServerFrame::Delta { item, attempt, at, text, .. } => {
                self.deltas.push((item, attempt, at, text.to_string()));
            }
            _ => {}
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.seen.iter().map(wire_name).collect()
    }

    /// Wait until the model's counters are so.
    pub(super) async fn model(&self, wanted: impl FnMut(&Counters) -> bool) {
        let mut counters = self.demo.counters();
        let wait = tokio::time::timeout(PATIENCE, counters.wait_for(wanted));
        assert!(wait.await.is_ok_and(|seen| seen.is_ok()), "the model: {:?}", *self.demo.counters().borrow());
    }

    /// The text that the deltas of an item's newest attempt add up to.
    pub(super) fn written(&self, item: MessageId) -> String {
        let mut text = String::new();
        for (of, _, at, part) in &self.deltas {
            if *of == item {
                text.truncate(usize::try_from(*at).expect("fits"));
                assert_eq!(text.len() as u64, *at, "no gap in the deltas");
                text.push_str(part);
            }
        }
        text
    }

    /// The node goes away without a word, and another takes the session up.
    pub(super) async fn restart(&mut self) {
        self.node.shutdown().await;
        let (feeds, node) = node(&self.store, &self.demo, OrchestratorBounds::default());
        (self.feeds, self.node) = (feeds, node);
        self.node.recover().await.expect("recovers");
        let feed = self.feeds.open(self.session).await.expect("opens");
        self.watch = feed.watch(self.seen.last().map_or(0, |last| last.seq));
    }

    /// The log as it is stored.
    pub(super) async fn log(&self) -> Vec<Event> {
        let stored = self.store.read(self.session, 0, 10_000).await.expect("reads");
        let parse = |frame: &[u8]| match serde_json::from_slice(frame).expect("a frame") {
            ServerFrame::Event { event, .. } => event,
            other => panic!("not an event: {other:?}"),
        };
        stored.iter().map(|stored| parse(&stored.frame)).collect()
    }
}

pub(super) fn wire_name(event: &Event) -> String {
    let value = serde_json::to_value(event).expect("JSON");
    value["event"].as_str().expect("a name").to_owned()
}
