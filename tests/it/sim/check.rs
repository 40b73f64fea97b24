//! Checks at the end of a plan, whatever failed before.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use roundtable::agent::teams::ExecutionStatus;
use roundtable::kernel::gate::Gate;
use roundtable::kernel::*;
use roundtable::protocol::ServerFrame;

use super::memory::Log;
use super::pause::pause;
use super::world::World;

/// Simulated time within which everything must come to rest.
const REST: u32 = 4_000;

pub(super) async fn check(world: &Arc<World>) -> Result<(), String> {
    rest(world).await?;
    for session in &world.sessions {
        log(world, *session).map_err(|wrong| format!("{session}: {wrong}"))?;
        super::erasure::check(world, *session).await.map_err(|wrong| format!("{session}: {wrong}"))?;
    }
    tools(world)
}

/// Waits until no work is left.
pub(super) async fn rest(world: &Arc<World>) -> Result<(), String> {
    let mut rest = 0;
    while let Some(unrest) = unrest(world).await {
        seen_right(world)?;
        pause(50).await;
        rest += 1;
        if rest > REST {
            return Err(unrest);
        }
    }
    seen_right(world)
}

fn seen_right(world: &World) -> Result<(), String> {
    if let Some(wrong) = world.wrong.lock().clone() {
        return Err(wrong);
    }
    let viewers = world.viewers.lock();
    let mut wrong = viewers.iter().filter_map(|viewer| Some((viewer.session, viewer.wrong.lock().clone()?)));
    wrong.next().map_or(Ok(()), |(session, wrong)| Err(format!("{session}: a viewer {wrong}")))
}

pub(super) fn state(world: &World, session: SessionId) -> (State, Vec<Event>) {
    let mut state = State::new(session);
    let mut events = vec![];
    for frame in world.log(session) {
        if let Ok(ServerFrame::Event { event, .. }) = serde_json::from_slice(&frame) {
            evolve(&mut state, &event);
            events.push(event);
        }
    }
    (state, events)
}

/// Returns the unfinished work: runs that neither ended nor wait for people, and viewers that have not seen everything.
async fn unrest(world: &World) -> Option<String> {
    for session in &world.sessions {
        let (state, _) = state(world, *session);
        let run = state.view().active_run();
        let waits = state.view().gates.iter().any(Gate::holds_work)
            || run.is_some_and(|run| run.paused && run.items.iter().all(|item| item.retry_at.is_some()));
        if let Some(run) = run.filter(|run| !waits || run.stopping()) {
            return Some(format!("{session}: the run neither ends nor waits for people: {run:?}"));
        }
        let (head, known) = (world.log(*session).len() as u64, world.known_to_its_owner(*session).await);
        if let Some(known) = known.filter(|known| *known != head) {
            return Some(format!("{session}: its owner stands at {known} of {head} events"));
        }
    }
    if let Some(stale) = world.stale() {
        return Some(stale);
    }
    for viewer in world.viewers.lock().iter() {
        let (seen, log) = (viewer.events.lock(), world.log(viewer.session));
        if *seen != log {
            return Some(format!("{}: a viewer has {} of {} events", viewer.session, seen.len(), log.len()));
        }
    }
    None
}

fn log(world: &World, session: SessionId) -> Result<(), String> {
    let (_, events) = state(world, session);
    if !events.iter().map(|event| event.seq).eq(1..=events.len() as u64) {
        return Err("the log has a gap".into());
    }
    let logs = world.memory.logs.lock();
    let stored = &logs[&session];
    if let Some((fence, in_force)) = stored.writers.iter().find(|(fence, in_force)| fence != in_force) {
        return Err(format!("the writer with fence {fence} wrote when {in_force} was in force"));
    }
    for ((of, actor, id), seq) in world.acknowledged.lock().iter().filter(|((of, ..), _)| *of == session) {
        let kept = stored.receipts.get(&(actor.clone(), id.clone()));
        // A command that changes nothing is acknowledged without an event.
        if kept.is_some_and(|kept| kept != seq) || *seq > events.len() as u64 {
            return Err(format!("{of}: {actor}'s {id} was acknowledged at {seq}, and stands at {kept:?}"));
        }
    }
    if let Some(wrong) = super::laws::violations(session, &events).into_iter().next() {
        return Err(wrong);
    }
    let over = |event: &&Event| {
        let id = event.cause.as_ref().and_then(|cause| if let Cause::Command(id) = cause { Some(id) } else { None });
        id.is_some_and(|id| world.over.lock().contains(&(session, id.to_string())))
    };
    if let Some(event) = events.iter().find(over) {
        return Err(format!("its target was over, and it was accepted: {event:?}"));
    }
    execution(stored, &events)?;
    once(&events)?;
    titles(&events)?;
    items(&events)
}

/// The execution of a stored team must match the first run of its log.
fn execution(stored: &Log, events: &[Event]) -> Result<(), String> {
    let of_stored_team = |event: &Event| match &event.fact {
        Fact::SessionCreated { team, .. } => team.origin.is_some(),
        _ => false,
    };
    let erased = events.iter().any(|event| matches!(event.fact, Fact::SessionRedacted { .. }));
    let start = events.iter().find(|event| matches!(event.fact, Fact::RunStarted { .. }));
    let start = start.filter(|_| !erased && events.iter().any(of_stored_team));
    let mut later = events.iter().filter(|event| start.is_some_and(|start| event.seq > start.seq));
    let end = later.find_map(|event| Some((event.at, ExecutionStatus::after(&event.fact)?.0)));
    let (at, status) = end.map_or((None, ExecutionStatus::Running), |(at, status)| (Some(at), status));
    let expected = start.map(|start| (start.at, at, status));
    let row = stored.execution.as_ref().map(|row| (row.started_at, row.completed_at, row.status));
    match row == expected {
        true => Ok(()),
        false => Err(format!("the execution is {row:?}, and by the log {expected:?}")),
    }
}

/// The server never renames a session that people have named.
fn titles(events: &[Event]) -> Result<(), String> {
    let named = events.iter().filter(|event| matches!(event.fact, Fact::SessionUpdated { title: Some(_), .. }));
    let by_people = |event: &&Event| event.by.participant_id().is_some();
    match named.skip_while(|event| !by_people(event)).find(|event| !by_people(event)) {
        Some(event) => Err(format!("the server renamed what people had named: {event:?}")),
        None => Ok(()),
    }
}

/// The events of a command are adjacent, and occur once.
fn once(events: &[Event]) -> Result<(), String> {
    // Every command of a plan has a unique id.
    let mut last: HashMap<String, u64> = HashMap::new();
    for event in events {
        let Some(Cause::Command(id)) = &event.cause else { continue };
        if let Some(before) = last.insert(id.to_string(), event.seq).filter(|before| before + 1 != event.seq) {
            return Err(format!("{id} counts twice: at {before} and at {}", event.seq));
        }
    }
    Ok(())
}

/// Each effect of a tool was in the log first, with exactly these arguments, and happened no more often than that.
fn tools(world: &World) -> Result<(), String> {
    for session in &world.sessions {
        let (_, events) = state(world, *session);
        let mut sent: HashMap<CallId, Vec<Arc<str>>> = HashMap::new();
        let mut unclear = vec![];
        for event in &events {
            match &event.fact {
                Fact::ToolUncertain { call, .. } => unclear.push(*call),
                Fact::ToolStarted { call, digest, .. } => {
                    let before = sent.entry(*call).or_default();
                    if before.len() > unclear.iter().filter(|unclear| *unclear == call).count() {
                        return Err(format!("{session}: {call} was sent again, and nobody was asked"));
                    }
                    before.push(digest.clone());
                }
                _ => {}
            }
        }
        for (_, call, arguments) in world.executions.lock().iter().filter(|(of, ..)| of == session) {
            let done = call::digest(&arguments.to_string());
            // The log does not contain the original arguments if they were redacted.
            let fits = |digest: &Arc<str>| *digest == done || digest.is_empty();
            let at = sent.get(call).and_then(|sent| sent.iter().position(fits));
            match (at, sent.get_mut(call)) {
                (Some(at), Some(sent)) => drop(sent.remove(at)),
                _ => return Err(format!("{session}: {call} with {arguments} was done, and nobody had sent it")),
            }
        }
    }
    Ok(())
}

/// An item ends once, with its newest attempt.
fn items(events: &[Event]) -> Result<(), String> {
    let mut open: BTreeMap<MessageId, (u32, bool)> = BTreeMap::new();
    for event in events {
        match &event.fact {
            Fact::MessageStarted { message, attempt, .. } => {
                let before = open.insert(*message, (*attempt, false));
                if before.is_some_and(|(before, ended)| ended || before >= *attempt) {
                    return Err(format!("{message:?} began again after {before:?}"));
                }
            }
            Fact::MessageCompleted { message, attempt, .. } | Fact::MessageAborted { message, attempt, .. } => {
                let known = open.insert(*message, (*attempt, true));
                if known != Some((*attempt, false)) {
                    return Err(format!("{message:?} ended with attempt {attempt} after {known:?}"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}
