//! `investigate`: a planner makes a plan of tool calls and questions to people. After each item, the planner decides
//! whether to continue, ask people, make a new plan, or write the findings.

use super::{Flow, FlowAction, assign_one, check_roles};
use crate::ProposedCall;
use crate::plan::planner_decision::PlannerAction;
use crate::plan::{Plan, PlanItem, PlanItemState};
use crate::run::output_shape::{OutputShape, USER_INPUT};
use crate::{AgentRole, Assignment, Run, Task, Team, View};

/// The `investigate` flow.
pub(super) struct Investigate;

impl Flow for Investigate {
    fn next(&self, view: &View, run: &Run) -> FlowAction {
        let plan = |task| assign_one(view, AgentRole::Planner, task);
        let done = run.last_done();
        let decided = run.decision.as_ref().map(|decision| decision.action);
        match (&run.plan, done.map(|done| done.assignment.task)) {
            (Some(made), Some(Task::Summarize)) if !made.finished && made.current().is_some() => {
                FlowAction::CutShort { final_message: done.and_then(|done| done.message) }
            }
            (_, Some(Task::Summarize)) => FlowAction::Finish { final_message: done.and_then(|done| done.message) },
            (None, _) => plan(Task::Plan),
            // At the limit, the findings so far are better than a run that ends without a result.
            (Some(_), _) if is_last(view, run) => plan(Task::Summarize),
            (Some(_), Some(Task::Decide)) if decided == Some(PlannerAction::AdjustPlan) => plan(Task::Plan),
            (Some(made), Some(Task::Execute { number, .. })) if !is_automatic(made, number) => plan(Task::Decide),
            (Some(made), _) => execute_item(view, made),
        }
    }

    fn shape(&self, _: &View, by: &Assignment) -> Option<OutputShape> {
        match by.task {
            Task::Plan => Some(OutputShape::Investigation),
            Task::Decide => Some(OutputShape::NextOfInvestigation),
            Task::Summarize => Some(OutputShape::Findings),
            Task::Reply | Task::Route | Task::Execute { .. } | Task::Report { .. } | Task::Structure => None,
        }
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        check_roles(team, &[(AgentRole::Planner, "planner")])
    }
}

/// Returns whether the session's limits leave room for only one more step or one more message.
fn is_last(view: &View, run: &Run) -> bool {
    run.steps + 1 >= view.settings.max_steps_per_run || run.messages + 1 >= view.settings.max_messages_per_run
}

/// Returns whether the next item follows item `number` without a decision. True if the next item is a question, or if
/// item `number` is a question that was answered, because the plan expects the answer.
fn is_automatic(plan: &Plan, number: u32) -> bool {
    let asks = |item: &PlanItem| item.tool.as_deref() == Some(USER_INPUT);
    let answered = plan.item(number).is_some_and(|item| asks(item) && item.state == PlanItemState::Completed);
    plan.current().is_some_and(|(_, next)| next.state == PlanItemState::NotStarted && (answered || asks(next)))
}

fn execute_item(view: &View, plan: &Plan) -> FlowAction {
    let planner = view.team.in_role(AgentRole::Planner).next();
    let current = plan.current().filter(|_| !plan.finished);
    match (current.and_then(|(number, item)| Some((number, item.tool.clone()?, item))), planner) {
        (Some((number, name, item)), Some(agent)) => {
            let arguments =
                item.arguments.as_ref().map_or_else(|| "{}".into(), |arguments| arguments.to_string().into());
            FlowAction::Call(
                Assignment::new(&agent.id, Task::Execute { number, part: 0 }),
                ProposedCall { name, arguments },
            )
        }
        _ => assign_one(view, AgentRole::Planner, Task::Summarize),
    }
}
