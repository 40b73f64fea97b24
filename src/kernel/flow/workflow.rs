//! `workflow`: the steps that the team is configured with, one after the other; those of the agents that are mentioned,
//! where some are.

use super::{Flow, Next};
use crate::kernel::plan::{Plan, PlanStep};
use crate::kernel::{AgentId, Assignment, Run, Target, Task, Team, View};

/// The flow `workflow`.
pub(super) struct Workflow;

impl Flow for Workflow {
    fn next(&self, view: &View, run: &Run) -> Next {
        let Some(plan) = &run.plan else {
            let step = |agent: &_, action: &_| PlanStep {
                agent: Some(Clone::clone(agent)),
                action: Clone::clone(action),
                ..PlanStep::default()
            };
            // Words for some of the agents are for their steps: another one would begin on what it was not asked for.
            let named = |agent: &AgentId| run.round.to.contains(&Target::Agent(agent.clone()));
            let some = view.team.steps.iter().any(|fixed| named(&fixed.agent));
            let wanted = view.team.steps.iter().filter(|fixed| !some || named(&fixed.agent));
            let steps = wanted.map(|fixed| step(&fixed.agent, &fixed.action)).collect();
            return Next::Propose(Plan { rev: 1, steps, approved: true, ..Plan::default() });
        };
        match plan.current().and_then(|(number, step)| Some((number, step.agent.as_ref()?))) {
            Some((number, agent)) => Next::Take(vec![Assignment::new(agent, Task::Execute { number, part: 0 })]),
            None => Next::Finish { answer: run.last_done().and_then(|done| done.message) },
        }
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        if team.steps.is_empty() || team.steps.len() > Plan::STEPS {
            return Err(format!("flow workflow takes 1 to {} steps", Plan::STEPS));
        }
        match team.steps.iter().find(|step| team.agent(&step.agent).is_none()) {
            Some(step) => Err(format!("steps name the agent {}, which the team does not have", step.agent)),
            None => Ok(()),
        }
    }
}
