//! A socket server over a real store, with a fake orchestrator that records the commands that it receives.

mod client;
mod slow_identity_store;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::routing::get;
use roundtable::access::Access;
use roundtable::audit::{AuditLog, AuditSettings};
use roundtable::dispatch::{CommandHandler, Dispatcher, SessionBases};
use roundtable::feed::{Feed, FeedRegistry, FeedSettings};
use roundtable::files::{FileRepository, FileSettings};
use roundtable::identity::{
    CredentialKind, IdentityStore, NewCredential, Participant, Revocations, Secret, ServerRole,
};
use roundtable::kernel::mention::Addressee;
use roundtable::kernel::{
    Actor, ActorKind, AgentId, Command, CommandSender, Event, Fact, LeaveReason, MessageId, ParticipantId, Role, RunId,
    SessionId, StepId, Task, Timestamp,
};
use roundtable::knowledge::{KnowledgeRepository, KnowledgeSettings};
use roundtable::limits::{RateLimitSettings, RateLimiters};
use roundtable::protocol::{self, Code, Problem};
use roundtable::quotas::{QuotaSettings, Quotas};
use roundtable::redactions::RedactionQueue;
use roundtable::socket::{self, SocketContext, SocketSettings, SocketTraffic};
use roundtable::store::{Append, EventStore, Fence, RecordedEvent};
use tokio::sync::Mutex;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::append_builders;
use crate::fresh_database::FreshDatabase;

pub use client::{WebSocketClient, seqs};
pub use slow_identity_store::SlowIdentityStore;

/// The server.
pub struct SocketHarness {
    pub context: Arc<SocketContext>,
    pub orchestrator: Arc<FakeOrchestrator>,
    pub address: std::net::SocketAddr,
    _fresh: FreshDatabase,
}

/// A fake orchestrator that records the commands that it receives, in order. Each command becomes durable before it is
/// published.
pub struct FakeOrchestrator {
    pub store: Arc<dyn EventStore>,
    feeds: FeedRegistry,
    open: Mutex<HashMap<SessionId, OpenLog>>,
}

/// A session's fence, the seq of its last event, and its feed.
type OpenLog = (Fence, u64, Arc<Feed>);

impl FakeOrchestrator {
    /// Appends these facts and publishes them. Returns the seq of the last one.
    pub async fn write(&self, session: SessionId, by: Actor, facts: Vec<Fact>) -> u64 {
        let (feed, events) = self.append(session, by, facts).await;
        feed.publish(&events);
        events.last().map_or(0, |recorded| recorded.event.seq)
    }

    /// Appends these facts without publishing them: they are durable, but no viewer has them yet.
    pub async fn append(&self, session: SessionId, by: Actor, facts: Vec<Fact>) -> (Arc<Feed>, Arc<[RecordedEvent]>) {
        let mut open = self.open.lock().await;
        let (fence, head, feed) = match open.entry(session) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let feed = self.feeds.open(session).await.expect("opens");
                let fence = self.store.claim(session, None).await.expect("claims");
                place.insert((fence, feed.head(), feed))
            }
        };
        let recorded = |(seq, fact): (u64, Fact)| {
            let event = Event {
                seq,
                at: Timestamp::from_millis(seq),
                by: by.clone(),
                run: fact.run(),
                cause: None,
                redacted: None,
                fact,
            };
            RecordedEvent { frame: protocol::encode_event(session, &event), event }
        };
        let members = facts.iter().filter_map(membership).collect();
        let events: Arc<[RecordedEvent]> = (*head + 1..).zip(facts).map(recorded).collect();
        let listing = append_builders::listing("a session", 1);
        let (expected, fence) = (*head, *fence);
        *head += events.len() as u64;
        let append = Append {
            session,
            expected,
            fence,
            events: events.clone(),
            receipts: vec![],
            listing,
            members,
            execution: vec![],
            appear: vec![],
            erasure: None,
        };
        self.store.append(append).await.expect("appends");
        (feed.clone(), events)
    }

    /// Blocks writes until the guard is dropped; in the meantime, commands wait.
    pub async fn block_writes(&self) -> impl Drop + '_ {
        self.open.lock().await
    }

    /// Returns the feed of a session that has been written to.
    pub async fn feed(&self, session: SessionId) -> Arc<Feed> {
        self.open.lock().await.get(&session).expect("was written to").2.clone()
    }

    /// Appends messages with these texts.
    pub async fn post_messages(&self, session: SessionId, texts: impl IntoIterator<Item = String>) -> u64 {
        let facts = texts.into_iter().map(|text| Fact::MessagePosted {
            message: MessageId(1),
            text: text.into(),
            files: vec![],
            relays: None,
            request: None,
        });
        self.write(session, Actor::system(), facts.collect()).await
    }
}

fn membership(fact: &Fact) -> Option<(ParticipantId, Option<Role>)> {
    match fact {
        Fact::ParticipantJoined { participant, role, .. } => Some((*participant, Some(*role))),
        Fact::ParticipantLeft { participant, .. } => Some((*participant, None)),
        _ => None,
    }
}

#[async_trait]
impl CommandHandler for FakeOrchestrator {
    async fn submit(&self, session: SessionId, by: CommandSender, command: Command) -> Result<u64, Problem> {
        let CommandSender::Participant { actor, .. } = by else { panic!("comes from a participant") };
        let me = actor.participant_id().expect("is a participant");
        let fact = match command {
            Command::Say { text, .. } => {
                Fact::MessagePosted { message: MessageId(1), text, files: vec![], relays: None, request: None }
            }
            Command::Enter { role } => Fact::ParticipantJoined {
                participant: me,
                kind: actor.kind,
                name: actor.name.clone(),
                role,
                guest: false,
                lookalike: false,
            },
            Command::Invite { participant, kind, name, role, guest } => {
                Fact::ParticipantJoined { participant, kind, name, role, guest, lookalike: false }
            }
            Command::Remove { participant } => Fact::ParticipantLeft { participant, reason: LeaveReason::Removed },
            _ => return Err(Problem::new(Code::NoRun, "the fake orchestrator runs nothing")),
        };
        Ok(self.write(session, actor, vec![fact]).await)
    }

    fn has_state(&self, _: SessionId) -> bool {
        true
    }

    async fn run_team(&self, _: SessionId, _: &str, _: Option<&[Addressee]>) -> Result<Option<uuid::Uuid>, Problem> {
        Ok(None)
    }

    async fn session_bases(&self, _: SessionId) -> Result<SessionBases, Problem> {
        Ok(SessionBases::default())
    }

    async fn commented_file(
        &self,
        _: SessionId,
        _: CommandSender,
        _: Command,
    ) -> Result<Option<Arc<roundtable::kernel::File>>, Problem> {
        Ok(None)
    }

    async fn has_asked(&self, _: SessionId, _: u64) -> Result<bool, Problem> {
        Ok(false)
    }

    async fn approved_invitations(
        &self,
        _: SessionId,
        _: roundtable::kernel::ParticipantId,
        _: &roundtable::kernel::CommandId,
        _: u64,
    ) -> Result<Vec<roundtable::dispatch::ApprovedInvitation>, Problem> {
        Ok(vec![])
    }

    async fn is_budget_gate(&self, _: SessionId, _: roundtable::kernel::GateId) -> Result<bool, Problem> {
        Ok(false)
    }
}

/// Returns the start of a message, and a function that returns its end.
pub fn message(message: u64, attempt: u32) -> (Fact, impl FnOnce(&str) -> Fact) {
    let (message, run, step) = (MessageId(message), RunId(1), StepId(1));
    let agent: AgentId = "writer".parse().expect("is an id");
    let begin =
        Fact::MessageStarted { message, run, step, agent: agent.clone(), task: Task::Reply, attempt, recovered: false };
    (begin, move |text: &str| Fact::MessageCompleted {
        message,
        run,
        step,
        agent,
        attempt,
        text: text.into(),
        calls: 0,
        out_of_turns: false,
        truncated: false,
    })
}

impl SocketHarness {
    /// Starts a server with these settings.
    pub async fn start(bounds: SocketSettings, feed: FeedSettings) -> Self {
        Self::start_with_identities(bounds, feed, |identities| identities).await
    }

    /// Starts a server with these settings, and with an identity store that wraps the real one.
    pub async fn start_with_identities(
        bounds: SocketSettings,
        feed: FeedSettings,
        identities: impl FnOnce(Arc<dyn IdentityStore>) -> Arc<dyn IdentityStore>,
    ) -> Self {
        let fresh = FreshDatabase::sqlite().await;
        let engines = fresh.open().await;
        let feeds = FeedRegistry::new(engines.events.clone(), feed, None);
        let orchestrator =
            Arc::new(FakeOrchestrator { store: engines.events.clone(), feeds: feeds.clone(), open: Mutex::default() });
        let shutdown = CancellationToken::new();
        let revocations = Revocations::new(shutdown.clone());
        let every = Duration::from_millis(20);
        tokio::spawn(revocations.clone().keep_up(engines.identities.clone(), every));
        let files = FileRepository::new(engines.contents, FileSettings::default());
        let dispatcher = Dispatcher {
            redactions: RedactionQueue::new(engines.redactions),
            audit: AuditLog::start(engines.audit, AuditSettings::default()),
            sessions: orchestrator.clone(),
            knowledge: KnowledgeRepository::new(engines.knowledge, files.clone(), KnowledgeSettings::default()),
            identities: identities(engines.identities),
            limits: Arc::new(RateLimiters::new(&RateLimitSettings::default(), None)),
            code: roundtable::tool::code::CodeSettings::default(),
            models: Arc::default(),
            quotas: Quotas::new(engines.quotas, QuotaSettings::default()),
            files,
            text_bytes: bounds.max_text_bytes,
            within: Duration::from_secs(bounds.join_seconds),
        };
        let access = Access {
            events: orchestrator.store.clone(),
            executions: engines.executions,
            feeds,
            dispatcher: dispatcher.clone(),
        };
        let context = Arc::new(SocketContext {
            access,
            dispatcher,
            revocations,
            traffic: SocketTraffic::new(&bounds),
            settings: Arc::new(bounds),
            stopping: CancellationToken::new(),
            shutdown,
            tasks: TaskTracker::new(),
        });
        let here = roundtable::network::ClientAddress(std::net::Ipv4Addr::LOCALHOST.into());
        let app = axum::Router::new().route("/api/v1/ws", get(socket::upgrade)).with_state(context.clone());
        let app = app.layer(axum::Extension(here));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let address = listener.local_addr().expect("is bound");
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { context, orchestrator, address, _fresh: fresh }
    }

    /// Starts a server with the default settings.
    pub async fn start_with_defaults() -> Self {
        Self::start(SocketSettings::default(), FeedSettings::default()).await
    }

    /// Creates a participant with a token.
    pub async fn person(&self, name: &str, server_role: ServerRole) -> (Participant, String) {
        let who = Participant::new(ActorKind::User, name, server_role);
        self.context.dispatcher.identities.add_participant(&who, Timestamp::default()).await.expect("adds");
        let secret = Secret::random("token");
        let credential = NewCredential::new(secret.hash(), CredentialKind::Token, who.id);
        self.context.dispatcher.identities.add_credential(&credential).await.expect("adds");
        (who, secret.reveal().to_owned())
    }

    /// Creates a session whose owner is `who`, with its first two events.
    pub async fn session(&self, who: &Participant) -> SessionId {
        let session = append_builders::new_session_id();
        let team = roundtable::kernel::State::new(session).view().team.as_ref().clone();
        let created = Fact::SessionCreated { title: "A session".into(), team, settings: Default::default() };
        let joined = joined(who, Role::Owner);
        self.orchestrator.write(session, who.actor(), vec![created, joined]).await;
        session
    }

    /// Creates a session and its owner, and connects an authenticated client of the owner.
    pub async fn connect_owner(&self) -> (SessionId, Participant, WebSocketClient) {
        let (who, token) = self.person("Ann", ServerRole::Member).await;
        let session = self.session(&who).await;
        let client = WebSocketClient::connect_as(self, &token).await;
        (session, who, client)
    }
}

/// Returns the fact that a participant has joined with this role.
pub fn joined(who: &Participant, role: Role) -> Fact {
    Fact::ParticipantJoined {
        participant: who.id,
        kind: who.kind,
        name: who.name.clone(),
        role,
        guest: false,
        lookalike: false,
    }
}
