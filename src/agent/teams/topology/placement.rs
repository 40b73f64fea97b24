//! Place of each agent of the kernel's team: a node, its supervisor, or the global supervisor.

use crate::kernel::topology::Topology;
use crate::kernel::{Agent, AgentRole, Team};

/// Agents of a node.
#[derive(Debug, Default)]
pub(super) struct NodeAgents<'a> {
    /// Agents with their ids in the node.
    pub(super) agents: Vec<(&'a str, &'a Agent)>,
    pub(super) supervisor: Option<&'a Agent>,
}

/// Agents of a team by their places.
#[derive(Debug, Default)]
pub(super) struct Placement<'a> {
    /// Agents of each node, in the order of the topology's nodes.
    pub(super) nodes: Vec<NodeAgents<'a>>,
    pub(super) global_supervisor: Option<&'a Agent>,
    /// Errors of agents without a place.
    pub(super) errors: Vec<String>,
}

impl<'a> Placement<'a> {
    pub(super) fn new(team: &'a Team, topology: &'a Topology) -> Self {
        let mut placement = Self::default();
        placement.nodes.resize_with(topology.nodes.len(), NodeAgents::default);
        for agent in &team.agents {
            if let Err(text) = placement.place(agent, topology) {
                placement.errors.push(format!("Agent '{}': {text}", agent.id));
            }
        }
        for (node, placed) in topology.nodes.iter().zip(&placement.nodes) {
            if placed.supervisor.is_none() {
                let id = format!("{}{}", node.id, Topology::SUPERVISOR_SUFFIX);
                placement.errors.push(format!("Node '{}': it has no supervisor; add the agent '{id}'", node.id));
            }
        }
        if placement.global_supervisor.is_none() {
            let id = Topology::GLOBAL_SUPERVISOR;
            placement.errors.push(format!("The topology: it has no global supervisor; add the agent '{id}'"));
        }
        placement
    }

    fn place(&mut self, agent: &'a Agent, topology: &Topology) -> Result<(), String> {
        let id = agent.id.as_str();
        if agent.role == AgentRole::Supervisor && agent.prompt_template.is_some() {
            return Err("a supervisor has no prompt_template; remove it".into());
        }
        let Some(name) = &agent.node else {
            if id != Topology::GLOBAL_SUPERVISOR || agent.role != AgentRole::Supervisor {
                let id = Topology::GLOBAL_SUPERVISOR;
                return Err(format!(
                    "it belongs to no node; set node, or give the global supervisor the id '{id}' and the role supervisor"
                ));
            }
            self.global_supervisor = Some(agent);
            return Ok(());
        };
        let at = topology.nodes.iter().position(|node| node.id == *name);
        let node = at.and_then(|at| self.nodes.get_mut(at));
        let node = node.ok_or_else(|| format!("its node '{name}' is not in the topology; use the id of a node"))?;
        let rest = id.strip_prefix(&**name);
        match agent.role {
            AgentRole::Supervisor if rest == Some(Topology::SUPERVISOR_SUFFIX) => node.supervisor = Some(agent),
            AgentRole::Supervisor => {
                return Err(format!("a supervisor's id must be '{name}{}'; rename it", Topology::SUPERVISOR_SUFFIX));
            }
            AgentRole::Worker => {
                let separator = Topology::AGENT_SEPARATOR;
                let id = rest.and_then(|rest| rest.strip_prefix(separator));
                let id = id.ok_or_else(|| format!("its id must begin with '{name}{separator}'; rename it"))?;
                node.agents.push((id, agent));
            }
            _ => return Err("its role must be worker or supervisor; change it".into()),
        }
        Ok(())
    }
}
