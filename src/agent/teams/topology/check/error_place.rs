//! Location of an error: a JSON Pointer, and a description for people.

use std::fmt::Display;

use crate::agent::teams::topology::limits;
use crate::agent::teams::topology::outline::{AgentOutline, NodeOutline, TeamOutline};
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::first_chars;

/// Location of an object in the document. Its pointer and description are built only for an error, because a team can
/// have thousands of agents and no errors.
#[derive(Debug, Clone, Copy)]
pub(super) enum ErrorPlace<'a> {
    Team,
    Topology,
    GlobalSupervisor,
    Node(ListItem<'a>),
    /// Agent of a node: the node, then the agent.
    Agent(ListItem<'a>, ListItem<'a>),
    /// Supervisor of this node.
    Supervisor(ListItem<'a>),
    /// Index of the edge.
    Edge(usize),
}

/// Item of a list, with its id if the author of the document wrote one.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListItem<'a> {
    index: usize,
    id: Option<&'a str>,
}

impl<'a> ErrorPlace<'a> {
    pub(super) fn node(index: usize, node: &NodeOutline<'a>) -> Self {
        Self::Node(ListItem { index, id: node.id })
    }

    pub(super) fn agent(at: usize, node: &NodeOutline<'a>, index: usize, agent: &AgentOutline<'a>) -> Self {
        Self::Agent(ListItem { index: at, id: node.id }, ListItem { index, id: agent.id })
    }

    /// Returns whether this is an agent, as opposed to a supervisor, which has some of the same fields in `options`.
    pub(super) fn is_agent(&self) -> bool {
        matches!(self, Self::Agent(..))
    }

    /// Returns two descriptions: that of the object's node, or of the object itself if it does not belong to a node;
    /// and that of the node's agent or supervisor, if the object is one.
    pub(super) fn subject(&self) -> (String, Option<String>) {
        match self {
            Self::Team => ("The team".into(), None),
            Self::Topology => ("The topology".into(), None),
            Self::GlobalSupervisor => ("The global supervisor".into(), None),
            Self::Node(node) => (node.label("Node"), None),
            Self::Agent(node, agent) => (node.label("Node"), Some(agent.label("agent"))),
            Self::Supervisor(node) => (node.label("Node"), Some("supervisor".into())),
            Self::Edge(index) => (format!("Edge {}", index + 1), None),
        }
    }

    /// Returns the JSON Pointer to a field of the object, or to the object itself if `field` is empty.
    fn pointer(&self, field: &str) -> String {
        let slash = if field.is_empty() { "" } else { "/" };
        match self {
            Self::Team => format!("{slash}{field}"),
            Self::Topology => format!("/topology{slash}{field}"),
            Self::GlobalSupervisor => format!("/topology/global_supervisor{slash}{field}"),
            Self::Node(node) => format!("/topology/nodes/{}{slash}{field}", node.index),
            Self::Agent(node, agent) => format!("/topology/nodes/{}/agents/{}{slash}{field}", node.index, agent.index),
            Self::Supervisor(node) => format!("/topology/nodes/{}/supervisor_config{slash}{field}", node.index),
            Self::Edge(index) => format!("/topology/edges/{index}{slash}{field}"),
        }
    }

    /// Returns the id of the node that the object belongs to; `None` if it belongs to no node, or the node has no id.
    fn node_id(&self) -> Option<&'a str> {
        match self {
            Self::Node(node) | Self::Agent(node, _) | Self::Supervisor(node) => node.id,
            Self::Team | Self::Topology | Self::GlobalSupervisor | Self::Edge(_) => None,
        }
    }
}

impl ListItem<'_> {
    fn label(&self, kind: &str) -> String {
        match self.id.filter(|id| !id.is_empty()) {
            Some(id) => format!("{kind} {}", quote(id)),
            None => format!("{kind} {}", self.index + 1),
        }
    }
}

/// Returns the beginning of a value, in quotes.
pub(super) fn quote(value: &str) -> String {
    let shown = first_chars(value, limits::MAX_SHOWN_CHARS);
    let shown: String = shown.chars().map(|c| if crate::kernel::is_hidden(c) { '\u{fffd}' } else { c }).collect();
    format!("'{shown}'")
}

/// Returns all agents and supervisors with their locations and nodes. The node of the global supervisor is `None`.
pub(super) fn all_agents<'a, 'b>(
    team: &'b TeamOutline<'a>,
) -> impl Iterator<Item = (ErrorPlace<'a>, Option<&'b NodeOutline<'a>>, &'b AgentOutline<'a>)> {
    let nodes = team.nodes.iter().flatten().enumerate();
    let of_nodes = nodes.flat_map(|(at, node)| {
        let agents = node.agents.iter().flatten().enumerate();
        let agents = agents.map(move |(index, agent)| (ErrorPlace::agent(at, node, index, agent), Some(node), agent));
        let supervisor = node
            .supervisor
            .iter()
            .map(move |agent| (ErrorPlace::Supervisor(ListItem { index: at, id: node.id }), Some(node), agent));
        agents.chain(supervisor)
    });
    of_nodes.chain(team.global_supervisor.iter().map(|agent| (ErrorPlace::GlobalSupervisor, None, agent)))
}

impl TopologyReport {
    /// Adds an error in a field of an object, or in the object itself if `field` is empty.
    pub(super) fn fault(&mut self, at: &ErrorPlace<'_>, field: &str, code: TopologyErrorCode, text: impl Display) {
        let message = match at.subject() {
            (subject, None) => format!("{subject}: {text}"),
            (node, Some(part)) => format!("{node}: {part}: {text}"),
        };
        self.add_fault(at, field, code, message);
    }

    /// Adds an error like `fault`, but with a message that already names the object.
    pub(super) fn add_fault(&mut self, at: &ErrorPlace<'_>, field: &str, code: TopologyErrorCode, message: String) {
        self.add(at.pointer(field), code, message);
        self.add_node(at.node_id());
    }
}
