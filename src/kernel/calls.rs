//! The life of a call: proposed, judged, allowed by rules or people, sent, answered. Also the calls that the kernel
//! answers itself: the plan and questions to people.

use std::sync::Arc;

use serde_json::Value;

use super::call::{Call, CallState, Permission};
use super::command::{Brought, Judged, Wanted};
use super::decide::Draft;
use super::gate::{Act, Gate, GateKind, Outcome};
use super::{
    AgentId, Assignment, CallId, Fact, FileId, MessageId, Rejection, Right, RunId, StepError, StepId, ask, exact,
    files, inner, inquiry, rule, schema,
};

/// Record the calls that a turn wants; those beyond the bound fail at once.
pub(super) fn propose(
    draft: &mut Draft,
    run: RunId,
    step: StepId,
    message: Option<MessageId>,
    by: &Assignment,
    wanted: &[Wanted],
) {
    let most = usize::try_from(draft.view().settings.calls_per_turn).unwrap_or(usize::MAX);
    let proposed = record(draft, run, step, message, by, wanted);
    for (place, call) in proposed.into_iter().enumerate() {
        if place >= most {
            let words = format!("one turn may call {most} tools; call the others in the next one");
            fail(draft, call, error("too_many_calls", words));
        } else if inner::is_inner(draft.view(), call) {
            inner::perform(draft, call);
        }
    }
}

/// Record the calls of a turn after which there is no other: nobody would read what they bring.
pub(super) fn refuse(
    draft: &mut Draft,
    run: RunId,
    step: StepId,
    message: MessageId,
    by: &Assignment,
    wanted: &[Wanted],
) {
    let most = draft.view().settings.turns_per_task;
    for call in record(draft, run, step, Some(message), by, wanted) {
        let words =
            format!("one task may take {most} turns, and this was the last one: it could call nothing any more");
        fail(draft, call, error("too_many_turns", words));
    }
}

fn record(
    draft: &mut Draft,
    run: RunId,
    step: StepId,
    message: Option<MessageId>,
    by: &Assignment,
    wanted: &[Wanted],
) -> Vec<CallId> {
    let propose = |Wanted { name, arguments }: &Wanted| {
        let call = CallId(draft.next_seq());
        let (agent, task, name, arguments) = (by.agent.clone(), by.task, name.clone(), arguments.clone());
        draft.emit(Fact::ToolProposed { call, run, step, message, agent, task, name, arguments });
        call
    };
    wanted.iter().map(propose).collect()
}

/// What the rules say about a call.
pub(super) fn judged(draft: &mut Draft, id: CallId, judged: &Judged) {
    let Some((run, call)) = current(draft, id).filter(|(_, call)| call.state == CallState::Proposed) else { return };
    match judged {
        Judged::Impossible(error) => fail(draft, id, error.clone()),
        Judged::Known { permission: Permission::Deny, .. } => {
            let words = format!("the rules of this session do not allow {} to be called like this", call.name);
            fail(draft, id, error("denied", words));
        }
        Judged::Known { permission, idempotent, schema } => {
            draft.emit(Fact::ToolJudged { call: id, run, permission: *permission, idempotent: *idempotent });
            if *permission == Permission::Ask {
                ask::about_call(draft, id, GateKind::Tool, Some(schema.clone()));
            }
        }
    }
}

/// Whether people may change a call to these arguments: they may allow what the rules ask about, and nothing that the rules
/// deny.
pub(super) fn may_become(draft: &Draft, id: CallId, arguments: &Value) -> Result<(), Rejection> {
    let Some((_, call)) = current(draft, id) else { return Ok(()) };
    let agent = agent_of(draft, id).and_then(|id| draft.view().team.agent(&id));
    match agent.and_then(|agent| rule::permission(&agent.permissions, &call.name, arguments)) {
        Some(Permission::Deny) => {
            let words = format!(
                "the rules of this session do not allow {} to be called like this; change the arguments otherwise, or vote \
                 against the call",
                call.name
            );
            Err(Rejection::Forbidden { right: Right::Approve, message: words.into() })
        }
        _ => Ok(()),
    }
}

/// Send every call that may be made.
pub(super) fn start(draft: &mut Draft) {
    let Some(run) = draft.view().active_run() else { return };
    let calls = run.exchanges.iter().filter(|exchange| !exchange.closed).flat_map(|exchange| &exchange.calls);
    let allowed: Vec<Call> = calls.filter(|call| call.state == CallState::Allowed).cloned().collect();
    let run = run.id;
    for call in allowed {
        send(draft, run, &call);
    }
}

pub(super) fn send(draft: &mut Draft, run: RunId, call: &Call) {
    let (attempt, rev, digest) = (call.attempt + 1, call.rev, call.digest());
    draft.emit(Fact::ToolStarted { call: call.id, run, attempt, rev, digest });
}

/// A result. One of an earlier attempt is dropped.
pub(super) fn ended(draft: &mut Draft, id: CallId, attempt: u32, result: &Result<Brought, StepError>) {
    let sent = |call: &Call| call.state == CallState::Started && call.attempt == attempt;
    if current(draft, id).is_none_or(|(_, call)| !sent(&call)) {
        return;
    }
    match result {
        Ok(Brought { text, files, room }) => {
            let (made, words) = files::made(draft, id, files, *room);
            let output = if words.is_empty() { text.clone() } else { format!("{text}\n{words}").into() };
            complete_with(draft, id, output, made);
        }
        Err(error) => fail(draft, id, error.clone()),
    }
}

pub(super) fn complete(draft: &mut Draft, id: CallId, output: Arc<str>) {
    complete_with(draft, id, output, vec![]);
}

fn complete_with(draft: &mut Draft, id: CallId, output: Arc<str>, files: Vec<FileId>) {
    let Some((run, call)) = current(draft, id) else { return };
    inquiry::close(draft, &call);
    draft.emit(Fact::ToolCompleted { call: id, run, attempt: call.attempt, output, files });
}

pub(super) fn fail(draft: &mut Draft, id: CallId, error: StepError) {
    let Some((run, call)) = current(draft, id) else { return };
    inquiry::close(draft, &call);
    draft.emit(Fact::ToolFailed { call: id, run, attempt: call.attempt, error });
}

/// A call that was sent by a node that is lost: made again where that does no harm, else people are asked.
pub(super) fn take_up(draft: &mut Draft, run: RunId, call: &Call) {
    inquiry::close(draft, call);
    if call.idempotent {
        return send(draft, run, call);
    }
    draft.emit(Fact::ToolUncertain { call: call.id, run, attempt: call.attempt });
    ask::about_call(draft, call.id, GateKind::Uncertain, None);
}

/// Every call that is not over fails: the run does not go on with it, and nothing of it runs any more.
pub(super) fn drop_all(draft: &mut Draft, code: &str) {
    drop_those(draft, code, |call| !call.state.is_over());
}

/// Every call that is not over and does not run fails; what was sent comes to its end.
pub(super) fn drop_unsent(draft: &mut Draft, code: &str) {
    drop_those(draft, code, |call| !call.state.is_over() && call.state != CallState::Started);
}

fn drop_those(draft: &mut Draft, code: &str, which: fn(&Call) -> bool) {
    let Some(run) = draft.view().active_run() else { return };
    let calls = run.exchanges.iter().flat_map(|exchange| &exchange.calls);
    let open: Vec<Call> = calls.filter(|call| which(call)).cloned().collect();
    for call in open {
        let sent = matches!(call.state, CallState::Started | CallState::Uncertain);
        let words = if sent { "it was stopped after it was sent, and may have happened" } else { "it was not made" };
        fail(draft, call.id, error(code, words));
    }
}

/// What people decided about a call.
pub(super) fn decided(draft: &mut Draft, gate: &Gate, outcome: Outcome, words: Option<Arc<str>>) {
    // A call that is under way goes on with what it is told.
    let Some((_, call)) = gate.call.and_then(|id| current(draft, id)) else { return };
    if call.state == CallState::Started {
        return;
    }
    let id = call.id;
    match (gate.kind, outcome) {
        // The state has it: it is sent when the run goes on.
        (_, Outcome::Approved) => {}
        (_, Outcome::Responded) => complete(draft, id, words.unwrap_or_else(|| "".into())),
        (kind, Outcome::Rejected) => {
            let code = if kind == GateKind::Uncertain { "uncertain" } else { "rejected" };
            fail(draft, id, error(code, said(refusal(kind), words)));
        }
    }
}

/// The server's words about a call that people rejected at such a gate.
pub(super) fn refusal(kind: GateKind) -> &'static str {
    match kind {
        GateKind::Uncertain => "people say that it is to count as failed; whether it happened is not known",
        _ => "people did not allow it",
    }
}

fn said(what: &str, words: Option<Arc<str>>) -> String {
    words.map_or_else(|| what.to_owned(), |words| format!("{what}: {words}"))
}

/// A gate's time ran out.
pub(super) fn expired(draft: &mut Draft, gate: &Gate) {
    let waits = |(_, call): &(RunId, Call)| call.state != CallState::Started;
    if let Some((_, call)) = gate.call.and_then(|id| current(draft, id)).filter(waits) {
        fail(draft, call.id, error("gate_expired", "nobody decided in time"));
    }
}

/// An answer to an agent's question is as its schema has it; a text is taken for what it is.
pub(super) fn answer(gate: &Gate, text: &Arc<str>) -> Result<Arc<str>, String> {
    let Some(wanted) = gate.schema.as_ref().filter(|_| gate.kind == GateKind::Question) else {
        return Ok(text.clone());
    };
    let words = Value::String(text.to_string());
    let value = serde_json::from_str(text).unwrap_or_else(|_| words.clone());
    // What is asked for may be a text that reads like JSON: a version "1.2", a "true" of several choices.
    match schema::check_answer(wanted, &value) {
        Ok(()) if !value.is_string() => exact::read(text).map(|value| value.to_string().into()),
        Ok(()) => Ok(value.as_str().unwrap_or_default().into()),
        Err(_) if schema::check_answer(wanted, &words).is_ok() => Ok(text.clone()),
        Err(fault) => Err(fault),
    }
}

/// What people may do at a gate about a call.
pub(super) fn acts(kind: GateKind) -> Vec<Act> {
    match kind {
        GateKind::Question => vec![Act::Respond],
        GateKind::Uncertain => vec![Act::Approve, Act::Reject, Act::Respond],
        _ => vec![Act::Approve, Act::Edit, Act::Reject, Act::Respond],
    }
}

pub(super) fn error(code: &str, message: impl Into<Arc<str>>) -> StepError {
    StepError { code: code.into(), message: message.into() }
}

pub(super) fn current(draft: &Draft, id: CallId) -> Option<(RunId, Call)> {
    let run = draft.view().active_run()?;
    Some((run.id, run.call(id).filter(|call| !call.state.is_over())?.clone()))
}

/// The agent whose call it is.
pub(super) fn agent_of(draft: &Draft, id: CallId) -> Option<AgentId> {
    Some(draft.view().active_run()?.exchange_of(id)?.assignment.agent.clone())
}
