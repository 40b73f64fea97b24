//! `investigate`: a planner makes a plan of tool calls and questions to people. After each step it decides whether to
//! continue, ask people, make a new plan, or write the findings.

use super::{Flow, Next, one, takes};
use crate::kernel::command::Wanted;
use crate::kernel::judgement::Action;
use crate::kernel::plan::{Plan, PlanStep, StepState};
use crate::kernel::shape::{Shape, USER_INPUT};
use crate::kernel::{AgentRole, Assignment, Run, Task, Team, View};

/// Flow `investigate`.
pub(super) struct Investigate;

impl Flow for Investigate {
    fn next(&self, view: &View, run: &Run) -> Next {
        let plan = |task| one(view, AgentRole::Planner, task);
        let done = run.last_done();
        let judged = run.judgement.as_ref().map(|judgement| judgement.action);
        match (&run.plan, done.map(|done| done.assignment.task)) {
            (Some(made), Some(Task::Summarize)) if !made.finished && made.current().is_some() => {
                Next::CutShort { answer: done.and_then(|done| done.message) }
            }
            (_, Some(Task::Summarize)) => Next::Finish { answer: done.and_then(|done| done.message) },
            (None, _) => plan(Task::Plan),
            // At the limit the findings so far are better than a run that ends without an answer.
            (Some(_), _) if is_last(view, run) => plan(Task::Summarize),
            (Some(_), Some(Task::Judge)) if judged == Some(Action::AdjustPlan) => plan(Task::Plan),
            (Some(made), Some(Task::Execute { number, .. })) if !goes_on(made, number) => plan(Task::Judge),
            (Some(made), _) => execute(view, made),
        }
    }

    fn shape(&self, _: &View, task: &Task) -> Option<Shape> {
        match task {
            Task::Plan => Some(Shape::Investigation),
            Task::Judge => Some(Shape::NextOfInvestigation),
            Task::Summarize => Some(Shape::Findings),
            _ => None,
        }
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        takes(team, &[(AgentRole::Planner, "planner")])
    }
}

/// Returns whether the session's limits leave room for only one more step or one more message.
fn is_last(view: &View, run: &Run) -> bool {
    run.steps + 1 >= view.settings.steps_per_run || run.messages + 1 >= view.settings.messages_per_run
}

/// Returns whether the next step follows this one without a decision. Questions do, and so do the steps after an
/// answered question, because the plan expects the answer.
fn goes_on(plan: &Plan, number: u32) -> bool {
    let asks = |step: &PlanStep| step.tool.as_deref() == Some(USER_INPUT);
    let answered = plan.step(number).is_some_and(|step| asks(step) && step.state == StepState::Completed);
    plan.current().is_some_and(|(_, next)| next.state == StepState::NotStarted && (answered || asks(next)))
}

fn execute(view: &View, plan: &Plan) -> Next {
    let planner = view.team.in_role(AgentRole::Planner).next();
    let current = plan.current().filter(|_| !plan.finished);
    match (current.and_then(|(number, step)| Some((number, step.tool.clone()?, step))), planner) {
        (Some((number, name, step)), Some(agent)) => {
            let arguments =
                step.arguments.as_ref().map_or_else(|| "{}".into(), |arguments| arguments.to_string().into());
            Next::Call(Assignment::new(&agent.id, Task::Execute { number, part: 0 }), Wanted { name, arguments })
        }
        _ => one(view, AgentRole::Planner, Task::Summarize),
    }
}
