//! Reading of model output with a required structure: a plan, a decision, findings. If an output cannot be read, the
//! agent is asked again, up to `max_repairs` times. Then the flow continues with its fallback, and the log marks it.
//! Output for a caller's schema has no fallback: the run fails.

use super::output_shape::{OutputError, ParsedOutput};
use super::step::{begin_turn, change_item};
use super::turn::TurnOutput;
use crate::draft::Draft;
use crate::flow::{self, Flow};
use crate::plan::planner_decision::{PlannerAction, PlannerDecision};
use crate::plan::{Plan, PlanItem, PlanItemState};
use crate::{AgentId, AgentRole, Assignment, Fact, MessageId, RunId, StepId, budget, file};

/// Error of an output that reached the token limit.
const TRUNCATED: &str = "the output was truncated at the model's token limit; answer more briefly";

/// Result of reading an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputCheck {
    /// The task is done.
    Taken,
    /// The agent is asked again.
    Again,
}

/// Reads the output of a task, if the flow requires a structure, and applies it.
pub(super) fn read_output(
    draft: &mut Draft,
    run_id: RunId,
    step: StepId,
    message: MessageId,
    by: &Assignment,
    answer: &TurnOutput,
) -> OutputCheck {
    let text = answer.text;
    let view = draft.view();
    let Some(run) = view.active_run() else { return OutputCheck::Taken };
    let Some(shape) = flow::shape_of(view, run, by) else { return OutputCheck::Taken };
    // Truncated output can be valid and still lack what the model was about to add.
    let whole = if answer.truncated { Err(OutputError::from(TRUNCATED)) } else { shape.read(text) };
    let shaped = match whole {
        Ok(shaped) => shaped,
        Err(OutputError { reason, violations }) => {
            let before = run.rejected_outputs.iter().filter(|earlier| earlier.assignment == *by).count();
            let again = before < view.settings.max_repairs as usize && run.error.is_none();
            let halted = run.paused || run.stopping() || budget::remaining_requests(view) == 0;
            let whole = view.message(run.input).map_or_else(|| "".into(), |input| input.text.clone());
            draft.emit(Fact::OutputRejected { run: run_id, message, reason: reason.into(), violations, again });
            if again {
                // Nothing new starts during a pause, before a stop or without a budget. The flow starts the task again
                // afterwards.
                if !halted {
                    begin_turn(draft, run_id, step, by);
                }
                return OutputCheck::Again;
            }
            match shape.fallback(text, &whole) {
                Some(fallback) => fallback,
                None => return OutputCheck::Taken,
            }
        }
    };
    match shaped {
        ParsedOutput::Plan(plan) => propose_plan(draft, run_id, message, plan),
        ParsedOutput::Decision(decision) => apply_planner_decision(draft, run_id, message, by, decision),
        ParsedOutput::Output(output) => {
            draft.emit(Fact::OutputProduced { run: run_id, message, output });
            if let Some(output) = answer.output_file {
                file::commands::add_written(draft, &by.agent, message, output);
            }
        }
    }
    OutputCheck::Taken
}

fn propose_plan(draft: &mut Draft, run: RunId, message: MessageId, plan: Plan) {
    let plan = Plan::succeed(draft.view().active_run().and_then(|run| run.plan.as_ref()), plan);
    draft.emit(Fact::PlanProposed { run, message: Some(message), plan });
}

fn is_executor(draft: &Draft, agent: &AgentId) -> bool {
    draft.view().team.in_role(AgentRole::Executor).any(|executor| executor.id == *agent)
}

/// Records the decision, and applies it to the plan.
fn apply_planner_decision(
    draft: &mut Draft,
    run_id: RunId,
    message: MessageId,
    by: &Assignment,
    decision: PlannerDecision,
) {
    let retries = draft.view().settings.max_retries;
    let (action, items) = (decision.action, decision.items.clone());
    let PlannerDecision { agent, instruction, reason, .. } = decision.clone();
    let followed = Some(PlanItem { agent, action: instruction, reason, ..PlanItem::default() });
    draft.emit(Fact::DecisionMade { run: run_id, message: Some(message), agent: by.agent.clone(), decision });
    let Some(run) = draft.view().active_run() else { return };
    // A supervisor's decision is about its agents, while the plan is about the nodes.
    if flow::flow_of(run).is_some_and(Flow::has_supervisors) {
        return;
    }
    let (Some(plan), executed) = (run.plan.clone(), run.last_executed()) else { return };
    match action {
        PlannerAction::Retry => {
            if let Some((number, item)) = executed.and_then(|number| Some((number, plan.item(number)?))) {
                // Without a limit, two models could keep each other busy forever.
                let again = item.tries <= retries;
                change_item(
                    draft,
                    run_id,
                    number,
                    if again { PlanItemState::NotStarted } else { PlanItemState::Blocked },
                );
            }
        }
        PlannerAction::Skip => {
            if let Some((number, _)) = plan.current() {
                change_item(draft, run_id, number, PlanItemState::Skipped);
            }
        }
        PlannerAction::End | PlannerAction::Synthesize => {
            draft.emit(Fact::PlanEdited { run: run_id, plan: Plan { finished: true, ..plan } });
        }
        PlannerAction::Continue | PlannerAction::RequestInput if !items.is_empty() => {
            // The answer can change all open items, so the question goes before them.
            let at = match plan.current() {
                Some((number, _)) if action == PlannerAction::RequestInput => number as usize - 1,
                _ => plan.items.len(),
            };
            draft.emit(Fact::PlanEdited { run: run_id, plan: plan.with(at, items) });
        }
        // After the last item, the decision itself describes the additional item.
        PlannerAction::Continue if plan.current().is_none() => {
            let item = followed.filter(|item| item.agent.as_ref().is_some_and(|agent| is_executor(draft, agent)));
            if let Some(item) = item.filter(|item| !item.action.is_empty()) {
                let at = plan.items.len();
                draft.emit(Fact::PlanEdited { run: run_id, plan: plan.with(at, vec![item]) });
            }
        }
        PlannerAction::Continue
        | PlannerAction::RequestInput
        | PlannerAction::AdjustPlan
        | PlannerAction::Route
        | PlannerAction::Delegate => {}
    }
}
