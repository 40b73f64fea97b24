//! The `adaptive` node strategy: the supervisor picks the next agent, or ends the node's work.

use super::node::{NextAgents, NodeProgress};
use super::progress::TaskState;
use crate::Task;
use crate::planner_decision::PlannerAction;

/// Returns the next work of the node: the agent that the supervisor picked, a request to pick one, a wait, or the end.
pub(super) fn next_agents(node: &NodeProgress, max_iterations: u32) -> NextAgents {
    let supervisor = node.progress.state(&node.supervisor.id, Task::Decide);
    if node.states.contains(&TaskState::Busy) || supervisor == TaskState::Busy {
        return NextAgents::Wait;
    }
    // A participant's message can make the supervisor decide again before the agent has worked, or make the agent work
    // again without a new decision. Comparing the number of decisions with the number of tasks therefore does not show
    // which decision is open.
    let last = node.progress.delegation(&node.supervisor.id);
    let Some(open) = last.filter(|last| last.ended == node.executions()) else {
        let picks = node.progress.completed(&node.supervisor.id, Task::Decide);
        // If the supervisor's model fails permanently, the node ends with the results so far.
        return if supervisor == TaskState::Failed || picks >= max_iterations {
            NextAgents::Done
        } else {
            NextAgents::Ask
        };
    };
    let picked = Some(&open.decision).filter(|decision| decision.action == PlannerAction::Delegate);
    let picked = picked.and_then(|decision| decision.agents.first());
    match picked.and_then(|agent| node.agents.iter().position(|known| known.id == *agent)) {
        Some(at) => NextAgents::Start(at),
        None => NextAgents::Done,
    }
}
