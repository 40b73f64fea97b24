//! Order of the nodes of a topology, from its edges.

use std::collections::{BTreeSet, HashMap};

use super::longest_path::{longest_path, reversed};
use crate::topology::{Relation, Topology};

/// Edges of a topology, by node index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// Nodes that work before each node: sources of `calls` and `data_flow`, and targets of `depends_on`.
    pub before: Vec<BTreeSet<usize>>,
    /// Nodes whose results each node requires: targets of `depends_on`.
    pub needs: Vec<BTreeSet<usize>>,
    /// Nodes that each node monitors.
    pub monitors: Vec<BTreeSet<usize>>,
    /// Pairs of nodes whose results are read together.
    pub integrates: Vec<(usize, usize)>,
}

impl Graph {
    /// Reads the edges of a topology. Edges from or to unknown nodes are left out.
    pub fn of(topology: &Topology) -> Self {
        let index: HashMap<&str, usize> = (0..).zip(&topology.nodes).map(|(at, node)| (&*node.id, at)).collect();
        let none = vec![BTreeSet::new(); topology.nodes.len()];
        let mut graph = Self { before: none.clone(), needs: none.clone(), monitors: none, integrates: vec![] };
        for edge in &topology.edges {
            let (Some(&source), Some(&target)) = (index.get(&*edge.source), index.get(&*edge.target)) else { continue };
            match edge.relation {
                Relation::Calls | Relation::DataFlow => _ = graph.before[target].insert(source),
                Relation::DependsOn => {
                    graph.before[source].insert(target);
                    graph.needs[source].insert(target);
                }
                Relation::Integrates => graph.integrates.push((source, target)),
                Relation::Monitors => _ = graph.monitors[source].insert(target),
            }
        }
        graph
    }

    /// Returns the nodes in topological order, with ties in list order. Nodes on a cycle or after one are left out.
    pub fn order(&self) -> Vec<usize> {
        topological_order(&self.before)
    }

    /// Returns the nodes in an order in which each node follows those that it needs. Nodes on a cycle or after one are
    /// left out.
    pub fn order_of_needs(&self) -> Vec<usize> {
        topological_order(&self.needs)
    }

    /// Returns the layer of each node, from 1: one more than the highest layer before it. 0 for nodes on a cycle or
    /// after one.
    pub fn layers(&self) -> Vec<usize> {
        let mut layers = vec![0; self.before.len()];
        for node in self.order() {
            layers[node] = 1 + self.before[node].iter().map(|earlier| layers[*earlier]).max().unwrap_or(0);
        }
        layers
    }

    /// Returns the number of nodes on the longest path, where the nodes of a cycle count as one.
    pub fn depth(&self) -> usize {
        longest_path(&reversed(&self.before)).len()
    }
}

fn topological_order(before: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut open: Vec<usize> = before.iter().map(BTreeSet::len).collect();
    let after = reversed(before);
    let mut ready: BTreeSet<usize> = (0..before.len()).filter(|node| open[*node] == 0).collect();
    let mut order = vec![];
    while let Some(node) = ready.pop_first() {
        order.push(node);
        for later in &after[node] {
            open[*later] -= 1;
            if open[*later] == 0 {
                ready.insert(*later);
            }
        }
    }
    order
}
