//! Node strategy `round_robin`: each agent gets one turn at the task, without waiting for the others.

use super::node::{NextAgents, NodeProgress};
use super::progress::TaskState;

/// Returns the agents that can begin.
pub(super) fn next_agents(node: &NodeProgress) -> NextAgents {
    let ready: Vec<usize> = (0..).zip(&node.states).filter(|(_, state)| state.is_ready()).map(|(at, _)| at).collect();
    match ready.as_slice() {
        [] if node.states.contains(&TaskState::Busy) => NextAgents::Wait,
        [] => NextAgents::Done,
        _ => NextAgents::Delegate(ready),
    }
}
