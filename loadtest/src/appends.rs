//! Concurrent appends to the store, compared with a bare group commit that writes the same rows and checks nothing.

mod bare_commit;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use bare_commit::BareCommit;
use clap::Args;
use hdrhistogram::Histogram;
use roundtable::identity::{Participant, ServerRole};
use roundtable::kernel::{Actor, ActorKind, Event, Fact, MessageId, ParticipantId, SessionId, Timestamp};
use roundtable::protocol;
use roundtable::store::{Append, CommandReceipt, EventStore, Fence, Listing, RecordedEvent, Stores};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::data::{Data, require_own_server};
use crate::report::{LatencyDistribution, Report, latency_histogram, median};
use crate::{disk, machine};

/// Size of the scenario.
#[derive(Args)]
pub struct Appends {
    /// Sessions that append concurrently, each with one append at a time.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub sessions: u64,
    /// Events per append.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub events: u64,
    /// Size of an event as JSON, in bytes.
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(230..=65_536))]
    pub bytes: u64,
    /// Duration of each measurement, in seconds.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=120))]
    pub seconds: u64,
    /// Rounds; each measures the bare group commit and the store one after the other.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=50))]
    pub rounds: u64,
    /// Start PostgreSQL and use it instead of SQLite.
    #[arg(long)]
    pub postgres: bool,
}

/// Target for the store's appends per second, as a share of those of the bare group commit.
const TARGET: f64 = 0.8;

/// Size below which the store keeps SQLite's write-ahead log, in MiB.
const MAX_WAL_MIB: u64 = 128;

/// Measures the store against the bare group commit, each with a separate database.
pub async fn measure(load: &Appends, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "appends go directly to a store of our own")?;
    let mut report = Report { scenario: "appends", ..Report::default() };
    let (mut bare, mut store) = (AppendSetup::bare(load).await?, AppendSetup::store(load).await?);
    let mut ratios = vec![];
    for _ in 0..load.rounds {
        // Alternate between the two, because the speed of a disk drifts.
        let (bare, store) = (bare.round(load.seconds).await?, store.round(load.seconds).await?);
        report.notes.push(format!("round: {store:.0} appends a second, bare {bare:.0}, ratio {:.2}", store / bare));
        ratios.push(store / bare);
    }
    report.ratio_to_bare = median(ratios);
    let database = if load.postgres { "PostgreSQL" } else { "SQLite on disk" };
    for (setup, name) in [(&store, "the store"), (&bare, "a bare group commit")] {
        report.distributions.push(LatencyDistribution::of(
            format!("append through {name}, {database}"),
            &setup.times,
            None,
        ));
        let appends = median(setup.rates.clone()).unwrap_or_default();
        let events = appends * load.events as f64;
        report.notes.push(format!("{name}: {appends:.0} appends and {events:.0} events a second"));
    }
    if !load.postgres {
        let mib = store.data.wal_bytes()? >> 20;
        report.notes.push(format!("write-ahead log of the store: {mib} MiB; it should stay below {MAX_WAL_MIB} MiB"));
    }
    let syncs = disk::measure_syncs(store.data.folder.path(), 100, 5).await?;
    report.distributions.push(LatencyDistribution::of("fdatasync of this disk while idle".into(), &syncs, None));
    let Appends { sessions, events, bytes, .. } = load;
    report.notes.push(format!(
        "{sessions} sessions with one append at a time, {events} events of {bytes} bytes and a receipt in each; \
         the ratio should be at least {TARGET}"
    ));
    Ok(report)
}

/// One of the two ways to append that are compared, with its database and its results.
struct AppendSetup {
    data: Data,
    target: AppendTarget,
    sessions: Vec<AppendingSession>,
    times: Histogram<u64>,
    /// Appends per second in each round.
    rates: Vec<f64>,
}

impl AppendSetup {
    async fn store(load: &Appends) -> anyhow::Result<Self> {
        let data = if load.postgres { Data::postgres().await? } else { Data::sqlite()? };
        let stores = data.open().await?;
        let sessions = AppendingSession::claim(&stores, load).await?;
        let target = AppendTarget::Store(stores.events);
        Ok(Self { data, target, sessions, times: latency_histogram(), rates: vec![] })
    }

    async fn bare(load: &Appends) -> anyhow::Result<Self> {
        let data = if load.postgres { Data::postgres().await? } else { Data::sqlite()? };
        // The store creates the tables and the sessions, and is then closed.
        let sessions = AppendingSession::claim(&data.open().await?, load).await?;
        let settings = data.settings();
        let url = settings.iter().find(|(name, _)| *name == "DATABASE_URL").map(|(_, url)| url.as_str());
        let url = url.context("no database")?;
        let target = AppendTarget::Bare(BareCommit::start(url).await?);
        Ok(Self { data, target, sessions, times: latency_histogram(), rates: vec![] })
    }

    /// Appends to all sessions for this many seconds. Returns the number of appends per second.
    async fn round(&mut self, seconds: u64) -> anyhow::Result<f64> {
        let started = Instant::now();
        let end = started + Duration::from_secs(seconds);
        let mut appending = JoinSet::new();
        for session in self.sessions.drain(..) {
            appending.spawn(session.append_until(end, self.target.clone()));
        }
        let mut times = latency_histogram();
        for result in appending.join_all().await {
            let (session, session_times) = result?;
            self.sessions.push(session);
            times.add(session_times)?;
        }
        let rate = times.len() as f64 / started.elapsed().as_secs_f64();
        self.times.add(times)?;
        self.rates.push(rate);
        Ok(rate)
    }
}

#[derive(Clone)]
enum AppendTarget {
    Store(Arc<dyn EventStore>),
    Bare(BareCommit),
}

impl AppendTarget {
    async fn append(&self, append: Append) -> anyhow::Result<()> {
        match self {
            Self::Store(events) => Ok(events.append(append).await?),
            Self::Bare(commit) => commit.append(append).await,
        }
    }
}

/// A session whose log is written one append at a time.
struct AppendingSession {
    id: SessionId,
    fence: Fence,
    by: Actor,
    head: u64,
    events: u64,
    /// Text of the messages, whose length gives an event the requested size.
    text: String,
}

impl AppendingSession {
    async fn claim(stores: &Stores, load: &Appends) -> anyhow::Result<Vec<Self>> {
        let mut sessions = vec![];
        for _ in 0..load.sessions {
            let (id, who) = (SessionId(Uuid::now_v7()), ParticipantId(Uuid::now_v7()));
            let who = Participant { id: who, ..Participant::new(ActorKind::User, "Loadtest", ServerRole::Member) };
            let fence = stores.events.claim(id, None).await?;
            let mut session = Self { id, fence, by: who.actor(), head: 0, events: load.events, text: String::new() };
            let probe = session.record(1).frame.len();
            session.text = "x".repeat((load.bytes as usize).saturating_sub(probe));
            sessions.push(session);
        }
        Ok(sessions)
    }

    async fn append_until(mut self, end: Instant, target: AppendTarget) -> anyhow::Result<(Self, Histogram<u64>)> {
        let mut times = latency_histogram();
        while Instant::now() < end {
            let append = self.next()?;
            let started = Instant::now();
            target.append(append).await?;
            times.saturating_record(u64::try_from(started.elapsed().as_nanos())?);
            self.head += self.events;
        }
        Ok((self, times))
    }

    /// Returns the next append: messages, and the receipt of the command that led to them.
    fn next(&self) -> anyhow::Result<Append> {
        let events: Arc<[RecordedEvent]> = (1..=self.events).map(|ahead| self.record(self.head + ahead)).collect();
        let seq = self.head + self.events;
        let receipt = CommandReceipt { actor: self.by.id.clone(), command: format!("c_{seq}").parse()?, seq };
        let listing = Listing {
            title: "Load".into(),
            updated_at: events[0].event.at,
            unfinished: false,
            waiting: false,
            summary: "{}".into(),
            run_by: None,
            retention_days: None,
            team: None,
        };
        Ok(Append {
            session: self.id,
            expected: self.head,
            fence: self.fence,
            events,
            receipts: vec![receipt],
            listing,
            members: vec![],
            appear: vec![],
            execution: vec![],
            erasure: None,
        })
    }

    fn record(&self, seq: u64) -> RecordedEvent {
        let text = self.text.as_str().into();
        let fact = Fact::MessagePosted { message: MessageId(seq), text, files: vec![], relays: None, request: None };
        let at = Timestamp::from_millis(machine::nanos() / 1_000_000);
        let event = Event { seq, at, by: self.by.clone(), run: None, cause: None, redacted: None, fact };
        RecordedEvent { frame: protocol::encode_event(self.id, &event), event }
    }
}
