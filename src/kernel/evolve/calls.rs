//! Applies facts to the tool calls of a run.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::run::complete_task;
use crate::call::kernel_tools::{ASK_PEOPLE_TOOL, PLAN_TOOL};
use crate::call::lifecycle::rejection_text;
use crate::call::{Call, CallSourceId, CallSourceKind, CallState, Permission, Risk, ToolRound};
use crate::gate::{Gate, Outcome};
use crate::{
    Actor, AgentId, Assignment, AttemptError, CallAnswer, CallId, CallMemory, ControlVerb, GateId, MessageId,
    PermissionId, Run, RunningMessage, StepId, Task, TaskResult, Timestamp, View,
};

/// Records a call that an agent proposes, in the tool round of its message.
pub(super) fn propose(run: &mut Run, step: StepId, message: Option<MessageId>, assignment: Assignment, call: Call) {
    match run.tool_rounds.iter_mut().find(|round| message.is_some() && round.message == message) {
        Some(round) => round.calls.push(call),
        None => run.tool_rounds.push(ToolRound {
            message,
            assignment,
            step,
            turn: 1,
            calls: vec![call],
            expected: 1,
            closed: false,
        }),
    }
}

/// Records the decision of the rules about the call.
pub(super) fn record_check(
    run: &mut Run,
    id: CallId,
    permission: Permission,
    idempotent: bool,
    (risk, result_sources, standing): (Risk, &BTreeSet<CallSourceKind>, Option<PermissionId>),
) {
    change(run, id, |call| {
        (call.idempotent, call.risk, call.standing) = (idempotent, risk, standing);
        call.result_sources = result_sources.clone();
        if permission == Permission::Allow {
            call.state = CallState::Allowed;
        }
    });
}

/// Resets unsent calls that the permission allowed to the state before their check.
pub(super) fn check_again(run: &mut Run, permission: PermissionId) {
    let calls = run.tool_rounds.iter_mut().flat_map(|round| &mut round.calls);
    let unsent = calls.filter(|call| call.state == CallState::Allowed && call.standing == Some(permission));
    unsent.for_each(|call| call.state = CallState::Proposed);
}

/// Returns whether the permission allowed a call that has not been sent yet.
pub(super) fn waits_under(run: &Run, permission: PermissionId) -> bool {
    let mut calls = run.tool_rounds.iter().flat_map(|round| &round.calls);
    calls.any(|call| call.state == CallState::Allowed && call.standing == Some(permission))
}

/// Records the gate in its call, if the gate is about a call.
pub(super) fn ask(run: &mut Run, gate: &Gate) {
    let Some(id) = gate.call else { return };
    change(run, id, |call| {
        call.gate = Some(gate.id);
        // A call that was sent keeps running, even if it asks a question.
        if call.state == CallState::Proposed {
            call.state = CallState::Asked;
        }
    });
}

/// Records that the call was sent.
pub(super) fn start(run: &mut Run, id: CallId, attempt: u32, at: Timestamp) {
    change(run, id, |call| (call.state, call.attempt, call.started_at) = (CallState::Started, attempt, Some(at)));
}

/// Records that the result of the call was lost.
pub(super) fn doubt(run: &mut Run, id: CallId) {
    change(run, id, |call| call.state = CallState::Uncertain);
}

/// Records the result of the call.
pub(super) fn complete(run: &mut Run, id: CallId, output: &Arc<str>, at: Timestamp) {
    change(run, id, |call| {
        (call.state, call.output, call.ended_at) = (CallState::Completed, Some(output.clone()), Some(at));
    });
    end_of_step(run, id);
}

/// Records that the call has failed.
pub(super) fn fail(run: &mut Run, id: CallId, error: &AttemptError, at: Timestamp) {
    let of_flow = run.tool_round_of(id).is_some_and(|round| round.message.is_none());
    let mut happened = false;
    change(run, id, |call| {
        let sent = matches!(call.state, CallState::Started | CallState::Uncertain);
        happened = of_flow && sent && !call.idempotent;
        (call.state, call.error, call.ended_at) = (CallState::Failed, Some(error.clone()), Some(at));
    });
    // A stopped call is repeated when the run continues, unless it might already have had effects.
    let stopped = run.controls.iter().any(|open| open.verb == ControlVerb::Interrupt && open.acknowledged);
    if !stopped || happened {
        end_of_step(run, id);
    }
}

/// Records that the turn has called tools. Its task continues when the calls have results.
pub(super) fn expect(run: &mut Run, running: &RunningMessage, calls: u32) {
    run.tool_rounds.push(ToolRound {
        message: Some(running.message),
        assignment: running.assignment(),
        step: running.step,
        turn: running.turn,
        calls: vec![],
        expected: calls,
        closed: false,
    });
}

/// Marks the results that the agent waited for as read. Returns the ordinal of the next turn of the task, from 1.
pub(super) fn mark_read(run: &mut Run, step: StepId, agent: &AgentId, task: Task) -> u32 {
    let assignment = Assignment::new(agent, task);
    let ended = run.last_end(&assignment);
    let own = |round: &&mut ToolRound| round.assignment == assignment && round.step == step && round.seq() > ended;
    let own = run.tool_rounds.iter_mut().filter(own);
    own.map(|round| {
        round.closed = true;
        round.turn + 1
    })
    .max()
    .unwrap_or(1)
}

/// Records that people allowed the call.
pub(super) fn allow(run: &mut Run, id: CallId) {
    change(run, id, |call| call.state = CallState::Allowed);
}

/// Records the message that decided a call, together with its author, because agents that read the message as a result
/// or an error must see who wrote it.
pub(super) fn record_decision(view: &mut View, gate: &Gate, outcome: Outcome, message: Option<MessageId>) {
    let call = gate.call.and_then(|id| view.run.as_ref()?.call(id));
    // A running call continues with the reply that it receives, and ends on its own.
    let (Some(call), Some(message)) = (call.filter(|call| call.state != CallState::Started), message) else { return };
    let refusal = match outcome {
        Outcome::Approved => return,
        Outcome::Responded => None,
        Outcome::Rejected | Outcome::Withdrawn => Some(rejection_text(gate.kind).into()),
    };
    let vote = gate.votes.iter().find(|vote| vote.message == Some(message));
    let voted = vote.map(|vote| (vote.by.clone(), vote.comment.clone().unwrap_or_else(|| "".into())));
    let answer = || view.message(message).map(|message| (message.by.clone(), message.text.clone()));
    if let Some((by, text)) = voted.or_else(answer) {
        let id = call.id;
        view.call_memory.end(id, CallAnswer { by, message, text, refusal });
    }
}

/// Records a new revision of a call, with its arguments if they were edited.
pub(super) fn edit(run: &mut Run, id: CallId, rev: u32, arguments: Option<&Arc<str>>, by: (GateId, &Actor)) {
    change(run, id, |call| {
        call.rev = rev;
        if let Some(arguments) = arguments {
            call.arguments = arguments.clone();
            // The editor's text also led to the call.
            Arc::make_mut(&mut call.sources).add_text(CallSourceId::Gate(by.0), by.1);
        }
    });
}

/// Closes the tool rounds of a completed task, because no agent waits for their calls any longer.
pub(super) fn close(run: &mut Run, done: &TaskResult) {
    let of_task = |round: &&mut ToolRound| round.step == done.step && round.assignment == done.assignment;
    run.tool_rounds.iter_mut().filter(of_task).for_each(|round| round.closed = true);
}

/// Moves the results of completed tasks of a step out of the run. The call memory keeps the parts of these results that
/// agents of later steps read.
pub(super) fn archive(run: &mut Run, memory: &mut CallMemory, step: StepId) {
    let done: Vec<Assignment> =
        run.task_results.iter().filter(|done| done.step == step).map(|done| done.assignment.clone()).collect();
    let of_step = |round: &&mut ToolRound| {
        // The result of a call that the flow itself made stays, because other agents read it.
        round.message.is_some() && round.step == step && done.contains(&round.assignment)
    };
    let calls = run.tool_rounds.iter_mut().filter(of_step).flat_map(|round| &mut round.calls);
    for call in calls {
        let output = call.output.take();
        // The run contains the plan itself, and the conversation contains the answers to questions.
        if let Some(output) = output.filter(|_| ![PLAN_TOOL, ASK_PEOPLE_TOOL].contains(&&*call.name)) {
            memory.record_output(call.id, &output);
        }
    }
}

/// Completes the task that ends with this call, if there is one: a call that the flow made is a task of its own, and a
/// planner's call of the `plan` tool completes the planner's task.
fn end_of_step(run: &mut Run, id: CallId) {
    let Some(round) = run.tool_rounds.iter().find(|round| round.calls.iter().any(|call| call.id == id)) else {
        return;
    };
    let planned = round.assignment.task == Task::Plan && round.is_over() && round.calls.iter().any(is_plan_call);
    if round.closed || !(round.message.is_none() || planned) {
        return;
    }
    let (assignment, step, message) = (round.assignment.clone(), round.step, round.message);
    if let Some(round) = run.tool_rounds.iter_mut().find(|round| round.calls.iter().any(|call| call.id == id)) {
        round.closed = true;
    }
    complete_task(
        run,
        TaskResult { assignment, step, message, call: Some(id), out_of_turns: false, text: None, failure: None },
    );
}

fn is_plan_call(call: &Call) -> bool {
    &*call.name == PLAN_TOOL && call.state == CallState::Completed
}

fn change(run: &mut Run, id: CallId, change: impl FnOnce(&mut Call)) {
    let mut calls = run.tool_rounds.iter_mut().flat_map(|round| &mut round.calls);
    if let Some(call) = calls.find(|call| call.id == id) {
        change(call);
    }
}
