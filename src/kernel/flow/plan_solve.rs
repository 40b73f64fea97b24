//! `plan_solve`: a planner keeps a plan with the tool of that name; executors do its current step, the parts of it side by
//! side; their results go back to the planner, until it says that the work is done; then one agent sums up.

use super::{Flow, Next, meant, one, takes};
use crate::kernel::plan::Plan;
use crate::kernel::{AgentRole, Assignment, Run, Task, Team, View};

/// The flow `plan_solve`.
pub(super) struct PlanSolve;

impl Flow for PlanSolve {
    fn next(&self, view: &View, run: &Run) -> Next {
        let done = run.last_done();
        match (done.map(|done| done.assignment.task), &run.plan) {
            (Some(Task::Summarize), _) => Next::Finish { answer: done.and_then(|done| done.message) },
            (Some(Task::Plan), Some(plan)) => execute(view, run, plan),
            // Some were stopped while others were done, or are more than may run side by side.
            (Some(Task::Execute { number, .. }), Some(plan)) if !left(run, plan, number).is_empty() => {
                execute(view, run, plan)
            }
            // A planner that only talks, and makes no plan, has said what there is to say.
            (Some(Task::Plan), None) => one(view, AgentRole::Summarizer, Task::Summarize),
            _ => one(view, AgentRole::Planner, Task::Plan),
        }
    }

    fn divides_steps(&self) -> bool {
        true
    }

    /// Parts may be left that were stopped, or that were more than may run side by side.
    fn is_step_done(&self, run: &Run, number: u32) -> bool {
        run.plan.as_ref().is_none_or(|plan| left(run, plan, number).is_empty())
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        let (planner, executor) = ((AgentRole::Planner, "planner"), (AgentRole::Executor, "executor"));
        takes(team, &[planner, executor, (AgentRole::Summarizer, "summarizer")])
    }
}

/// The parts of a step that nobody has done since the planner spoke last.
fn left(run: &Run, plan: &Plan, number: u32) -> Vec<u32> {
    let since = run.done.iter().rev().take_while(|done| done.assignment.task != Task::Plan);
    let done: Vec<Task> = since.map(|done| done.assignment.task).collect();
    let parts = plan.step(number).map_or(0, |step| step.parts().len());
    (0..).take(parts).filter(|part| !done.contains(&Task::Execute { number, part: *part })).collect()
}

fn execute(view: &View, run: &Run, plan: &Plan) -> Next {
    let executors = meant(view, run, AgentRole::Executor);
    match plan.current().filter(|_| !plan.finished && !executors.is_empty()) {
        Some((number, _)) => {
            // Several executors take the parts in turn.
            let parts = left(run, plan, number).into_iter();
            let whose = |part: u32| executors[part as usize % executors.len()];
            let tasks = parts.map(|part| Assignment::new(&whose(part).id, Task::Execute { number, part }));
            Next::Take(tasks.collect())
        }
        None => one(view, AgentRole::Summarizer, Task::Summarize),
    }
}
