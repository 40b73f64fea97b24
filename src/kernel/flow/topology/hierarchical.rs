//! The `hierarchical` global strategy: layer by layer along the edges.

use super::graph::Graph;
use crate::plan::PlanItemState;

/// Returns the nodes that can begin: those of the lowest layer that is not done.
pub(super) fn next_nodes(graph: &Graph, states: &[PlanItemState]) -> Vec<usize> {
    let layers = graph.layers();
    let open = |node: &usize| !states[*node].is_over();
    let current = (0..states.len()).filter(open).map(|node| layers[node]).min();
    let waits = |node: &usize| states[*node] == PlanItemState::NotStarted && Some(layers[*node]) == current;
    (0..states.len()).filter(waits).collect()
}
