//! `workflow`: the configured steps of the team, in order. If the input mentions agents, only the steps of those agents
//! run.

use super::{Flow, FlowAction};
use crate::plan::{Plan, PlanItem};
use crate::{AgentId, Assignment, Run, Target, Task, Team, View};

/// The `workflow` flow.
pub(super) struct Workflow;

impl Flow for Workflow {
    fn next(&self, view: &View, run: &Run) -> FlowAction {
        let Some(plan) = &run.plan else {
            let item = |agent: &_, action: &_| PlanItem {
                agent: Some(Clone::clone(agent)),
                action: Clone::clone(action),
                ..PlanItem::default()
            };
            // A message for some agents runs only their steps. The other agents would start work that nobody requested.
            let named = |agent: &AgentId| run.round.to.contains(&Target::Agent(agent.clone()));
            let some = view.team.steps.iter().any(|fixed| named(&fixed.agent));
            let wanted = view.team.steps.iter().filter(|fixed| !some || named(&fixed.agent));
            let items = wanted.map(|fixed| item(&fixed.agent, &fixed.action)).collect();
            return FlowAction::Propose(Plan { rev: 1, items, approved: true, ..Plan::default() });
        };
        match plan.current().and_then(|(number, item)| Some((number, item.agent.as_ref()?))) {
            Some((number, agent)) => FlowAction::Take(vec![Assignment::new(agent, Task::Execute { number, part: 0 })]),
            None => FlowAction::Finish { final_message: run.last_done().and_then(|done| done.message) },
        }
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        if team.steps.is_empty() || team.steps.len() > Plan::MAX_ITEMS {
            return Err(format!("flow workflow requires 1 to {} steps", Plan::MAX_ITEMS));
        }
        match team.steps.iter().find(|step| team.agent(&step.agent).is_none()) {
            Some(step) => Err(format!("steps name the agent {}, which the team does not have", step.agent)),
            None => Ok(()),
        }
    }
}
