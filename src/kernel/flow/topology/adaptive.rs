//! Node strategy `adaptive`: the supervisor picks the next agent, or ends the node's work.

use super::node::{NextAgents, NodeProgress};
use super::progress::TaskState;
use crate::kernel::Task;
use crate::kernel::planner_decision::PlannerAction;

/// Returns the agent that the supervisor picked, or that the supervisor must pick one.
pub(super) fn next_agents(node: &NodeProgress, max_iterations: u32) -> NextAgents {
    let supervisor = node.progress.state(&node.supervisor.id, Task::Decide);
    if node.states.contains(&TaskState::Busy) || supervisor == TaskState::Busy {
        return NextAgents::Wait;
    }
    let (picks, worked) = (node.progress.completed(&node.supervisor.id, Task::Decide), node.executions());
    if picks == worked {
        // A supervisor whose model fails for good ends the node with the results that there are.
        return match supervisor {
            TaskState::Failed => NextAgents::Done,
            TaskState::NotStarted | TaskState::Busy | TaskState::Retry | TaskState::Done if picks >= max_iterations => {
                NextAgents::Done
            }
            TaskState::NotStarted | TaskState::Busy | TaskState::Retry | TaskState::Done => NextAgents::Ask,
        };
    }
    let decision = node.progress.delegation(&node.supervisor.id);
    let picked = decision.filter(|decision| decision.action == PlannerAction::Delegate);
    let picked = picked.and_then(|decision| decision.agents.first());
    match picked.and_then(|agent| node.agents.iter().position(|known| known.id == *agent)) {
        Some(at) => NextAgents::Start(at),
        None => NextAgents::Done,
    }
}
