//! One seed, from its plan to its verdict.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use roundtable::kernel::SessionId;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::book::Book;
use crate::check::Check;
use crate::journal::Journal;
use crate::lead::Lead;
use crate::mind::Mind;
use crate::person::Person;
use crate::plan::{NODES, Plan};
use crate::seen::Seen;
use crate::tally::Tally;
use crate::viewer::{Stage, Viewer};
use crate::visitor::{self, Visitor};
use crate::world::{Ground, World};
use crate::{ask, audit, deed};
use servers::random::Random;

/// Time within which everything must come to rest after the repair.
const REST: Duration = Duration::from_secs(25);

/// Outcome of a seed.
pub struct Verdict {
    pub wrong: Vec<String>,
    pub summary: String,
}

/// A viewer and what it has.
struct Watcher {
    name: String,
    session: String,
    progress: watch::Receiver<u64>,
    seen: JoinHandle<Seen>,
}

/// Plays a plan with nodes that start with `program`. Writes their logs and the record of faults into `folder`.
pub async fn play(
    ground: Arc<Ground>,
    plan: &Plan,
    program: &Path,
    viewers: usize,
    folder: &Path,
) -> anyhow::Result<Verdict> {
    let journal = Arc::new(Journal::begin());
    let world = World::build(ground, plan.seed, program, folder).await?;
    let played = act(world, plan, viewers, &journal).await;
    journal.write(&folder.join("done.txt"))?;
    played
}

async fn act(mut world: World, plan: &Plan, viewers: usize, journal: &Arc<Journal>) -> anyhow::Result<Verdict> {
    let addresses = world.start().await?;
    let mut sessions = vec![];
    for (at, team) in plan.sessions.iter().enumerate() {
        sessions.push(world.session(addresses[at % NODES], team).await?);
    }
    let (world, book) = (Arc::new(world), Arc::new(Book::default()));
    let (stage, stages) = watch::channel(Stage::Faults);
    let mut links = vec![];
    for session in &sessions {
        let secret = visitor::link(addresses[0], &world.keys.lead, session).await?;
        links.push((session.clone(), secret));
    }
    let visitor = Visitor::begin(&world.keys.visitor, &world.doors(), links, plan.seed);
    let mut watchers = people(&world, plan, &sessions, &stages, &book);
    watchers.extend(crowd(&world, plan, &sessions, &stages, viewers));
    journal.say("everything runs");

    let faults = Instant::now();
    deed::all(world.clone(), &plan.faults, journal.clone()).await?;
    let (faults, healed) = (faults.elapsed(), Instant::now());
    journal.say("everything is healed");
    stage.send_replace(Stage::Healed);
    let mut wrong = rest(&world, &book, &visitor, &mut watchers).await;
    let rested = healed.elapsed();
    journal.say("everything rests");
    let mut shown = shown(&world, &sessions).await?;
    stage.send_replace(Stage::Over);

    for (index, node) in world.nodes.iter().enumerate() {
        let address = world.links[index].viewers.address;
        if let Err(error) = healthy(address).await {
            wrong.push(format!("node {index}: {error}"));
        }
        let mut node = node.lock().await;
        node.signal("TERM").await?;
        node.ended().await?;
        wrong.extend(node.complaints());
    }

    let mut seen: BTreeMap<String, Vec<(String, Seen)>> = BTreeMap::new();
    for watcher in watchers {
        seen.entry(watcher.session).or_default().push((watcher.name, watcher.seen.await?));
    }
    let (entries, mut events, mut claims, mut tally) = (book.entries(), 0, 0, Tally::default());
    for session in &sessions {
        let id: SessionId = session.parse().ok().context("an id")?;
        let kept = audit::kept(&world.database, id).await?;
        events += kept.frames.len();
        claims += kept.claims;
        let shown = shown.remove(session).unwrap_or_default();
        let check = Check { session: id, kept: &kept, book: &entries, tally: &mut tally, shown, wrong: vec![] };
        let watchers = seen.get(session).into_iter().flatten();
        wrong.extend(check.all(watchers.map(|(name, seen)| (name.clone(), seen))));
    }
    wrong.extend(tally.wrong(&world.hands.doings()));
    let all = || seen.values().flatten().map(|(_, seen)| seen);
    let acks = entries.values().filter(|entry| !entry.acks.is_empty()).count();
    let summary = format!(
        "{} faults in {:.1} s, at rest {:.1} s later; {events} events, {claims} claims; {acks} of {} commands acknowledged; \
         {}; {} viewers on {} connections, {} fragments",
        plan.faults.len(),
        faults.as_secs_f32(),
        rested.as_secs_f32(),
        entries.len(),
        tally.summary(),
        all().count(),
        all().map(|seen| seen.connections).sum::<u32>(),
        all().map(|seen| seen.fragments).sum::<u64>(),
    );
    Ok(Verdict { wrong, summary })
}

/// Returns every session as each node shows it, and as an export shows it.
async fn shown(world: &World, sessions: &[String]) -> anyhow::Result<BTreeMap<String, Vec<(String, String)>>> {
    let mut shown: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for session in sessions {
        let places = shown.entry(session.clone()).or_default();
        for (index, links) in world.links.iter().enumerate() {
            let path = format!("/api/v1/sessions/{session}");
            let state = ask::ask(links.viewers.address, &world.keys.lead.token, &path, None).await?;
            places.push((format!("what node {index} shows"), state));
        }
        places.push(("an export".to_owned(), world.export(session).await?));
    }
    Ok(shown)
}

fn people(
    world: &World,
    plan: &Plan,
    sessions: &[String],
    stage: &watch::Receiver<Stage>,
    book: &Arc<Book>,
) -> Vec<Watcher> {
    let each = |(at, session): (usize, &String)| {
        let name = format!("lead-{at}");
        let mind = Mind::Lead(Lead::new(&name));
        let lead = (name, world.keys.lead.clone(), mind);
        let bot = (format!("bot-{at}"), world.keys.bot.clone(), Mind::Chat(0));
        [lead, bot].map(|(name, key, mind)| {
            let (progress, seen) = watch::channel(0);
            let random = Random::of(plan.seed, 1_000 + 2 * at as u64 + u64::from(matches!(mind, Mind::Chat(_))));
            let (session, doors, book, stage) = (session.clone(), world.doors(), book.clone(), stage.clone());
            let person = Person {
                name: name.clone(),
                session: session.clone(),
                key,
                doors,
                random,
                stage,
                progress,
                book,
                mind,
            };
            Watcher { name, session, progress: seen, seen: tokio::spawn(person.take_part()) }
        })
    };
    sessions.iter().enumerate().flat_map(each).collect()
}

fn crowd(
    world: &World,
    plan: &Plan,
    sessions: &[String],
    stage: &watch::Receiver<Stage>,
    viewers: usize,
) -> Vec<Watcher> {
    let each = |at: usize| {
        let (progress, seen) = watch::channel(0);
        let session = sessions[at % sessions.len()].clone();
        let (key, random) = (world.keys.viewer.clone(), Random::of(plan.seed, 10_000 + at as u64));
        let viewer =
            Viewer { session: session.clone(), key, doors: world.doors(), random, stage: stage.clone(), progress };
        Watcher { name: format!("viewer-{at}"), session, progress: seen, seen: tokio::spawn(viewer.watch()) }
    };
    (0..viewers).map(each).collect()
}

/// Waits until no run has unfinished work, every command has a response and every viewer has all events. Returns what
/// is missing if that takes too long.
async fn rest(world: &World, book: &Book, visitor: &Visitor, watchers: &mut [Watcher]) -> Vec<String> {
    let end = Instant::now() + REST;
    let mut rested = 0;
    loop {
        let missing = missing(world, book, visitor, watchers).await.unwrap_or_else(|error| vec![error.to_string()]);
        rested = if missing.is_empty() { rested + 1 } else { 0 };
        // Somebody's answer may begin something; so a moment of rest is not enough.
        if rested == 3 {
            return vec![];
        }
        if Instant::now() > end {
            return missing;
        }
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
}

async fn missing(
    world: &World,
    book: &Book,
    visitor: &Visitor,
    watchers: &mut [Watcher],
) -> anyhow::Result<Vec<String>> {
    let heads = audit::heads(&world.database).await?;
    let busy = heads.iter().filter(|(_, (_, unfinished))| *unfinished);
    let mut missing: Vec<_> =
        busy.map(|(session, (head, _))| format!("{session}: work is left at seq {head}")).collect();
    let open = book.entries().into_iter().filter(|(_, entry)| entry.insists && !entry.is_answered());
    missing.extend(open.map(|(id, entry)| format!("{id} is not answered, sent {} times", entry.sent)));
    missing.extend(visitor.outside().iter().map(|session| format!("{session}: the visitor knocks and is not let in")));
    for watcher in watchers {
        let (has, head) = (*watcher.progress.borrow_and_update(), heads.get(&watcher.session).map_or(0, |head| head.0));
        if has < head {
            missing.push(format!("{}: {} has {has} of {head} events", watcher.session, watcher.name));
        }
    }
    Ok(missing)
}

async fn healthy(address: SocketAddr) -> anyhow::Result<()> {
    ask::ask(address, "", "/healthz", None).await.map(drop)
}
