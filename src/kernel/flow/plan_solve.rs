//! `plan_solve`: a planner maintains a plan with the `plan` tool. Executors work on its current item, with the parts of
//! the item in parallel. Their results return to the planner until it declares the work done. Then one agent summarizes
//! the results.

use super::{Flow, FlowAction, addressed_agents, assign_one, check_roles};
use crate::plan::Plan;
use crate::{AgentRole, Assignment, Run, Task, Team, View};

/// The `plan_solve` flow.
pub(super) struct PlanSolve;

impl Flow for PlanSolve {
    fn next(&self, view: &View, run: &Run) -> FlowAction {
        let done = run.last_done();
        match (done.map(|done| done.assignment.task), &run.plan) {
            (Some(Task::Summarize), _) => FlowAction::Finish { final_message: done.and_then(|done| done.message) },
            (Some(Task::Plan), Some(plan)) => execute(view, run, plan),
            // Some parts were stopped while others were done, or there are more parts than can run in parallel.
            (Some(Task::Execute { number, .. }), Some(plan)) if !remaining_parts(run, plan, number).is_empty() => {
                execute(view, run, plan)
            }
            // Without a plan, there is nothing to execute, so the planner's text is summarized.
            (Some(Task::Plan), None) => assign_one(view, AgentRole::Summarizer, Task::Summarize),
            _ => assign_one(view, AgentRole::Planner, Task::Plan),
        }
    }

    fn runs_parts_in_parallel(&self) -> bool {
        true
    }

    /// Parts can be left over because they were stopped, or because there are more parts than can run in parallel.
    fn is_item_done(&self, run: &Run, number: u32) -> bool {
        run.plan.as_ref().is_none_or(|plan| remaining_parts(run, plan, number).is_empty())
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        let (planner, executor) = ((AgentRole::Planner, "planner"), (AgentRole::Executor, "executor"));
        check_roles(team, &[planner, executor, (AgentRole::Summarizer, "summarizer")])
    }
}

/// Returns the parts of an item that no executor has completed since the planner's last turn.
fn remaining_parts(run: &Run, plan: &Plan, number: u32) -> Vec<u32> {
    let since = run.task_results.iter().rev().take_while(|done| done.assignment.task != Task::Plan);
    let done: Vec<Task> = since.map(|done| done.assignment.task).collect();
    let parts = plan.item(number).map_or(0, |item| item.parts().len());
    (0..).take(parts).filter(|part| !done.contains(&Task::Execute { number, part: *part })).collect()
}

fn execute(view: &View, run: &Run, plan: &Plan) -> FlowAction {
    let executors = addressed_agents(view, run, AgentRole::Executor);
    match plan.current().filter(|_| !plan.finished && !executors.is_empty()) {
        Some((number, _)) => {
            // The parts are distributed over several executors round-robin.
            let parts = remaining_parts(run, plan, number).into_iter();
            let whose = |part: u32| executors[part as usize % executors.len()];
            let tasks = parts.map(|part| Assignment::new(&whose(part).id, Task::Execute { number, part }));
            FlowAction::Take(tasks.collect())
        }
        None => assign_one(view, AgentRole::Summarizer, Task::Summarize),
    }
}
