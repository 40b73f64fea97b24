//! Places of agents in a topology, as the events of an execution name them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::kernel::topology::Topology;
use crate::kernel::{AgentId, AgentRole, Team};

/// Place of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AgentPlace {
    /// Above the nodes.
    Global,
    /// Supervisor of this node.
    Supervisor { node: Arc<str> },
    /// Agent of this node, by its id in the node.
    Agent { node: Arc<str>, agent: Arc<str> },
}

impl AgentPlace {
    /// Returns the places of all agents.
    pub(super) fn all(team: &Team) -> HashMap<AgentId, Self> {
        let place = |agent: &crate::kernel::Agent| match (&agent.node, agent.role) {
            (None, _) => Self::Global,
            (Some(node), AgentRole::Supervisor) => Self::Supervisor { node: node.clone() },
            (Some(node), _) => {
                let id = agent.id.as_str();
                let own = id.strip_prefix(&**node).and_then(|rest| rest.strip_prefix(Topology::AGENT_SEPARATOR));
                Self::Agent { node: node.clone(), agent: own.unwrap_or(id).into() }
            }
        };
        team.agents.iter().map(|agent| (agent.id.clone(), place(agent))).collect()
    }

    pub(super) fn node(&self) -> Option<Arc<str>> {
        match self {
            Self::Global => None,
            Self::Supervisor { node } | Self::Agent { node, .. } => Some(node.clone()),
        }
    }

    pub(super) fn agent(&self) -> Option<Arc<str>> {
        match self {
            Self::Global | Self::Supervisor { .. } => None,
            Self::Agent { agent, .. } => Some(agent.clone()),
        }
    }

    pub(super) fn is_supervisor(&self) -> bool {
        !matches!(self, Self::Agent { .. })
    }
}
