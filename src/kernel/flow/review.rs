//! `review`: generators, then reviewers, then people. They approve, and the optimizers write the final answer; or they
//! say what should change, and it goes round again, or to the agents that they mention.

use super::{Flow, Next};
use crate::kernel::{AgentId, AgentRole, Run, Target, View};

/// The flow `review`.
pub(super) struct Review;

impl Flow for Review {
    fn next(&self, view: &View, run: &Run) -> Next {
        let round = &run.round;
        if round.interrupted {
            return Next::Ask;
        }
        for stage in stages(view, &round.to, round.approved) {
            let left: Vec<AgentId> = stage.into_iter().filter(|agent| !round.done.contains(agent)).collect();
            if !left.is_empty() {
                return Next::Take(left);
            }
        }
        if round.approved { Next::Finish { answer: round.last } } else { Next::Ask }
    }
}

/// The agents of a round, in order; those of one role work side by side.
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
