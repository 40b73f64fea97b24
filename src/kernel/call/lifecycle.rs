//! Lifecycle of a tool call: proposed, checked, allowed by rules or people, sent, completed or failed. Also the calls
//! that the kernel executes itself: the plan and questions to people.

use std::sync::Arc;

use serde_json::Value;

use super::rule::{self, CallRule};
use super::{Call, CallState, Permission, inquiry, kernel_tools, standing_permission};
use crate::draft::Draft;
use crate::gate::{Gate, GateAction, GateKind, Outcome};
use crate::schema::strict_json;
use crate::{
    AgentId, Assignment, AttemptError, CallId, Fact, FileId, MessageId, Rejection, Right, RunId, StepId, file, gate,
    schema,
};
use crate::{CallCheck, CallOutput, ProposedCall};

/// Records the calls that a turn proposes. Calls beyond the limit fail immediately.
pub(crate) fn propose(
    draft: &mut Draft,
    run: RunId,
    step: StepId,
    message: Option<MessageId>,
    by: &Assignment,
    calls: &[ProposedCall],
) {
    let max_calls = usize::try_from(draft.view().settings.max_calls_per_turn).unwrap_or(usize::MAX);
    let proposed = record(draft, run, step, message, by, calls);
    for (place, call) in proposed.into_iter().enumerate() {
        if place >= max_calls {
            let text = format!("too many calls in one turn, at most {max_calls}; make the others in the next turn");
            fail(draft, call, error("too_many_calls", text));
        } else if kernel_tools::is_kernel_tool(draft.view(), call) {
            kernel_tools::answer_call(draft, call);
        }
    }
}

/// Records the calls of a task's last turn as failed, because no agent would read their results.
pub(crate) fn refuse(
    draft: &mut Draft,
    run: RunId,
    step: StepId,
    message: MessageId,
    by: &Assignment,
    calls: &[ProposedCall],
) {
    let max_turns = draft.view().settings.max_turns_per_task;
    for call in record(draft, run, step, Some(message), by, calls) {
        let text = format!("this was the last of the {max_turns} turns of the task, so the call was not made");
        fail(draft, call, error("too_many_turns", text));
    }
}

fn record(
    draft: &mut Draft,
    run: RunId,
    step: StepId,
    message: Option<MessageId>,
    by: &Assignment,
    calls: &[ProposedCall],
) -> Vec<CallId> {
    let propose = |ProposedCall { name, arguments }: &ProposedCall| {
        let call = CallId(draft.next_seq());
        let (agent, task, name, arguments) = (by.agent.clone(), by.task, name.clone(), arguments.clone());
        let sources = draft.view().sources.of(by);
        draft.emit(Fact::ToolProposed { call, run, step, message, agent, task, name, arguments, sources });
        call
    };
    calls.iter().map(propose).collect()
}

/// Applies the decision of the rules about a call.
pub(crate) fn apply_check(draft: &mut Draft, id: CallId, check: &CallCheck) {
    let Some((run, call)) = current(draft, id).filter(|(_, call)| call.state == CallState::Proposed) else { return };
    match check {
        CallCheck::Impossible(error) => fail(draft, id, error.clone()),
        CallCheck::Known { permission: Permission::Deny, .. } => {
            let message = format!("the rules of this session do not allow this call of {}", call.name);
            fail(draft, id, error("denied", message));
        }
        CallCheck::Known { permission, idempotent, risk, reads_only, result_sources, schema } => {
            let (idempotent, risk, result_sources) = (*idempotent, *risk, result_sources.clone());
            // Otherwise, text by a guest or from a web page could trigger a side effect that the agent's own rules
            // allow.
            let caused = !reads_only && !draft.view().settings.causes(risk, &call.sources).is_empty();
            let asks = *permission == Permission::Ask || caused;
            let standing = asks.then(|| standing_permission::find(draft, &call, risk)).flatten();
            let permission = if asks && standing.is_none() { Permission::Ask } else { Permission::Allow };
            draft.emit(Fact::ToolChecked { call: id, run, permission, idempotent, risk, result_sources, standing });
            if permission == Permission::Ask {
                gate::opening::open_call(draft, id, GateKind::Tool, Some(schema.clone()));
            }
        }
    }
}

/// Checks that people may change a call to these arguments. They may allow what the rules ask about, but nothing that
/// the rules deny.
pub(crate) fn check_edit(draft: &Draft, id: CallId, arguments: &Value) -> Result<(), Rejection> {
    let Some((_, call)) = current(draft, id) else { return Ok(()) };
    let Some(agent) = agent_of(draft, id).and_then(|id| draft.view().team.agent(&id)) else { return Ok(()) };
    let rule = rule::first_match(&agent.permissions, &call.name, arguments);
    let text = if rule.is_some_and(|rule| rule.permission == Permission::Deny) {
        "the rules of this session do not allow this call of {}; use other arguments, or vote against the call"
    } else if raises_risk(&agent.permissions, &call, rule) {
        "with these arguments, this call of {} is riskier than the one that this gate was opened for; use other arguments, \
         or vote against the call and say what to change, so that the agent proposes it under the rule for that risk"
    } else {
        return Ok(());
    };
    Err(Rejection::Forbidden { right: Right::Approve, message: text.replace("{}", &call.name).into() })
}

/// Returns whether a call with edited arguments, to which the rule `edited` applies, can be riskier than the call as it
/// is. The gate keeps the approval rule that it was opened under: otherwise, one voter could approve a call that needs
/// two.
fn raises_risk(rules: &[CallRule], call: &Call, edited: Option<&CallRule>) -> bool {
    let before = serde_json::from_str(&call.arguments).ok();
    let before = before.and_then(|arguments: Value| rule::first_match(rules, &call.name, &arguments)?.risk);
    match edited.and_then(|rule| rule.risk) {
        Some(risk) => risk > call.risk,
        // The tool's risk applies, which is the call's risk unless a rule replaced it.
        None => before.is_some(),
    }
}

/// Sends every call that is allowed and not yet sent.
pub(crate) fn start(draft: &mut Draft) {
    let unsent = allowed(draft);
    standing_permission::revoke_expired(draft, &unsent);
    let Some(run) = draft.view().active_run().map(|run| run.id) else { return };
    for call in allowed(draft) {
        send(draft, run, &call);
    }
}

/// Returns the calls that are allowed and not yet sent.
fn allowed(draft: &Draft) -> Vec<Call> {
    let rounds = draft.view().active_run().into_iter().flat_map(|run| &run.tool_rounds);
    let calls = rounds.filter(|round| !round.closed).flat_map(|round| &round.calls);
    calls.filter(|call| call.state == CallState::Allowed).cloned().collect()
}

pub(crate) fn send(draft: &mut Draft, run: RunId, call: &Call) {
    let (attempt, rev, digest) = (call.attempt + 1, call.rev, call.digest());
    draft.emit(Fact::ToolStarted { call: call.id, run, attempt, rev, digest });
}

/// Applies the result of a call. A result of an earlier attempt is discarded.
pub(crate) fn apply_result(draft: &mut Draft, id: CallId, attempt: u32, result: &Result<CallOutput, AttemptError>) {
    let sent = |call: &Call| call.state == CallState::Started && call.attempt == attempt;
    if current(draft, id).is_none_or(|(_, call)| !sent(&call)) {
        return;
    }
    match result {
        Ok(CallOutput { text, files, limits }) => {
            let (made, message) = file::commands::add_made(draft, id, files, *limits);
            let output = if message.is_empty() { text.clone() } else { format!("{text}\n{message}").into() };
            complete_with(draft, id, output, made);
        }
        Err(error) => fail(draft, id, error.clone()),
    }
}

pub(crate) fn complete(draft: &mut Draft, id: CallId, output: Arc<str>) {
    complete_with(draft, id, output, vec![]);
}

fn complete_with(draft: &mut Draft, id: CallId, output: Arc<str>, files: Vec<FileId>) {
    let Some((run, call)) = current(draft, id) else { return };
    inquiry::close(draft, &call);
    draft.emit(Fact::ToolCompleted { call: id, run, attempt: call.attempt, output, files });
}

pub(crate) fn fail(draft: &mut Draft, id: CallId, error: AttemptError) {
    let Some((run, call)) = current(draft, id) else { return };
    inquiry::close(draft, &call);
    draft.emit(Fact::ToolFailed { call: id, run, attempt: call.attempt, error });
}

/// Continues with a call that a lost node had sent. The call is repeated if that is safe; otherwise, people are asked.
pub(crate) fn recover_call(draft: &mut Draft, run: RunId, call: &Call) {
    inquiry::close(draft, call);
    if call.idempotent {
        return send(draft, run, call);
    }
    draft.emit(Fact::ToolUncertain { call: call.id, run, attempt: call.attempt });
    gate::opening::open_call(draft, call.id, GateKind::Uncertain, None);
}

/// Fails every call that has not ended. The run does not continue with them, and none of them is still running.
pub(crate) fn fail_all(draft: &mut Draft, code: &str) {
    fail_matching(draft, code, |call| !call.state.is_over());
}

/// Fails every call that has not ended and is not running. Running calls still complete.
pub(crate) fn fail_unsent(draft: &mut Draft, code: &str) {
    fail_matching(draft, code, |call| !call.state.is_over() && call.state != CallState::Started);
}

fn fail_matching(draft: &mut Draft, code: &str, which: fn(&Call) -> bool) {
    let Some(run) = draft.view().active_run() else { return };
    let calls = run.tool_rounds.iter().flat_map(|round| &round.calls);
    let open: Vec<Call> = calls.filter(|call| which(call)).cloned().collect();
    for call in open {
        let sent = matches!(call.state, CallState::Started | CallState::Uncertain);
        let message = if sent {
            "the call was stopped after it was sent; its effects are unknown"
        } else {
            "the call was not made"
        };
        fail(draft, call.id, error(code, message));
    }
}

/// Applies the decision of people about a call.
pub(crate) fn apply_decision(draft: &mut Draft, gate: &Gate, outcome: Outcome, message: Option<Arc<str>>) {
    // A running call continues with the reply that it receives; the decision does not end it.
    let Some((_, call)) = gate.call.and_then(|id| current(draft, id)) else { return };
    if call.state == CallState::Started {
        return;
    }
    let id = call.id;
    match (gate.kind, outcome) {
        // The state contains the approval: the driver sends the call when the run continues.
        (_, Outcome::Approved) => {}
        (_, Outcome::Responded) => complete(draft, id, message.unwrap_or_else(|| "".into())),
        (kind, Outcome::Rejected | Outcome::Withdrawn) => {
            let code = if kind == GateKind::Uncertain { "uncertain" } else { "rejected" };
            fail(draft, id, error(code, with_comment(rejection_text(kind), message)));
        }
    }
}

/// Returns the server's text about a call that people rejected at a gate of this kind.
pub(crate) fn rejection_text(kind: GateKind) -> &'static str {
    match kind {
        GateKind::Uncertain => "people marked it as failed; its effects are unknown",
        GateKind::Tool
        | GateKind::Question
        | GateKind::Feedback
        | GateKind::Plan
        | GateKind::Budget
        | GateKind::Rule
        | GateKind::Command => "people did not allow it",
    }
}

fn with_comment(what: &str, text: Option<Arc<str>>) -> String {
    text.map_or_else(|| what.to_owned(), |text| format!("{what}: {text}"))
}

/// Fails the call of a gate that expired.
pub(crate) fn expire(draft: &mut Draft, gate: &Gate) {
    let waits = |(_, call): &(RunId, Call)| call.state != CallState::Started;
    if let Some((_, call)) = gate.call.and_then(|id| current(draft, id)).filter(waits) {
        fail(draft, call.id, error("gate_expired", "nobody decided in time"));
    }
}

/// Checks the answer to a question against its schema, and returns it in the form that the agent reads.
pub(crate) fn read_answer(gate: &Gate, text: &Arc<str>) -> Result<Arc<str>, String> {
    let Some(wanted) = gate.schema.as_ref().filter(|_| gate.kind == GateKind::Question) else {
        return Ok(text.clone());
    };
    let message = Value::String(text.to_string());
    let value = serde_json::from_str(text).unwrap_or_else(|_| message.clone());
    // The requested value can be a string that looks like JSON, such as a version "1.2", or "true" as one of several
    // choices.
    match schema::check_answer(wanted, &value) {
        Ok(()) if !value.is_string() => strict_json::parse(text).map(|value| value.to_string().into()),
        Ok(()) => Ok(value.as_str().unwrap_or_default().into()),
        Err(_) if schema::check_answer(wanted, &message).is_ok() => Ok(text.clone()),
        Err(fault) => Err(fault),
    }
}

/// Returns the possible responses at a gate about a call.
pub(crate) fn allowed_actions(kind: GateKind) -> Vec<GateAction> {
    match kind {
        GateKind::Question => vec![GateAction::Respond],
        GateKind::Uncertain => vec![GateAction::Approve, GateAction::Reject, GateAction::Respond],
        GateKind::Tool
        | GateKind::Feedback
        | GateKind::Plan
        | GateKind::Budget
        | GateKind::Rule
        | GateKind::Command => {
            vec![GateAction::Approve, GateAction::Edit, GateAction::Reject, GateAction::Respond]
        }
    }
}

pub(crate) fn error(code: &str, message: impl Into<Arc<str>>) -> AttemptError {
    AttemptError { code: code.into(), message: message.into() }
}

pub(crate) fn current(draft: &Draft, id: CallId) -> Option<(RunId, Call)> {
    let run = draft.view().active_run()?;
    Some((run.id, run.call(id).filter(|call| !call.state.is_over())?.clone()))
}

/// Returns the agent that made the call.
pub(crate) fn agent_of(draft: &Draft, id: CallId) -> Option<AgentId> {
    Some(draft.view().active_run()?.tool_round_of(id)?.assignment.agent.clone())
}
