//! The `priority` node strategy: one agent after another, the highest priority first.

use std::cmp::Reverse;

use super::node::{NextAgents, NodeProgress};
use super::progress::TaskState;

/// Returns the next work of the node: the unfinished agent with the highest priority, a wait, or the end.
pub(super) fn next_agents(node: &NodeProgress) -> NextAgents {
    let mut order: Vec<usize> = (0..node.agents.len()).collect();
    order.sort_by_key(|at| Reverse(node.agents[*at].priority));
    match order.into_iter().find(|at| !node.states[*at].is_over()) {
        None => NextAgents::Done,
        Some(at) if node.states[at] == TaskState::Busy => NextAgents::Wait,
        Some(at) => NextAgents::Delegate(vec![at]),
    }
}
