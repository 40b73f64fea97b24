//! `brain`: a planner makes a plan, and people confirm, edit or reject it. After each item, the planner decides whether
//! to continue, retry the item, skip the next one, or end.

use std::sync::Arc;

use super::{Flow, FlowAction, assign_one, check_roles};
use crate::plan::{Plan, PlanItemState};
use crate::run::output_shape::OutputShape;
use crate::{AgentId, AgentRole, Assignment, AttemptError, Run, Task, Team, View};

/// The `brain` flow.
pub(super) struct Brain;

impl Flow for Brain {
    fn next(&self, view: &View, run: &Run) -> FlowAction {
        let plan = |task| assign_one(view, AgentRole::Planner, task);
        match (&run.plan, run.last_done().map(|done| done.assignment.task)) {
            (None, _) => plan(Task::Plan),
            (Some(made), Some(Task::Plan)) if made.rejected => plan(Task::Plan),
            (Some(made), _) if !made.approved => FlowAction::AskAboutPlan,
            (Some(_), Some(Task::Execute { .. })) => plan(Task::Decide),
            (Some(made), _) => execute(view, run, made),
        }
    }

    fn shape(&self, view: &View, by: &Assignment) -> Option<OutputShape> {
        let agents = || view.team.in_role(AgentRole::Executor).map(|agent| Arc::from(agent.id.as_str())).collect();
        match by.task {
            Task::Plan => Some(OutputShape::Plan { agents: agents() }),
            Task::Decide => Some(OutputShape::Decision { agents: agents() }),
            Task::Reply
            | Task::Route
            | Task::Execute { .. }
            | Task::Summarize
            | Task::Report { .. }
            | Task::Structure => None,
        }
    }

    // The planner can retry a failed item, or continue with the next one.
    fn continues_after_failure(&self, task: &Task) -> bool {
        matches!(task, Task::Execute { .. })
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        check_roles(team, &[(AgentRole::Planner, "planner"), (AgentRole::Executor, "executor")])
    }
}

fn execute(view: &View, run: &Run, plan: &Plan) -> FlowAction {
    let executor = |id: &AgentId| view.team.in_role(AgentRole::Executor).find(|agent| agent.id == *id);
    let Some((number, item)) = plan.current().filter(|_| !plan.finished) else {
        let in_state = |state| plan.items.iter().any(|item| item.state == state);
        if in_state(PlanItemState::Blocked) && !in_state(PlanItemState::Completed) {
            let message =
                "no item of the plan could be completed; read the messages of its agents, then start a new run".into();
            return FlowAction::Fail(AttemptError { code: "plan_blocked".into(), message });
        }
        let result = run.task_results.iter().rev().find(|done| matches!(done.assignment.task, Task::Execute { .. }));
        return FlowAction::Finish { final_message: result.and_then(|done| done.message) };
    };
    // The decision after the previous item takes precedence over the plan, which is older.
    let decided = run.guidance(number).and_then(|decision| decision.agent.as_ref()).and_then(executor);
    let planned = item.agent.as_ref().and_then(executor);
    match decided.or(planned).or(view.team.in_role(AgentRole::Executor).next()) {
        Some(agent) => FlowAction::Take(vec![Assignment::new(&agent.id, Task::Execute { number, part: 0 })]),
        None => assign_one(view, AgentRole::Executor, Task::Execute { number, part: 0 }),
    }
}
