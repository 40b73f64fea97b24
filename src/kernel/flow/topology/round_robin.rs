//! The `round_robin` node strategy: each agent works on the task once, without waiting for the others.

use super::node::{NextAgents, NodeProgress};
use super::progress::TaskState;

/// Returns the next work of the node: all agents that can begin, a wait, or the end.
pub(super) fn next_agents(node: &NodeProgress) -> NextAgents {
    let ready: Vec<usize> = (0..).zip(&node.states).filter(|(_, state)| state.is_ready()).map(|(at, _)| at).collect();
    match ready.as_slice() {
        [] if node.states.contains(&TaskState::Busy) => NextAgents::Wait,
        [] => NextAgents::Done,
        _ => NextAgents::Delegate(ready),
    }
}
