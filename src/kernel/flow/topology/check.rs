//! Requirements that the `topology` flow places on a team.

use std::collections::BTreeSet;

use super::graph::Graph;
use crate::topology::{GlobalStrategy, Topology, TopologyNode};
use crate::{Agent, AgentRole, Team};

/// Checks that a team has a topology that can run to completion. The error message is for the author of the team.
pub(super) fn check(team: &Team) -> Result<(), String> {
    let Some(topology) = &team.topology else {
        return Err("flow topology requires a topology with nodes; add one".into());
    };
    if !(1..=Topology::MAX_NODES).contains(&topology.nodes.len()) {
        return Err(format!("topology: use 1 to {} nodes", Topology::MAX_NODES));
    }
    if team.global_supervisor().is_none() {
        return Err(format!("flow topology requires an agent {} in role supervisor", Topology::GLOBAL_SUPERVISOR));
    }
    let mut ids = BTreeSet::new();
    for node in &topology.nodes {
        if !ids.insert(&*node.id) {
            return Err(format!("topology: two nodes have the id {}; choose another id", node.id));
        }
        check_node(team, node)?;
    }
    if let Some(agent) = team.agents.iter().find(|agent| agent.node.as_deref().is_some_and(|node| !ids.contains(node)))
    {
        return Err(format!("agent {}: node: the topology has no such node; use one of its ids", agent.id));
    }
    let unknown = topology.edges.iter().flat_map(|edge| [&edge.source, &edge.target]).find(|id| !ids.contains(&***id));
    if let Some(id) = unknown {
        return Err(format!("topology: an edge names the node {id}, which does not exist; use the id of a node"));
    }
    check_order(topology)
}

fn check_node(team: &Team, node: &TopologyNode) -> Result<(), String> {
    let of_node = |agent: &&Agent| agent.node.as_deref() == Some(&*node.id);
    let agents = team.agents.iter().filter(of_node).filter(|agent| agent.role != AgentRole::Supervisor).count();
    match agents {
        0 => Err(format!("topology: node {} has no agent; add one with node = \"{}\"", node.id, node.id)),
        _ if agents > Topology::MAX_AGENTS => {
            Err(format!("topology: node {} has {agents} agents; use at most {}", node.id, Topology::MAX_AGENTS))
        }
        _ if team.node_supervisor(&node.id).is_none() => Err(format!(
            "topology: node {} has no supervisor; add the agent {}-supervisor in role supervisor",
            node.id, node.id
        )),
        _ => Ok(()),
    }
}

/// Checks that every node can eventually begin, and that the longest path is short enough.
fn check_order(topology: &Topology) -> Result<(), String> {
    let graph = Graph::of(topology);
    let all = topology.nodes.len();
    if graph.order_of_needs().len() < all {
        return Err("topology: depends_on has a cycle; remove one of its edges".into());
    }
    match topology.strategy {
        GlobalStrategy::Hierarchical | GlobalStrategy::Sequential if graph.order().len() < all => {
            return Err(
                "topology: its edges have a cycle, so there is no order; remove an edge or use strategy parallel"
                    .into(),
            );
        }
        GlobalStrategy::Hierarchical | GlobalStrategy::Sequential | GlobalStrategy::Parallel => {}
    }
    match graph.depth() {
        depth if depth > Topology::MAX_DEPTH => {
            Err(format!("topology: the longest path has {depth} nodes; use at most {}", Topology::MAX_DEPTH))
        }
        _ => Ok(()),
    }
}
