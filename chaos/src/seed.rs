//! One seed, from its plan to its verdict.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::call_counts::CallCounts;
use crate::chat_bot::ChatBot;
use crate::check::Check;
use crate::cluster::{ChaosCluster, SharedServers};
use crate::command_log::CommandLog;
use crate::commands::Behavior;
use crate::coverage::Coverage;
use crate::executions::TeamExecutions;
use crate::journal::Journal;
use crate::observed_log::ObservedLog;
use crate::person::Person;
use crate::plan::{NODES, Plan};
use crate::quota_law::{self, QuotaOutcome};
use crate::reviewer::Reviewer;
use crate::run_driver::RunDriver;
use crate::visitor::{self, Visitor};
use crate::watching_client::{SuitePhase, WatchingClient};
use crate::{database_history, fault_executor, http_request};
use servers::random::Random;

/// Time within which all work must be finished after the repair.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(25);

/// Outcome of a seed.
pub struct Verdict {
    pub violations: Vec<String>,
    pub summary: String,
    pub coverage: Coverage,
}

/// A client with its progress and the log that it sees.
struct Watcher {
    name: String,
    session: String,
    progress: watch::Receiver<u64>,
    seen: JoinHandle<ObservedLog>,
}

/// Runs a plan on nodes that run `program` at the start. Writes their logs and the journal to `folder`.
pub async fn run(
    shared_servers: Arc<SharedServers>,
    plan: &Plan,
    program: &Path,
    viewers: usize,
    folder: &Path,
) -> anyhow::Result<Verdict> {
    let journal = Arc::new(Journal::start());
    let cluster = ChaosCluster::build(shared_servers, plan, program, folder).await?;
    let verdict = execute_plan(cluster, plan, viewers, folder, &journal).await;
    journal.write(&folder.join("journal.txt"))?;
    verdict
}

async fn execute_plan(
    mut cluster: ChaosCluster,
    plan: &Plan,
    viewers: usize,
    folder: &Path,
    journal: &Arc<Journal>,
) -> anyhow::Result<Verdict> {
    let addresses = cluster.start().await?;
    let mut sessions = vec![];
    for (at, team) in plan.sessions.iter().enumerate() {
        sessions.push(cluster.session(addresses[at % NODES], team, settings(at)).await?);
    }
    let (cluster, command_log) = (Arc::new(cluster), Arc::new(CommandLog::default()));
    let (phase_sender, phase) = watch::channel(SuitePhase::Faults);
    let mut links = vec![];
    for session in &sessions {
        let secret = visitor::create_link(addresses[0], &cluster.keys.lead, session).await?;
        links.push((session.clone(), secret));
    }
    let visitor = Visitor::start(&cluster.keys.visitor, &cluster.client_addresses(), links, plan.seed);
    let (lead, links) = (&cluster.keys.lead, cluster.client_addresses());
    let executions = TeamExecutions::start(addresses[0], lead, &links, plan.seed).await?;
    let mut watchers = spawn_people(&cluster, plan, &sessions, &phase, &command_log);
    watchers.extend(spawn_viewers(&cluster, plan, &sessions, &phase, viewers));
    journal.record("everything runs");

    let faults = Instant::now();
    fault_executor::execute_all(cluster.clone(), &plan.faults, journal.clone()).await?;
    let faults = faults.elapsed();
    journal.record("everything is healed");
    let quota = match plan.quota {
        Some(quota) => quota_law::check_and_remove(&cluster, quota).await?,
        None => QuotaOutcome::default(),
    };
    phase_sender.send_replace(SuitePhase::Healed);
    let healed = Instant::now();
    let mut violations = settle(&cluster, &command_log, &visitor, &executions, &mut watchers).await;
    violations.extend(quota.violations);
    let settled_after = healed.elapsed();
    journal.record("everything is settled");
    let mut shown = shown_sessions(&cluster, &sessions).await?;
    let (execution_violations, executed) = executions.check(&cluster.client_addresses(), &cluster.keys.lead).await?;
    violations.extend(execution_violations);
    phase_sender.send_replace(SuitePhase::Over);

    for (index, node) in cluster.nodes.iter().enumerate() {
        let address = cluster.links[index].viewers.address;
        if let Err(error) = check_health(address).await {
            violations.push(format!("node {index}: {error}"));
        }
        let mut node = node.lock().await;
        node.signal("TERM").await?;
        node.wait().await?;
        violations.extend(node.log_errors());
    }

    let mut seen: BTreeMap<String, Vec<(String, ObservedLog)>> = BTreeMap::new();
    for watcher in watchers {
        seen.entry(watcher.session).or_default().push((watcher.name, watcher.seen.await?));
    }
    let (entries, mut events, mut claims, mut call_counts) = (command_log.entries(), 0, 0, CallCounts::default());
    let mut coverage = Coverage::default();
    for session in sessions.iter().chain(&executed) {
        let id: SessionId = session.parse().ok().context("an id")?;
        let stored = database_history::read_log(&cluster.database, id).await?;
        events += stored.frames.len();
        claims += stored.claims;
        let shown = shown.remove(session).unwrap_or_default();
        let check = Check {
            session: id,
            stored: &stored,
            command_log: &entries,
            call_counts: &mut call_counts,
            coverage: &mut coverage,
            shown,
            violations: vec![],
        };
        let watchers = seen.get(session).into_iter().flatten();
        let found = check.all(watchers.map(|(name, seen)| (name.clone(), seen)));
        if !found.is_empty() {
            // The database is deleted with the cluster, so a copy of the log is needed.
            std::fs::write(folder.join(format!("{session}.jsonl")), stored.frames.join("\n"))?;
        }
        violations.extend(found);
    }
    violations.extend(call_counts.violations(&cluster.tool.executions()));
    let all = || seen.values().flatten().map(|(_, seen)| seen);
    let acks = entries.values().filter(|entry| !entry.acks.is_empty()).count();
    let summary = format!(
        "{} faults in {:.1} s, settled {:.1} s later; {events} events, {claims} claims; {acks} of {} commands acknowledged; \
         {}; {} executions; {} quotas reached; {} viewers on {} connections, {} deltas",
        plan.faults.len(),
        faults.as_secs_f32(),
        settled_after.as_secs_f32(),
        entries.len(),
        call_counts.summary(),
        executed.len(),
        quota.reached,
        all().count(),
        all().map(|seen| seen.connections).sum::<u32>(),
        all().map(|seen| seen.deltas).sum::<u64>(),
    );
    Ok(Verdict { violations, summary, coverage })
}

/// Returns every session as each node shows it, and as an export shows it.
async fn shown_sessions(
    cluster: &ChaosCluster,
    sessions: &[String],
) -> anyhow::Result<BTreeMap<String, Vec<(String, String)>>> {
    let mut shown: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for session in sessions {
        let places = shown.entry(session.clone()).or_default();
        for (index, links) in cluster.links.iter().enumerate() {
            let path = format!("/api/v1/sessions/{session}");
            let state = http_request::request(links.viewers.address, &cluster.keys.lead.token, &path, None).await?;
            places.push((format!("what node {index} shows"), state));
        }
        places.push(("an export".to_owned(), cluster.export(session).await?));
    }
    Ok(shown)
}

/// Returns the settings of a session: every second one has a small budget that is soon exhausted, and every third one
/// needs two votes.
fn settings(at: usize) -> Value {
    let mut settings = json!({});
    if at.is_multiple_of(2) {
        settings["budget"] = json!({ "max_tokens": 15_000, "max_turn_tokens": 10_000 });
    }
    if at % 3 == 1 {
        settings["approval_rules"] = json!([{ "quorum": { "kind": "at_least", "n": 2 } }]);
    }
    settings
}

fn spawn_people(
    cluster: &ChaosCluster,
    plan: &Plan,
    sessions: &[String],
    phase: &watch::Receiver<SuitePhase>,
    command_log: &Arc<CommandLog>,
) -> Vec<Watcher> {
    let each = |(at, session): (usize, &String)| {
        let session = session.clone();
        let name = format!("lead-{at}");
        let behavior = Behavior::RunDriver(Box::new(RunDriver::new(&name, &cluster.keys.lead.id)));
        let lead = (name, cluster.keys.lead.clone(), behavior);
        let bot =
            (format!("bot-{at}"), cluster.keys.bot.clone(), Behavior::ChatBot(ChatBot::new(&cluster.keys.bot.id)));
        let reviewer = (format!("reviewer-{at}"), cluster.keys.viewer.clone(), Behavior::Reviewer(Reviewer::default()));
        let people = [lead, bot, reviewer].into_iter().zip(0..);
        people.map(move |((name, key, behavior), number)| {
            let (progress, seen) = watch::channel(0);
            let random = Random::of(plan.seed, 1_000 + 3 * at as u64 + number);
            let (session, addresses, command_log, phase) =
                (session.clone(), cluster.client_addresses(), command_log.clone(), phase.clone());
            let person = Person {
                name: name.clone(),
                session: session.clone(),
                key,
                addresses,
                random,
                phase,
                progress,
                command_log,
                behavior,
            };
            Watcher { name, session, progress: seen, seen: tokio::spawn(person.participate()) }
        })
    };
    sessions.iter().enumerate().flat_map(each).collect()
}

fn spawn_viewers(
    cluster: &ChaosCluster,
    plan: &Plan,
    sessions: &[String],
    phase: &watch::Receiver<SuitePhase>,
    viewers: usize,
) -> Vec<Watcher> {
    let each = |at: usize| {
        let (progress, seen) = watch::channel(0);
        let session = sessions[at % sessions.len()].clone();
        let (key, random) = (cluster.keys.viewer.clone(), Random::of(plan.seed, 10_000 + at as u64));
        let viewer = WatchingClient {
            session: session.clone(),
            key,
            addresses: cluster.client_addresses(),
            random,
            phase: phase.clone(),
            progress,
        };
        Watcher { name: format!("viewer-{at}"), session, progress: seen, seen: tokio::spawn(viewer.watch()) }
    };
    (0..viewers).map(each).collect()
}

/// Waits until no run has unfinished work, every command has a response and every viewer has all events. Returns what
/// is missing if that takes too long.
async fn settle(
    cluster: &ChaosCluster,
    command_log: &CommandLog,
    visitor: &Visitor,
    executions: &TeamExecutions,
    watchers: &mut [Watcher],
) -> Vec<String> {
    let end = Instant::now() + SETTLE_TIMEOUT;
    let mut idle_checks = 0;
    loop {
        let missing = unfinished_work(cluster, command_log, visitor, executions, watchers)
            .await
            .unwrap_or_else(|error| vec![error.to_string()]);
        idle_checks = if missing.is_empty() { idle_checks + 1 } else { 0 };
        // A command can start new work between two checks, so the cluster must be idle several times in a row.
        if idle_checks == 3 {
            return vec![];
        }
        if Instant::now() > end {
            return missing;
        }
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
}

async fn unfinished_work(
    cluster: &ChaosCluster,
    command_log: &CommandLog,
    visitor: &Visitor,
    executions: &TeamExecutions,
    watchers: &mut [Watcher],
) -> anyhow::Result<Vec<String>> {
    let heads = database_history::heads(&cluster.database).await?;
    let busy = heads.iter().filter(|(_, (_, unfinished))| *unfinished);
    let mut missing: Vec<_> =
        busy.map(|(session, (head, _))| format!("{session}: work is left at seq {head}")).collect();
    let open = command_log.entries().into_iter().filter(|(_, entry)| entry.retries && !entry.is_answered());
    missing.extend(open.map(|(id, entry)| format!("{id} is not answered, sent {} times", entry.sent)));
    missing.extend(visitor.not_admitted().iter().map(|session| format!("{session}: the visitor is not admitted")));
    let unfinished = executions.unfinished();
    missing.extend((unfinished > 0).then(|| format!("{unfinished} executions are not over")));
    for watcher in watchers {
        let (has, head) = (*watcher.progress.borrow_and_update(), heads.get(&watcher.session).map_or(0, |head| head.0));
        if has < head {
            missing.push(format!("{}: {} has {has} of {head} events", watcher.session, watcher.name));
        }
    }
    Ok(missing)
}

async fn check_health(address: SocketAddr) -> anyhow::Result<()> {
    http_request::request(address, "", "/healthz", None).await.map(drop)
}
