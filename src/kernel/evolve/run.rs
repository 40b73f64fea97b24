//! Applies facts to the run.

use std::sync::Arc;

use super::{calls, results};
use crate::call::Call;
use crate::flow::{self, Flow, STRUCTURE};
use crate::gate::{Gate, GateKind, Outcome};
use crate::plan::{Plan, PlanItemState};
use crate::run::{Control, Phase, RejectedOutput, Round, Run, RunningMessage};
use crate::{
    Assignment, CallMemory, ControlVerb, Event, Fact, MessageId, QUOTA_EXCEEDED, RunId, StepId, Target, Task,
    TaskFailure, TaskResult, UsageTotals, View,
};

/// Applies the part of a fact that concerns the run.
pub(super) fn apply(view: &mut View, event: &Event) {
    let bound = view.settings.budget.map(|budget| budget.turn_bound());
    let View { run: Some(run), call_memory, team, .. } = view else { return };
    match &event.fact {
        Fact::RunStateChanged { to, .. } => run.phase = *to,
        Fact::RunFinished { final_message, .. } => (run.phase, run.final_message) = (Phase::Completed, *final_message),
        Fact::RunFailed { error, .. } => (run.phase, run.error) = (Phase::Failed, Some(error.clone())),
        Fact::RunCancelled { .. } => (run.phase, run.paused) = (Phase::Cancelled, false),
        Fact::StepStarted { step, .. } => {
            run.step = Some(*step);
            run.steps += 1;
        }
        Fact::StepCompleted { step, .. } | Fact::StepSkipped { step, .. } => {
            run.step = None;
            calls::archive(run, call_memory, *step);
        }
        Fact::AttemptFailed { message, retry_at, error, permanent, .. } => {
            let failed = retry_at.is_none().then(|| failed_assignment(run, *message)).flatten();
            match failed {
                Some((assignment, step)) => {
                    let failure = Some(TaskFailure { message: error.message.clone(), permanent: *permanent });
                    complete_task(
                        run,
                        TaskResult {
                            assignment,
                            step,
                            message: None,
                            call: None,
                            out_of_turns: false,
                            text: None,
                            failure,
                        },
                    );
                }
                None if retry_at.is_none() => run.error = Some(error.clone()),
                None => {}
            }
            if let Some(running) = run.running.iter_mut().find(|running| running.message == *message) {
                let is_held = &*error.code == QUOTA_EXCEEDED && retry_at.is_some();
                running.held = is_held.then(|| error.message.clone());
                running.failures += u32::from(!is_held);
                running.retry_at = *retry_at;
            }
        }
        Fact::MessageStarted { message, step, agent, task, attempt, recovered, .. } => {
            let (message, step, recovered) = (*message, *step, *recovered);
            let failures = run.running_message(message).map_or(0, |earlier| earlier.failures);
            let turn = match run.running_message(message) {
                Some(earlier) => earlier.turn,
                None => calls::mark_read(run, step, agent, *task),
            };
            run.running.retain(|earlier| earlier.message != message);
            run.running.push(RunningMessage {
                message,
                step,
                agent: agent.clone(),
                task: *task,
                turn,
                attempt: *attempt,
                failures,
                started_at: event.at,
                bound,
                retry_at: None,
                held: None,
                recovered,
            });
        }
        Fact::MessageCompleted { message, agent, calls, out_of_turns, text, .. } => {
            let at = run.running.iter().position(|running| running.message == *message);
            let running = at.map(|at| run.running.remove(at));
            if let (Some(running), 1..) = (&running, *calls) {
                calls::expect(run, running, *calls);
                if !out_of_turns {
                    return;
                }
            }
            run.messages += 1;
            // Structured output is not part of a round: the flow does not know about it.
            if running.as_ref().is_none_or(|running| running.task != Task::Structure) {
                run.round.last_message = Some(*message);
                if !run.round.done_agents.contains(agent) {
                    run.round.done_agents.push(agent.clone());
                }
            }
            if let Some(running) = running {
                let (assignment, step, out_of_turns) = (running.assignment(), running.step, *out_of_turns);
                let message = Some(*message);
                let text = results::handed_on(run, text);
                results::forget_read(run, team, &assignment);
                complete_task(
                    run,
                    TaskResult { assignment, step, message, call: None, out_of_turns, text, failure: None },
                );
            }
        }
        Fact::MessageAborted { message, .. } => run.running.retain(|running| running.message != *message),
        Fact::ControlRequested { control, verb, reason, message, .. } => {
            match verb {
                ControlVerb::Pause => run.paused = true,
                ControlVerb::Resume => {
                    run.paused = false;
                    // A pause that has not taken effect yet is cancelled.
                    run.controls.retain(|open| open.verb != ControlVerb::Pause);
                }
                ControlVerb::Interrupt | ControlVerb::Cancel | ControlVerb::Expire => {}
            }
            let (reason, message) = (reason.clone(), *message);
            run.controls.push(Control { id: *control, verb: *verb, reason, message, acknowledged: false });
        }
        Fact::ControlAcknowledged { control, .. } => {
            if let Some(open) = run.controls.iter_mut().find(|open| open.id == *control) {
                open.acknowledged = true;
            }
        }
        Fact::ControlEffective { control, verb, .. } => {
            if *verb == ControlVerb::Interrupt {
                // This also applies if the turn ended before the stop, because the participant who interrupted expects
                // to be asked.
                run.round.interrupted = true;
                run.tool_rounds.iter_mut().for_each(|round| round.closed = true);
                let interrupt_message =
                    run.controls.iter().find(|open| open.id == *control).and_then(|open| open.message);
                run.round.interrupt_message = interrupt_message.or(run.round.interrupt_message);
            }
            run.controls.retain(|open| open.id != *control);
        }
        Fact::PlanProposed { plan, message, .. } => {
            message.iter().for_each(|message| clear_rejected(run, *message));
            run.plan = Some(plan.clone());
        }
        Fact::PlanEdited { plan, .. } => run.plan = Some(plan.clone()),
        Fact::PlanItemChanged { number, state, note, .. } => {
            if let Some(item) = run.plan.as_mut().and_then(|plan| plan.item_mut(*number)) {
                item.tries += u32::from(*state == PlanItemState::InProgress && item.state != PlanItemState::InProgress);
                (item.state, item.note) = (*state, note.clone());
            }
        }
        Fact::DecisionMade { decision, message, agent, .. } => {
            if let Some(message) = message {
                clear_rejected(run, *message);
                results::record_delegation(run, team, agent, decision);
            }
            run.route = decision.flow.clone().or(run.route.take());
            run.decision = Some(decision.clone());
        }
        Fact::OutputProduced { output, message, .. } => {
            clear_rejected(run, *message);
            // A redacted output is null. It must become `None`, because a snapshot would read null as `None` too, and
            // the restored state would differ from this one.
            run.output = Some(output.clone()).filter(|output| !output.is_null());
        }
        Fact::OutputRejected { message, reason, violations, again, .. } => {
            let Some(at) = run.task_results.iter().rposition(|done| done.message == Some(*message)) else { return };
            let assignment = run.task_results[at].assignment.clone();
            if *again {
                run.task_results.remove(at);
            } else if assignment.task != Task::Structure {
                // The flow continues with its fallback, which is recorded by a separate fact.
                return;
            }
            let (message, reason, violations) = (*message, reason.clone(), violations.clone());
            run.rejected_outputs.push(RejectedOutput { assignment, message, reason, violations });
        }
        Fact::ToolProposed { call, step, message, agent, task, name, arguments, sources, .. } => {
            let call = Call { sources: sources.clone(), ..Call::proposed(*call, name, arguments) };
            calls::propose(run, *step, *message, Assignment::new(agent, *task), call);
        }
        Fact::ToolChecked { call, permission, idempotent, risk, result_sources, standing, .. } => {
            calls::record_check(run, *call, *permission, *idempotent, (*risk, result_sources, *standing));
        }
        Fact::PermissionRevoked { permission, .. } => calls::check_again(run, *permission),
        Fact::ToolStarted { call, attempt, .. } => calls::start(run, *call, *attempt, event.at),
        Fact::ToolUncertain { call, .. } => calls::doubt(run, *call),
        Fact::ToolCompleted { call, output, .. } => calls::complete(run, *call, output, event.at),
        Fact::ToolFailed { call, error, .. } => calls::fail(run, *call, error, event.at),
        Fact::GateOpened { gate } => calls::ask(run, gate),
        // Facts about the session, which `evolve` applies to the view.
        Fact::SessionCreated { .. }
        | Fact::SessionUpdated { .. }
        | Fact::SessionClosed { .. }
        | Fact::SessionRedacted { .. }
        | Fact::ParticipantJoined { .. }
        | Fact::ParticipantRenamed { .. }
        | Fact::ParticipantKnocked { .. }
        | Fact::ParticipantRefused { .. }
        | Fact::ParticipantLeft { .. }
        | Fact::ParticipantRoleChanged { .. }
        | Fact::ParticipantRedacted { .. }
        | Fact::RunStarted { .. }
        | Fact::MessagePosted { .. }
        | Fact::MessageRouted { .. }
        | Fact::MessageWithdrawn { .. }
        | Fact::MessageConsumed { .. }
        | Fact::MessageRedacted { .. }
        | Fact::FileAdded { .. }
        | Fact::FileRemoved { .. }
        | Fact::FileRedacted { .. }
        | Fact::GateVoted { .. }
        | Fact::GateVoteWithdrawn { .. }
        | Fact::GateCommented { .. }
        | Fact::GateThreadChanged { .. }
        | Fact::GateEscalated { .. }
        | Fact::VotesDelegated { .. }
        | Fact::GateRevised { .. }
        | Fact::GateDecided { .. }
        | Fact::GateExpired { .. }
        | Fact::PermissionGranted { .. }
        | Fact::GateClosed { .. }
        | Fact::UsageRecorded { .. } => {}
    }
    if run.phase.is_over() {
        *call_memory = CallMemory::default();
    }
}

/// Returns the assignment and step of a message if its flow continues after the failure; `None` if the failure ends the
/// run.
fn failed_assignment(run: &Run, message: MessageId) -> Option<(Assignment, StepId)> {
    let running = run.running_message(message).filter(|running| running.task != Task::Structure)?;
    let continues = flow::flow_of(run).is_some_and(|flow| flow.continues_after_failure(&running.task));
    continues.then(|| (running.assignment(), running.step))
}

/// Removes the rejected outputs of the task that wrote the message, because an output was accepted or replaced by a
/// fallback.
fn clear_rejected(run: &mut Run, message: MessageId) {
    if let Some(done) = run.task_results.iter().rev().find(|done| done.message == Some(message)) {
        run.rejected_outputs.retain(|rejected| rejected.assignment != done.assignment);
    }
}

/// Records a completed task. Tasks of one step are sorted by their part of the plan item, not by completion time.
pub(super) fn complete_task(run: &mut Run, done: TaskResult) {
    calls::close(run, &done);
    run.task_results.push(done);
    let step = run.task_results.last().map(|done| done.step);
    let first = run.task_results.iter().position(|done| Some(done.step) == step).unwrap_or(0);
    run.task_results[first..].sort_by_key(|done| done.assignment.task.executed().map_or(0, |(_, part)| part));
}

/// Applies the decision of a gate to its run.
pub(super) fn apply_decision(run: &mut Run, gate: &Gate, outcome: Outcome, to: &[Target], message: Option<MessageId>) {
    let approved = outcome == Outcome::Approved;
    match (gate.kind, gate.call) {
        (GateKind::Feedback, _) => begin_round(run, to.to_vec(), message, approved),
        (GateKind::Plan, _) => {
            if let Some(plan) = &mut run.plan {
                (plan.approved, plan.rejected) = (approved, !approved);
            }
            begin_round(run, to.to_vec(), message, false);
        }
        (_, Some(call)) if approved => calls::allow(run, call),
        _ => {}
    }
}

/// Applies an edit of a gate's subject to the run.
pub(super) fn apply_edit(
    run: &mut Run,
    gate: &Gate,
    by: &crate::Actor,
    arguments: Option<&Arc<str>>,
    plan: Option<&Plan>,
) {
    if let Some(id) = gate.call {
        calls::edit(run, id, gate.rev, arguments, (gate.id, by));
    }
    if let Some(plan) = plan {
        run.plan = Some(plan.clone());
    }
}

/// Starts a run.
pub(super) fn start(view: &mut View, event: &Event, id: RunId, flow: &Arc<str>, input: MessageId, to: &[Target]) {
    let message = view.message(input);
    let request = message.and_then(|message| message.request.clone());
    let author = message.map_or(&event.by, |message| &message.by);
    let started_by = author.participant_id().map(|id| (id, author.kind));
    view.inbox.retain(|queued| queued.message != input);
    view.usage_of_run = UsageTotals { of: id.to_string().into(), ..UsageTotals::default() };
    let run = Run::new(id, flow.clone(), input, to.to_vec());
    let limit = request.as_ref().and_then(|request| request.timeout_seconds);
    let deadline = limit.map(|seconds| event.at.plus(u64::from(seconds) * 1000));
    let directed_by = started_by.map(|(id, _)| id).into_iter().collect();
    let earlier = view.run.take().filter(|_| &**flow == STRUCTURE);
    let results_of = earlier.as_ref().map(|earlier| earlier.results_of.unwrap_or(earlier.id));
    let task_results = earlier.map_or_else(Vec::new, results::kept_for_structure);
    let run = Run { started_at: event.at, started_by, directed_by, request, deadline, ..run };
    view.run = Some(Run { task_results, results_of, ..run });
}

/// Starts a new round.
pub(super) fn begin_round(run: &mut Run, to: Vec<Target>, input: Option<MessageId>, approved: bool) {
    // Keep the last message, because an approval without a new message must still name the message that it approved.
    let last_message = run.round.last_message;
    run.round = Round { to, approved, input, last_message, ..Round::default() };
    run.rounds += 1;
    // If the limits applied across rounds, they would end a conversation that people continue.
    if flow::flow_of(run).is_some_and(Flow::uses_rounds) {
        (run.messages, run.steps) = (0, 0);
    }
}
