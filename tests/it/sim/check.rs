//! Checks at the end of a plan, whatever failed before.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use roundtable::agent::teams::ExecutionStatus;
use roundtable::kernel::gate::Gate;
use roundtable::kernel::*;
use roundtable::protocol::ServerFrame;

use super::memory_store::SessionLog;
use super::pause::pause;
use super::simulation::Simulation;

/// Maximum number of checks until all work must have ended.
const MAX_CHECKS: u32 = 4_000;

pub(super) async fn check(simulation: &Arc<Simulation>) -> Result<(), String> {
    wait_until_idle(simulation).await?;
    for session in &simulation.sessions {
        log(simulation, *session).map_err(|violation| format!("{session}: {violation}"))?;
        super::erasure::check(simulation, *session).await.map_err(|violation| format!("{session}: {violation}"))?;
    }
    tools(simulation)
}

/// Waits until no work is left.
pub(super) async fn wait_until_idle(simulation: &Arc<Simulation>) -> Result<(), String> {
    let mut checks = 0;
    while let Some(work) = unfinished_work(simulation).await {
        check_violations(simulation)?;
        pause(50).await;
        checks += 1;
        if checks > MAX_CHECKS {
            return Err(work);
        }
    }
    check_violations(simulation)
}

fn check_violations(simulation: &Simulation) -> Result<(), String> {
    if let Some(violation) = simulation.violation.lock().clone() {
        return Err(violation);
    }
    let viewers = simulation.viewers.lock();
    let mut violation = viewers.iter().filter_map(|viewer| Some((viewer.session, viewer.violation.lock().clone()?)));
    violation.next().map_or(Ok(()), |(session, violation)| Err(format!("{session}: a viewer {violation}")))
}

pub(super) fn state(simulation: &Simulation, session: SessionId) -> (State, Vec<Event>) {
    let mut state = State::new(session);
    let mut events = vec![];
    for frame in simulation.log(session) {
        if let Ok(ServerFrame::Event { event, .. }) = serde_json::from_slice(&frame) {
            evolve(&mut state, &event);
            events.push(event);
        }
    }
    (state, events)
}

/// Returns the unfinished work: runs that neither ended nor wait for people, and viewers that have not seen everything.
async fn unfinished_work(simulation: &Simulation) -> Option<String> {
    for session in &simulation.sessions {
        let (state, _) = state(simulation, *session);
        let run = state.view().active_run();
        let waits = state.view().gates.iter().any(Gate::holds_work)
            || run.is_some_and(|run| run.paused && run.running.iter().all(|message| message.retry_at.is_some()));
        if let Some(run) = run.filter(|run| !waits || run.stopping()) {
            return Some(format!("{session}: the run neither ends nor waits for people: {run:?}"));
        }
        let (head, known) = (simulation.log(*session).len() as u64, simulation.seq_of_owner(*session).await);
        if let Some(known) = known.filter(|known| *known != head) {
            return Some(format!("{session}: its owner stands at {known} of {head} events"));
        }
    }
    if let Some(stale) = simulation.misplaced_session() {
        return Some(stale);
    }
    for viewer in simulation.viewers.lock().iter() {
        let (seen, log) = (viewer.events.lock(), simulation.log(viewer.session));
        if *seen != log {
            return Some(format!("{}: a viewer has {} of {} events", viewer.session, seen.len(), log.len()));
        }
    }
    None
}

fn log(simulation: &Simulation, session: SessionId) -> Result<(), String> {
    let (_, events) = state(simulation, session);
    if !events.iter().map(|event| event.seq).eq(1..=events.len() as u64) {
        return Err("the log has a gap".into());
    }
    let logs = simulation.memory.logs.lock();
    let stored = &logs[&session];
    if let Some((fence, in_force)) = stored.writers.iter().find(|(fence, in_force)| fence != in_force) {
        return Err(format!("the writer with fence {fence} wrote when {in_force} was in force"));
    }
    for ((of, actor, id), seq) in simulation.acknowledged.lock().iter().filter(|((of, ..), _)| *of == session) {
        let kept = stored.receipts.get(&(actor.clone(), id.clone()));
        // A command that changes nothing is acknowledged without an event.
        if kept.is_some_and(|kept| kept != seq) || *seq > events.len() as u64 {
            return Err(format!("{of}: {actor}'s {id} was acknowledged at {seq}, and stands at {kept:?}"));
        }
    }
    if let Some(violation) = super::laws::violations(session, &events).into_iter().next() {
        return Err(violation);
    }
    let over = |event: &&Event| {
        let id = event.cause.as_ref().and_then(|cause| if let Cause::Command(id) = cause { Some(id) } else { None });
        id.is_some_and(|id| simulation.over.lock().contains(&(session, id.to_string())))
    };
    if let Some(event) = events.iter().find(over) {
        return Err(format!("its target was over, and it was accepted: {event:?}"));
    }
    execution(stored, &events)?;
    once(&events)?;
    titles(&events)?;
    messages(&events)
}

/// Checks that the execution of a stored team matches the first run of its log.
fn execution(stored: &SessionLog, events: &[Event]) -> Result<(), String> {
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

/// Checks that the server never renames a session that people have named.
fn titles(events: &[Event]) -> Result<(), String> {
    let named = events.iter().filter(|event| matches!(event.fact, Fact::SessionUpdated { title: Some(_), .. }));
    let by_people = |event: &&Event| event.by.participant_id().is_some();
    match named.skip_while(|event| !by_people(event)).find(|event| !by_people(event)) {
        Some(event) => Err(format!("the server renamed what people had named: {event:?}")),
        None => Ok(()),
    }
}

/// Checks that the events of each command are adjacent, and occur once.
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

/// Checks that each effect of a tool is in the log with exactly the same arguments, and happened no more often than the
/// log says.
fn tools(simulation: &Simulation) -> Result<(), String> {
    for session in &simulation.sessions {
        let (_, events) = state(simulation, *session);
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
        for (_, call, arguments) in simulation.executions.lock().iter().filter(|(of, ..)| of == session) {
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

/// Checks that each message ends once, with its newest attempt.
fn messages(events: &[Event]) -> Result<(), String> {
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
