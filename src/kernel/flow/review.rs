//! `review`: generators write, reviewers comment, and then people decide. After an approval, the optimizers write the
//! final output. After feedback, another round begins, for all agents or for those that the feedback mentions.

use super::{Flow, FlowAction};
use crate::{AgentId, AgentRole, Assignment, Run, Settings, Target, Task, Team, View};

/// The `review` flow.
pub(super) struct Review;

impl Flow for Review {
    fn next(&self, view: &View, run: &Run) -> FlowAction {
        let round = &run.round;
        for stage in stages(view, &round.to, round.approved) {
            let left = stage.into_iter().filter(|agent| !round.done_agents.contains(agent));
            let left: Vec<Assignment> = left.map(|agent| Assignment::new(&agent, Task::Reply)).collect();
            if !left.is_empty() {
                return FlowAction::Take(left);
            }
        }
        match round.approved || is_for_optimizers(view, &round.to) {
            true => FlowAction::Finish { final_message: round.last_message },
            false => FlowAction::AskFeedback,
        }
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        let writes = |role| team.in_role(role).next().is_some();
        match writes(AgentRole::Generator) || writes(AgentRole::Reviewer) {
            true => Ok(()),
            false => Err("flow review requires an agent in role generator, or one in role reviewer".into()),
        }
    }

    // The specification of the test case team requires this limit.
    fn settings(&self) -> Settings {
        Settings { max_messages_per_run: 20, ..Settings::default() }
    }

    fn uses_rounds(&self) -> bool {
        true
    }
}

/// Returns whether `to` contains only optimizers. Their output is then the final output, as after an approval.
fn is_for_optimizers(view: &View, to: &[Target]) -> bool {
    let optimizer = |target: &Target| match target {
        Target::Agent(id) => view.team.agent(id).is_some_and(|agent| agent.role == AgentRole::Optimizer),
        Target::All | Target::People | Target::Role(_) | Target::Participant(_) => false,
    };
    !to.is_empty() && to.iter().all(optimizer)
}

/// Returns the agents of a round in stages; the agents of one stage work in parallel.
fn stages(view: &View, to: &[Target], approved: bool) -> Vec<Vec<AgentId>> {
    let named = |agent: &AgentId| to.contains(&Target::Agent(agent.clone()));
    let everyone = to.contains(&Target::All) || !to.iter().any(|target| matches!(target, Target::Agent(_)));
    let roles = [AgentRole::Generator, AgentRole::Reviewer, AgentRole::Optimizer];
    roles
        .into_iter()
        .map(|role| {
            let agents = view.team.in_role(role).map(|agent| agent.id.clone());
            agents
                .filter(|agent| match (approved, everyone) {
                    (true, _) => role == AgentRole::Optimizer,
                    (false, true) => role != AgentRole::Optimizer,
                    (false, false) => named(agent),
                })
                .collect()
        })
        .collect()
}
