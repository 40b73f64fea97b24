//! Place of an error: a JSON Pointer, and words for people.

use std::fmt::Display;

use crate::agent::teams::topology::limits;
use crate::agent::teams::topology::outline::{AgentOutline, NodeOutline, TeamOutline};
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::first_chars;

/// Place of an object of the document.
pub(super) struct Locus<'a> {
    /// JSON Pointer to the object.
    pub(super) pointer: String,
    /// Words at the start of messages.
    pub(super) subject: String,
    /// Id of the node that the object belongs to.
    pub(super) node: Option<&'a str>,
}

impl<'a> Locus<'a> {
    pub(super) fn team() -> Self {
        Self { pointer: String::new(), subject: "The team".into(), node: None }
    }

    pub(super) fn topology() -> Self {
        Self { pointer: "/topology".into(), subject: "The topology".into(), node: None }
    }

    pub(super) fn node(index: usize, node: &NodeOutline<'a>) -> Self {
        Self { pointer: format!("/topology/nodes/{index}"), subject: node_label(index, node), node: node.id }
    }

    pub(super) fn agent(at: usize, node: &NodeOutline<'a>, index: usize, agent: &AgentOutline<'a>) -> Self {
        let label = label("agent", index, agent.id);
        Self {
            pointer: format!("/topology/nodes/{at}/agents/{index}"),
            subject: format!("{}: {label}", node_label(at, node)),
            node: node.id,
        }
    }

    pub(super) fn supervisor(index: usize, node: &NodeOutline<'a>) -> Self {
        Self {
            pointer: format!("/topology/nodes/{index}/supervisor_config"),
            subject: format!("{}: supervisor", node_label(index, node)),
            node: node.id,
        }
    }

    pub(super) fn global_supervisor() -> Self {
        Self { pointer: "/topology/global_supervisor".into(), subject: "The global supervisor".into(), node: None }
    }

    pub(super) fn edge(index: usize) -> Self {
        Self { pointer: format!("/topology/edges/{index}"), subject: format!("Edge {}", index + 1), node: None }
    }
}

/// Returns the words for a node.
pub(super) fn node_label(index: usize, node: &NodeOutline<'_>) -> String {
    label("Node", index, node.id)
}

fn label(kind: &str, index: usize, id: Option<&str>) -> String {
    match id.filter(|id| !id.is_empty()) {
        Some(id) => format!("{kind} {}", quote(id)),
        None => format!("{kind} {}", index + 1),
    }
}

/// Returns the beginning of a value in quotes.
pub(super) fn quote(value: &str) -> String {
    let shown = first_chars(value, limits::MAX_SHOWN_CHARS);
    let shown: String = shown.chars().map(|c| if crate::kernel::is_hidden(c) { '\u{fffd}' } else { c }).collect();
    format!("'{shown}'")
}

/// Returns all agents and supervisors with their places. `None` as the node of the global supervisor.
pub(super) fn all_agents<'a, 'b>(
    team: &'b TeamOutline<'a>,
) -> impl Iterator<Item = (Locus<'a>, Option<&'b NodeOutline<'a>>, &'b AgentOutline<'a>)> {
    let nodes = team.nodes.iter().flatten().enumerate();
    let of_nodes = nodes.flat_map(|(at, node)| {
        let agents = node.agents.iter().flatten().enumerate();
        let agents = agents.map(move |(index, agent)| (Locus::agent(at, node, index, agent), Some(node), agent));
        let supervisor = node.supervisor.iter().map(move |agent| (Locus::supervisor(at, node), Some(node), agent));
        agents.chain(supervisor)
    });
    of_nodes.chain(team.global_supervisor.iter().map(|agent| (Locus::global_supervisor(), None, agent)))
}

impl TopologyReport {
    /// Adds an error of an object, or of a field of it.
    pub(super) fn fault(&mut self, at: &Locus<'_>, field: &str, code: TopologyErrorCode, words: impl Display) {
        let slash = if field.is_empty() { "" } else { "/" };
        self.add(format!("{}{slash}{field}", at.pointer), code, format!("{}: {words}", at.subject));
        self.add_node(at.node);
    }
}
