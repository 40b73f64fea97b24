//! Drives a run: asks the flow for the next action and executes it, as long as nothing is in progress or the flow has
//! supervisors.

use std::sync::Arc;

use super::call::{Call, CallState};
use super::draft::Draft;
use super::flow::{self, Advance, Flow, FlowAction, StructuredOutputState};
use super::gate::Gate;
use super::plan::PlanItemState;
use super::run::step;
use super::{
    AbortReason, Assignment, AttemptError, ControlVerb, Fact, FinishReason, MessageId, Phase, Run, RunId, StepId,
    Target, Task, TaskResult, View, budget, call, gate,
};

/// Returns the phase of a run, derived from its outstanding work and its gates.
pub(super) fn phase(view: &View, run: &Run) -> Phase {
    let mut gates = view.gates.iter().filter(|gate| gate.run == Some(run.id) && gate.holds_work()).peekable();
    let asks = |call: &Call| view.gates.iter().any(|gate| gate.call == Some(call.id));
    let waits = gates.peek().is_some() && run.running.is_empty() && run.started().all(asks);
    if run.phase.is_over() {
        run.phase
    } else if run.paused {
        Phase::Paused
    } else if waits || gates.any(Gate::blocks_run) {
        Phase::Waiting
    } else if run.running.iter().any(|message| message.recovered) {
        Phase::Recovering
    } else if !run.is_busy() {
        Phase::Pending
    } else if run.running.iter().any(|message| message.task == Task::Plan) {
        Phase::Planning
    } else {
        Phase::Executing
    }
}

/// Advances the run as far as possible without people or models. Every iteration returns, or emits at least one fact
/// that starts work, opens a gate or ends the run. The loop therefore terminates.
pub(super) fn drive(draft: &mut Draft) {
    loop {
        continue_calls(draft);
        end_step(draft);
        end_pausing(draft);
        budget::close_gate(draft);
        let view = draft.view();
        let Some(run) = view.active_run() else { return };
        let waits = view.gates.iter().any(|gate| gate.run == Some(run.id) && gate.blocks_run());
        let halted = waits || run.paused || run.stopping() || run.round.interrupted || run.error.is_some();
        if !halted && budget::is_waiting_for_budget(view, run) {
            budget::open_gate(draft);
            return;
        }
        let overlaps = flow::flow_of(run).is_some_and(Flow::has_supervisors) && run.error.is_none();
        if waits || run.paused || run.stopping() || run.is_busy() && (!overlaps || run.round.interrupted) {
            return;
        }
        let (id, busy) = (run.id, run.is_busy());
        if let Some(error) = run.error.clone() {
            draft.emit(Fact::RunFailed { run: id, error });
            return;
        }
        let Some(flow) = flow::flow_of(run) else {
            let message = "this server does not know the session's flow; upgrade the server";
            let error = AttemptError { code: "unknown_flow".into(), message: message.into() };
            draft.emit(Fact::RunFailed { run: id, error });
            return;
        };
        let next = if run.round.interrupted { FlowAction::AskFeedback } else { flow.next(view, run) };
        let limit = limit_reached(view, run, flow, &next);
        let ends = match next {
            FlowAction::Finish { .. } | FlowAction::CutShort { .. } => true,
            FlowAction::Take(_) | FlowAction::Call(..) | FlowAction::Advance(_) => {
                limit.is_some() && !flow.uses_rounds()
            }
            FlowAction::Propose(_) | FlowAction::AskFeedback | FlowAction::AskAboutPlan | FlowAction::Fail(_) => false,
        };
        // Work in progress finishes first, because its results are already paid for.
        if busy && (ends || limit.is_some()) {
            return;
        }
        let structured = flow::structured_output_state(view, run).filter(|_| ends);
        if begins_turn(structured.as_ref(), limit, &next) && budget::remaining_requests(view) == 0 {
            if !busy {
                budget::open_gate(draft);
            }
            return;
        }
        match structured {
            Some(StructuredOutputState::Due(task)) => {
                step::start_step(draft, id, &[task]);
                continue;
            }
            Some(StructuredOutputState::Failed(error)) => {
                draft.emit(Fact::RunFailed { run: id, error });
                continue;
            }
            Some(StructuredOutputState::Done) | None => {}
        }
        match (limit, next) {
            // Ending the run at the limit would end the conversation, so people decide how to continue.
            (Some(limit), _) if flow.uses_rounds() => ask_feedback(draft, Some(limit)),
            (Some(limit), _) => finish(draft, id, limit, None),
            (None, FlowAction::Take(tasks)) => step::start_step(draft, id, &tasks),
            (None, FlowAction::Call(by, call)) => step::start_call_step(draft, id, &by, call),
            (None, FlowAction::Propose(plan)) => draft.emit(Fact::PlanProposed { run: id, message: None, plan }),
            (None, FlowAction::AskFeedback) => ask_feedback(draft, None),
            (None, FlowAction::AskAboutPlan) => gate::opening::open_plan(draft),
            (None, FlowAction::Finish { final_message }) => {
                let cut = |done: &TaskResult| done.out_of_turns && done.message == final_message;
                let cut = final_message.is_some() && run.task_results.iter().any(cut);
                finish(draft, id, if cut { FinishReason::TurnLimit } else { FinishReason::Completed }, final_message);
            }
            (None, FlowAction::CutShort { final_message }) => {
                let steps = run.steps >= view.settings.max_steps_per_run;
                finish(
                    draft,
                    id,
                    if steps { FinishReason::StepLimit } else { FinishReason::MessageLimit },
                    final_message,
                );
            }
            (None, FlowAction::Fail(error)) => draft.emit(Fact::RunFailed { run: id, error }),
            (None, FlowAction::Advance(next)) if next.is_empty() => return,
            (None, FlowAction::Advance(next)) => advance(draft, id, next),
        }
    }
}

/// Returns whether the next action starts a turn.
fn begins_turn(structured: Option<&StructuredOutputState>, limit: Option<FinishReason>, next: &FlowAction) -> bool {
    match (structured, next) {
        (Some(StructuredOutputState::Due(_)), _) => true,
        (_, FlowAction::Take(_)) => limit.is_none(),
        (_, FlowAction::Advance(Advance { tasks, .. })) => limit.is_none() && !tasks.is_empty(),
        (
            _,
            FlowAction::Call(..)
            | FlowAction::Propose(_)
            | FlowAction::AskFeedback
            | FlowAction::AskAboutPlan
            | FlowAction::Finish { .. }
            | FlowAction::CutShort { .. }
            | FlowAction::Fail(_),
        ) => false,
    }
}

/// Records the plan items that have ended, the supervisors' decisions that follow from them, and the items that begin.
/// Then starts the tasks.
fn advance(draft: &mut Draft, run: RunId, Advance { decisions, items, tasks }: Advance) {
    let (over, started): (Vec<_>, Vec<_>) = items.into_iter().partition(|(_, state, _)| state.is_over());
    let changed = |(number, state, note)| Fact::PlanItemChanged { run, number, state, note };
    over.into_iter().map(changed).for_each(|fact| draft.emit(fact));
    for (agent, decision) in decisions {
        draft.emit(Fact::DecisionMade { run, message: None, agent, decision });
    }
    started.into_iter().map(changed).for_each(|fact| draft.emit(fact));
    if !tasks.is_empty() {
        step::join_step(draft, run, &tasks);
    }
}

/// Returns the limit that forbids the flow's next action, if there is one.
fn limit_reached(view: &View, run: &Run, flow: &dyn Flow, next: &FlowAction) -> Option<FinishReason> {
    match next {
        FlowAction::Take(tasks) if is_final(run, flow, tasks) => None,
        FlowAction::Advance(Advance { tasks, .. }) if is_final(run, flow, tasks) => None,
        FlowAction::Take(tasks) if is_full(view, run, tasks.len()) => Some(FinishReason::MessageLimit),
        FlowAction::Advance(Advance { tasks, .. }) if is_full(view, run, run.running.len() + tasks.len()) => {
            Some(FinishReason::MessageLimit)
        }
        FlowAction::Advance(Advance { tasks, .. })
            if !tasks.is_empty() && run.step.is_none() && run.steps >= view.settings.max_steps_per_run =>
        {
            Some(FinishReason::StepLimit)
        }
        FlowAction::Take(_) | FlowAction::Call(..) if run.steps >= view.settings.max_steps_per_run => {
            Some(FinishReason::StepLimit)
        }
        FlowAction::Take(_)
        | FlowAction::Call(..)
        | FlowAction::Propose(_)
        | FlowAction::AskFeedback
        | FlowAction::AskAboutPlan
        | FlowAction::Finish { .. }
        | FlowAction::CutShort { .. }
        | FlowAction::Advance(_)
        | FlowAction::Fail(_) => None,
    }
}

/// Asks people how to continue, unless a waiting message already says so.
fn ask_feedback(draft: &mut Draft, limit: Option<FinishReason>) {
    let view = draft.view();
    let Some(run) = view.active_run() else { return };
    let (id, in_rounds) = (run.id, flow::flow_of(run).is_some_and(Flow::uses_rounds));
    match waiting_instruction(view, run) {
        // The run has no room for a response, so a message that it consumed would never get one.
        Some(_) if !in_rounds && is_full(view, run, 2) => finish(draft, id, FinishReason::MessageLimit, None),
        Some(message) => draft.emit(Fact::MessageConsumed { message, run: id, step: None }),
        None => gate::opening::open_feedback(draft, limit),
    }
}

/// Returns whether the tasks write the final output. Limits never block these tasks, because people would otherwise
/// wait for an output and get none.
fn is_final(run: &Run, flow: &dyn Flow, tasks: &[Assignment]) -> bool {
    run.round.approved && flow.uses_rounds() || matches!(tasks, [only] if only.task == Task::Summarize)
}

/// Sends the allowed calls, and continues the tasks of agents that have all of their results.
fn continue_calls(draft: &mut Draft) {
    let halted = |run: &Run| run.paused || run.stopping() || run.round.interrupted || run.error.is_some();
    match draft.view().active_run() {
        Some(run) if !halted(run) => {}
        Some(run) if run.error.is_some() && !run.paused && !run.stopping() => {
            call::lifecycle::fail_unsent(draft, "run_failed")
        }
        _ => return,
    }
    call::lifecycle::start(draft);
    if draft.view().active_run().is_some_and(|run| !halted(run)) {
        step::continue_tasks(draft);
    }
}

/// Returns the waiting message that determines how to continue. After an interrupt, only the message of that interrupt
/// counts, because with any other message, the agents that were just stopped would continue with something else.
fn waiting_instruction(view: &View, run: &Run) -> Option<MessageId> {
    let mut waiting = view.inbox.iter().map(|queued| queued.message);
    match run.round.interrupted {
        true => waiting.find(|message| run.round.interrupt_message == Some(*message)),
        false => waiting.next(),
    }
}

/// Returns whether the run has no room for `more` further messages.
pub(super) fn is_full(view: &View, run: &Run, more: usize) -> bool {
    more > remaining_messages(view, run)
}

/// Returns the number of further messages that the run has room for.
pub(super) fn remaining_messages(view: &View, run: &Run) -> usize {
    usize::try_from(view.settings.max_messages_per_run.saturating_sub(run.messages)).unwrap_or(usize::MAX)
}

/// Ends the current step when all of its agents are done or stopped.
fn end_step(draft: &mut Draft) {
    let Some(run) = draft.view().active_run().filter(|run| !run.is_busy()) else { return };
    let (id, Some(step)) = (run.id, run.step) else { return };
    let skipped = match (run.round.interrupted, run.error.is_some()) {
        (true, _) => Some(AbortReason::Interrupted),
        (false, true) => Some(AbortReason::Failed),
        (false, false) => None,
    };
    match skipped {
        Some(reason) => {
            // A call that the flow itself made might have had effects. If the step were repeated, they would occur
            // twice.
            if run.task_results.iter().any(|done| done.step == step && done.call.is_some()) {
                end_plan_item(draft, id, step);
            }
            draft.emit(Fact::StepSkipped { step, run: id, reason });
        }
        None => {
            end_plan_item(draft, id, step);
            draft.emit(Fact::StepCompleted { step, run: id });
        }
    }
}

/// Marks the plan item that the step worked on as completed or blocked.
fn end_plan_item(draft: &mut Draft, run_id: RunId, step: StepId) {
    let Some(run) = draft.view().active_run() else { return };
    let last = run.task_results.iter().rev().find(|done| done.step == step);
    let Some((Task::Execute { number, .. }, call)) = last.map(|done| (done.assignment.task, done.call)) else { return };
    let unable = last.is_some_and(|done| done.failure.is_some());
    let open = run
        .plan
        .as_ref()
        .and_then(|plan| plan.item(number))
        .is_some_and(|item| item.state == PlanItemState::InProgress);
    let done = flow::flow_of(run).is_none_or(|flow| flow.is_item_done(run, number));
    let failed = call.and_then(|call| run.call(call)).is_some_and(|call| call.state == CallState::Failed);
    let cut = run.task_results.iter().any(|done| done.step == step && done.out_of_turns);
    if open && done {
        step::change_item(
            draft,
            run_id,
            number,
            if failed || cut || unable { PlanItemState::Blocked } else { PlanItemState::Completed },
        );
    }
}

/// Makes a pause effective once nothing is in progress.
fn end_pausing(draft: &mut Draft) {
    let Some(run) = draft.view().active_run() else { return };
    let pause = run.controls.iter().find(|control| control.verb == ControlVerb::Pause).map(|control| control.id);
    let rests = run.running.iter().all(|message| message.retry_at.is_some()) && run.started().next().is_none();
    if let (Some(control), true) = (pause, rests) {
        let run = run.id;
        draft.emit(Fact::ControlEffective { control, run, verb: ControlVerb::Pause });
    }
}

/// Ends the run successfully. The first waiting message starts the next run, so that no message is lost.
pub(super) fn finish(draft: &mut Draft, run: RunId, reason: FinishReason, final_message: Option<MessageId>) {
    draft.emit(Fact::RunFinished { run, reason, final_message });
    if let Some(next) = draft.view().inbox.first().cloned() {
        start_run(draft, next.message, next.to);
    }
}

/// Starts a run with a message that is already posted.
pub(super) fn start_run(draft: &mut Draft, input: MessageId, to: Vec<Target>) {
    let flow = draft.view().team.flow.clone();
    start_run_of(draft, flow, input, to);
}

/// Starts a run of this flow with a message that is already posted.
pub(super) fn start_run_of(draft: &mut Draft, flow: Arc<str>, input: MessageId, to: Vec<Target>) {
    let run = RunId(draft.next_seq());
    draft.emit(Fact::RunStarted { run, flow, input, to });
}
