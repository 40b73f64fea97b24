//! A server on one core with one session, whose events are published as fast as the viewers' sockets accept them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::Context as _;
use async_trait::async_trait;
use axum::routing::get;
use clap::Args;
use roundtable::access::Access;
use roundtable::audit::{AuditLog, AuditSettings};
use roundtable::dispatch::{CommandHandler, Dispatcher, SessionBases};
use roundtable::feed::{Feed, FeedRegistry, FeedSettings};
use roundtable::files::{FileRepository, FileSettings};
use roundtable::identity::{CredentialKind, NewCredential, Participant, Revocations, Secret, ServerRole};
use roundtable::kernel::mention::Addressee;
use roundtable::kernel::{
    Actor, ActorKind, Command, CommandSender, Event, Fact, MessageId, ParticipantId, Role, SessionId, State, Timestamp,
};
use roundtable::knowledge::{KnowledgeRepository, KnowledgeSettings};
use roundtable::limits::RateLimiters;
use roundtable::protocol::{self, Code, Problem};
use roundtable::quotas::{QuotaSettings, Quotas};
use roundtable::redactions::RedactionQueue;
use roundtable::socket::{self, SocketContext, SocketSettings, SocketTraffic};
use roundtable::store::{self, Append, Listing, RecordedEvent, Stores};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::data::Data;
use crate::{machine, server};

/// Size of the scenario.
#[derive(Args)]
pub struct MaxRate {
    /// Core to run on.
    #[arg(long)]
    pub core: usize,
    /// Events in all rounds.
    #[arg(long)]
    pub events: u64,
    /// Size of an event as JSON, in bytes.
    #[arg(long)]
    pub bytes: u64,
    /// Number of expected viewers.
    #[arg(long)]
    pub viewers: u64,
}

/// Maximum number of bytes in flight to each viewer, on average.
const MAX_UNSENT_BYTES: u64 = 64 << 10;

/// Serves until standard input ends. The first line of output contains the address, a token and the session. Each line
/// of input contains the number of events of a round, or `steady` with a rate and a duration in seconds. The server
/// prints a line when the events are published.
pub fn serve(load: &MaxRate) -> anyhow::Result<()> {
    machine::raise_open_files();
    machine::pin([load.core])?;
    machine::runtime(1)?.block_on(serve_load(load))
}

/// A handler that rejects all commands.
struct RejectingHandler;

#[async_trait]
impl CommandHandler for RejectingHandler {
    async fn submit(&self, _: SessionId, _: CommandSender, _: Command) -> Result<u64, Problem> {
        Err(Problem::new(Code::Busy, "this server accepts no commands"))
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

async fn serve_load(load: &MaxRate) -> anyhow::Result<()> {
    let data = Data::sqlite()?;
    let stores = data.open().await?;
    let who = person(&stores, "Loadtest").await?;
    let session = SessionId(uuid::Uuid::now_v7());
    let mut log = Log::begin(&stores, session, &who.0).await?;
    let feeds = FeedRegistry::new(stores.events.clone(), FeedSettings::default(), None);
    // Open the feed before the events are in the store, so that its head stays before them until they are
    // published.
    let feed = feeds.open(session).await?;
    let events = log.fill(load.events, load.bytes as usize).await?;
    let mut rate_limits = roundtable::limits::RateLimitSettings::default();
    rate_limits.join.burst = std::num::NonZeroU32::MAX;
    let shutdown = CancellationToken::new();
    let files = FileRepository::new(stores.contents.clone(), FileSettings::default());
    let dispatcher = Dispatcher {
        redactions: RedactionQueue::new(stores.redactions.clone()),
        audit: AuditLog::start(stores.audit.clone(), AuditSettings::default()),
        sessions: Arc::new(RejectingHandler),
        identities: stores.identities.clone(),
        knowledge: KnowledgeRepository::new(stores.knowledge.clone(), files.clone(), KnowledgeSettings::default()),
        limits: Arc::new(RateLimiters::new(&rate_limits, None)),
        code: roundtable::tool::code::CodeSettings::default(),
        models: Default::default(),
        quotas: Quotas::new(stores.quotas.clone(), QuotaSettings::default()),
        files,
        text_bytes: SocketSettings::default().max_text_bytes,
        within: Duration::from_secs(30),
    };
    let access = Access {
        events: stores.events.clone(),
        executions: stores.executions.clone(),
        feeds,
        dispatcher: dispatcher.clone(),
    };
    let settings = SocketSettings::default();
    let context = Arc::new(SocketContext {
        access,
        dispatcher,
        revocations: Revocations::new(shutdown.clone()),
        traffic: SocketTraffic::new(&settings),
        settings: Arc::new(settings),
        stopping: CancellationToken::new(),
        shutdown,
        tasks: TaskTracker::new(),
    });
    let app = axum::Router::new().route("/api/v1/ws", get(socket::upgrade)).with_state(context.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, app).await });
    server::print_line(&format!("{address} {} {session}", who.1))?;

    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut left = &events[..];
    while let Some(line) = lines.next_line().await? {
        if let Some(flow) = line.strip_prefix("steady ") {
            let (rate, seconds) = flow.split_once(' ').context("a rate and seconds")?;
            steady(&feed, &log, rate.parse()?, seconds.parse()?).await;
            server::print_line("published")?;
            continue;
        }
        let round: usize = line.trim().parse().context("a number of events")?;
        let (now, later) = left.split_at_checked(round).context("more events than were announced")?;
        left = later;
        // Run this as a task, because the main thread would compete with the worker for the single core.
        let (context, feed, now, viewers) = (context.clone(), feed.clone(), now.to_vec(), load.viewers);
        tokio::spawn(async move { publish(&context, &feed, &now, viewers).await }).await?;
        server::print_line("published")?;
    }
    Ok(())
}

async fn publish(context: &SocketContext, feed: &Arc<Feed>, events: &[RecordedEvent], viewers: u64) {
    let before = context.traffic.sent_bytes.load(Ordering::Relaxed);
    let mut published = 0;
    for event in events {
        feed.publish(std::slice::from_ref(event));
        published += event.frame.len() as u64 + 4;
        let unsent_bytes = || {
            let sent = context.traffic.sent_bytes.load(Ordering::Relaxed) - before;
            published.saturating_sub(sent / viewers)
        };
        if unsent_bytes() < MAX_UNSENT_BYTES {
            continue;
        }
        tokio::task::yield_now().await;
        while unsent_bytes() > MAX_UNSENT_BYTES / 4 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

/// Publishes events with their send time at a steady rate.
async fn steady(feed: &Arc<Feed>, log: &Log<'_>, rate: u64, seconds: u64) {
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / rate as f64));
    for _ in 0..rate * seconds {
        ticks.tick().await;
        let text = format!("@{}@ {}", machine::nanos(), "x".repeat(40));
        feed.publish(&[log.record(feed.head() + 1, posted(&text))]);
    }
}

/// Creates a person who is an administrator, with a token.
pub async fn person(stores: &Stores, name: &str) -> anyhow::Result<(Participant, String)> {
    participant(stores, name, ActorKind::User).await
}

/// Creates an administrator of this kind, with a token.
pub async fn participant(stores: &Stores, name: &str, kind: ActorKind) -> anyhow::Result<(Participant, String)> {
    let id = ParticipantId(uuid::Uuid::now_v7());
    let who = Participant { id, ..Participant::new(kind, name, ServerRole::Admin) };
    stores.identities.add_participant(&who, Timestamp::default()).await?;
    let secret = Secret::random("token");
    let (hash, grant) = (secret.hash(), CredentialKind::Token);
    let credential = NewCredential::new(hash, grant, id);
    stores.identities.add_credential(&credential).await?;
    Ok((who, secret.reveal().to_owned()))
}

/// A log for direct writes.
pub struct Log<'a> {
    stores: &'a Stores,
    session: SessionId,
    by: Actor,
    fence: store::Fence,
    head: u64,
    /// State after the last event of the log.
    pub state: State,
}

impl<'a> Log<'a> {
    /// Creates a session with its owner.
    pub async fn begin(stores: &'a Stores, session: SessionId, who: &Participant) -> anyhow::Result<Self> {
        let fence = stores.events.claim(session, None).await?;
        let state = State::new(session);
        let team = state.view().team.as_ref().clone();
        let mut log = Self { stores, session, by: who.actor(), fence, head: 0, state };
        let created = Fact::SessionCreated { title: "Load".into(), team, settings: Default::default() };
        let joined = Fact::ParticipantJoined {
            participant: who.id,
            kind: who.kind,
            name: who.name.clone(),
            role: Role::Owner,
            guest: false,
            lookalike: false,
        };
        log.append(vec![created, joined], vec![(who.id, Some(Role::Owner))]).await?;
        Ok(log)
    }

    /// Appends messages so that each event has about this many bytes.
    pub async fn fill(&mut self, events: u64, bytes: usize) -> anyhow::Result<Vec<RecordedEvent>> {
        let probe = self.record(self.head + 1, posted(""));
        let text = "x".repeat(bytes.saturating_sub(probe.frame.len()));
        let mut all = Vec::with_capacity(events as usize);
        while (all.len() as u64) < events {
            let count = (events - all.len() as u64).min(1000);
            let facts = (0..count).map(|_| posted(&text)).collect();
            all.extend(self.append(facts, vec![]).await?);
        }
        Ok(all)
    }

    fn record(&self, seq: u64, fact: Fact) -> RecordedEvent {
        let at = Timestamp::from_millis(machine::nanos() / 1_000_000);
        let event = Event { seq, at, by: self.by.clone(), run: None, cause: None, redacted: None, fact };
        RecordedEvent { frame: protocol::encode_event(self.session, &event), event }
    }

    async fn append(
        &mut self,
        facts: Vec<Fact>,
        members: Vec<(ParticipantId, Option<Role>)>,
    ) -> anyhow::Result<Vec<RecordedEvent>> {
        let events: Arc<[RecordedEvent]> =
            (self.head + 1..).zip(facts).map(|(seq, fact)| self.record(seq, fact)).collect();
        let updated_at = events[0].event.at;
        let (unfinished, waiting, run_by) = (false, false, None);
        let listing = Listing {
            title: "Load".into(),
            updated_at,
            unfinished,
            waiting,
            summary: "{}".into(),
            run_by,
            retention_days: None,
            team: None,
        };
        let (session, expected, fence) = (self.session, self.head, self.fence);
        let append = Append {
            session,
            expected,
            fence,
            events: events.clone(),
            receipts: vec![],
            listing,
            members,
            appear: vec![],
            execution: vec![],
            erasure: None,
        };
        self.stores.events.append(append).await?;
        self.head += events.len() as u64;
        events.iter().for_each(|recorded| roundtable::kernel::evolve(&mut self.state, &recorded.event));
        Ok(events.to_vec())
    }
}

fn posted(text: &str) -> Fact {
    Fact::MessagePosted { message: MessageId(1), text: text.into(), files: vec![], relays: None, request: None }
}
