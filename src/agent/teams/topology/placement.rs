//! Place of each agent of the kernel's team: a node, its supervisor, or the global supervisor.

use serde::Deserialize;
use serde_json::Value;

use crate::kernel::topology::Topology;
use crate::kernel::{Agent, AgentRole, Team};

/// Agents of a node.
#[derive(Debug, Default)]
pub(super) struct NodeAgents<'a> {
    /// Agents with their ids in the node.
    pub(super) agents: Vec<(&'a str, &'a Agent)>,
    pub(super) supervisor: Option<&'a Agent>,
}

/// Agents of a team, grouped by their places in the topology.
#[derive(Debug, Default)]
pub(super) struct Placement<'a> {
    /// Agents of each node, in the order of the topology's nodes.
    pub(super) nodes: Vec<NodeAgents<'a>>,
    pub(super) global_supervisor: Option<&'a Agent>,
    /// One error for each agent without a place and for each place without an agent.
    pub(super) errors: Vec<PlacementError>,
}

/// Error about an agent without a place, or about a place without an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlacementError {
    /// Index of the agent in the team. `None` if an agent is missing.
    pub(super) agent: Option<usize>,
    pub(super) message: String,
}

/// Fields of an agent that determine its place.
struct PlacedFields<'a> {
    id: &'a str,
    role: AgentRole,
    node: Option<&'a str>,
    has_template: bool,
}

/// Place of an agent.
enum TeamPlace<'a> {
    Global,
    /// Supervisor of the node with this index.
    Supervisor(usize),
    /// Agent of the node with this index, with its id in the node.
    Worker(usize, &'a str),
}

impl<'a> Placement<'a> {
    pub(super) fn new(team: &'a Team, topology: &'a Topology) -> Self {
        let mut placement = Self::default();
        placement.nodes.resize_with(topology.nodes.len(), NodeAgents::default);
        let ids: Vec<&str> = topology.nodes.iter().map(|node| &*node.id).collect();
        for (index, agent) in team.agents.iter().enumerate() {
            let fields = PlacedFields {
                id: agent.id.as_str(),
                role: agent.role,
                node: agent.node.as_deref(),
                has_template: agent.prompt_template.is_some(),
            };
            match fields.place(&ids) {
                Ok(TeamPlace::Global) => placement.global_supervisor = Some(agent),
                Ok(TeamPlace::Supervisor(at)) => placement.nodes[at].supervisor = Some(agent),
                Ok(TeamPlace::Worker(at, id)) => placement.nodes[at].agents.push((id, agent)),
                Err(text) => placement.errors.push(PlacementError::of_agent(index, fields.id, &text)),
            }
        }
        for (node, placed) in topology.nodes.iter().zip(&placement.nodes) {
            if placed.supervisor.is_none() {
                let id = format!("{}{}", node.id, Topology::SUPERVISOR_SUFFIX);
                let message = format!("Node '{}': it has no supervisor; add the agent '{id}'", node.id);
                placement.errors.push(PlacementError { agent: None, message });
            }
        }
        if placement.global_supervisor.is_none() {
            let id = Topology::GLOBAL_SUPERVISOR;
            let message = format!("The topology: it has no global supervisor; add the agent '{id}'");
            placement.errors.push(PlacementError { agent: None, message });
        }
        placement
    }
}

/// Returns an error for each agent without a place, in a file that does not conform to the schema of a team. Agents
/// whose place cannot be read are skipped, because the schema check reports them.
pub(super) fn misplaced_in_file(file: &Value) -> Vec<PlacementError> {
    let Some(nodes) = file["topology"]["nodes"].as_array() else { return vec![] };
    let Some(ids) = nodes.iter().map(|node| node["id"].as_str()).collect::<Option<Vec<&str>>>() else { return vec![] };
    let misplaced = |(index, agent): (usize, &Value)| {
        let fields = PlacedFields::of_file(agent)?;
        fields.place(&ids).err().map(|text| PlacementError::of_agent(index, fields.id, &text))
    };
    file["agents"].as_array().into_iter().flatten().enumerate().filter_map(misplaced).collect()
}

impl PlacementError {
    fn of_agent(index: usize, id: &str, text: &str) -> Self {
        Self { agent: Some(index), message: format!("Agent '{id}': {text}") }
    }

    /// Returns the JSON Pointer to the agent in the team file; empty if an agent is missing.
    pub(super) fn pointer(&self) -> String {
        self.agent.map_or_else(String::new, |index| format!("/agents/{index}"))
    }
}

impl<'a> PlacedFields<'a> {
    /// Returns the fields of an agent in a file that determine its place; `None` if one of them cannot be read.
    fn of_file(agent: &'a Value) -> Option<Self> {
        let node = &agent["node"];
        let node = if node.is_null() { None } else { Some(node.as_str()?) };
        let role = AgentRole::deserialize(&agent["role"]).ok()?;
        Some(Self { id: agent["id"].as_str()?, role, node, has_template: !agent["prompt_template"].is_null() })
    }

    /// Returns the place of the agent, given the ids of the nodes.
    fn place(&self, nodes: &[&str]) -> Result<TeamPlace<'a>, String> {
        if self.role == AgentRole::Supervisor && self.has_template {
            return Err("a supervisor has no prompt_template; remove it".into());
        }
        let Some(name) = self.node else {
            if self.id != Topology::GLOBAL_SUPERVISOR || self.role != AgentRole::Supervisor {
                let id = Topology::GLOBAL_SUPERVISOR;
                return Err(format!(
                    "it belongs to no node; set node, or give the global supervisor the id '{id}' and the role supervisor"
                ));
            }
            return Ok(TeamPlace::Global);
        };
        let at = nodes.iter().position(|node| *node == name);
        let at = at.ok_or_else(|| format!("its node '{name}' is not in the topology; use the id of a node"))?;
        let rest = self.id.strip_prefix(name);
        match self.role {
            AgentRole::Supervisor if rest == Some(Topology::SUPERVISOR_SUFFIX) => Ok(TeamPlace::Supervisor(at)),
            AgentRole::Supervisor => {
                Err(format!("a supervisor's id must be '{name}{}'; rename it", Topology::SUPERVISOR_SUFFIX))
            }
            AgentRole::Worker => {
                let separator = Topology::AGENT_SEPARATOR;
                let id = rest.and_then(|rest| rest.strip_prefix(separator));
                let id = id.ok_or_else(|| format!("its id must begin with '{name}{separator}'; rename it"))?;
                Ok(TeamPlace::Worker(at, id))
            }
            _ => Err("its role must be worker or supervisor; change it".into()),
        }
    }
}
