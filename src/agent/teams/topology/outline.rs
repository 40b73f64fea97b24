//! Outline of a team, which the checks read. It has the same form for a document over REST and for a team file. Parts
//! that are missing or have the wrong type are absent, so that one check finds all errors in a document that is only
//! partly readable.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::limits;
use crate::kernel::CallRule;
use crate::kernel::topology::{GlobalStrategy, Relation, Topology};

/// A team, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct TeamOutline<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    pub(super) slug: Option<&'a str>,
    pub(super) starters: Vec<&'a str>,
    pub(super) timeout_seconds: Option<f64>,
    pub(super) max_iterations: Option<f64>,
    /// `None` if the strategy is missing or unknown.
    pub(super) strategy: Option<GlobalStrategy>,
    pub(super) allow_isolated_nodes: bool,
    /// `None` if there is no list of nodes.
    pub(super) nodes: Option<Vec<NodeOutline<'a>>>,
    pub(super) edges: Vec<EdgeOutline<'a>>,
    pub(super) global_supervisor: Option<AgentOutline<'a>>,
}

/// A node, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct NodeOutline<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) kind: Option<&'a str>,
    pub(super) attributes: Option<&'a Map<String, Value>>,
    /// `None` if there is no list of agents.
    pub(super) agents: Option<Vec<AgentOutline<'a>>>,
    pub(super) supervisor: Option<AgentOutline<'a>>,
}

/// An agent or a supervisor, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct AgentOutline<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) title: Option<&'a str>,
    pub(super) prompt: Option<&'a str>,
    pub(super) template: Option<&'a str>,
    pub(super) provider: Option<&'a str>,
    pub(super) model: Option<&'a str>,
    pub(super) tools: Vec<&'a str>,
    pub(super) permissions: Cow<'a, [CallRule]>,
    pub(super) temperature: Option<f64>,
    pub(super) max_tokens: Option<f64>,
    pub(super) priority: Option<f64>,
}

/// An edge, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct EdgeOutline<'a> {
    pub(super) source: Option<&'a str>,
    pub(super) target: Option<&'a str>,
    pub(super) relation: Option<Relation>,
    pub(super) attributes: Option<&'a Map<String, Value>>,
}

impl<'a> TeamOutline<'a> {
    /// Reads as much of a document as possible.
    pub(super) fn of_document(document: &'a Value) -> Self {
        let topology = &document["topology"];
        let supervisor = &topology["global_supervisor"];
        let strategy = &supervisor["coordination_strategy"];
        Self {
            name: document["team_name"].as_str(),
            description: document["description"].as_str(),
            slug: document["slug"].as_str(),
            starters: texts(&document["starters"]),
            timeout_seconds: document["timeout_seconds"].as_f64(),
            max_iterations: document["max_iterations"].as_f64(),
            strategy: if strategy.is_null() { Some(GlobalStrategy::default()) } else { known(strategy) },
            allow_isolated_nodes: topology["allow_isolated_nodes"].as_bool().unwrap_or_default(),
            nodes: topology["nodes"]
                .as_array()
                .map(|nodes| first(nodes, Topology::MAX_NODES, NodeOutline::of_document)),
            edges: topology["edges"]
                .as_array()
                .map_or_else(Vec::new, |edges| first(edges, limits::MAX_EDGES, EdgeOutline::of_document)),
            global_supervisor: supervisor.is_object().then(|| AgentOutline::of_supervisor(supervisor)),
        }
    }
}

impl<'a> NodeOutline<'a> {
    fn of_document(node: &'a Value) -> Self {
        let supervisor = &node["supervisor_config"];
        Self {
            id: node["node_id"].as_str(),
            name: node["node_name"].as_str(),
            kind: node["node_type"].as_str(),
            attributes: node["attributes"].as_object(),
            agents: node["agents"]
                .as_array()
                .map(|agents| first(agents, Topology::MAX_AGENTS, AgentOutline::of_document)),
            supervisor: supervisor.is_object().then(|| AgentOutline::of_supervisor(supervisor)),
        }
    }
}

impl<'a> AgentOutline<'a> {
    fn of_document(agent: &'a Value) -> Self {
        Self {
            id: agent["agent_id"].as_str(),
            name: agent["agent_name"].as_str(),
            template: agent["user_prompt_template"].as_str(),
            priority: agent["priority"].as_f64(),
            ..Self::of_parts(agent, agent)
        }
    }

    fn of_supervisor(supervisor: &'a Value) -> Self {
        let options = &supervisor["options"];
        Self { name: options["name"].as_str(), ..Self::of_parts(supervisor, options) }
    }

    fn of_parts(agent: &'a Value, options: &'a Value) -> Self {
        let permissions: Vec<CallRule> =
            options["permissions"].as_array().into_iter().flatten().filter_map(known).collect();
        Self {
            title: options["title"].as_str(),
            prompt: agent["system_prompt"].as_str(),
            provider: agent["model_provider"].as_str(),
            model: agent["model_id"].as_str(),
            tools: texts(&options["tools"]),
            permissions: permissions.into(),
            temperature: options["temperature"].as_f64(),
            max_tokens: options["max_tokens"].as_f64(),
            ..Self::default()
        }
    }
}

impl<'a> EdgeOutline<'a> {
    fn of_document(edge: &'a Value) -> Self {
        Self {
            source: edge["source_node_id"].as_str(),
            target: edge["target_node_id"].as_str(),
            relation: known(&edge["relation_type"]),
            attributes: edge["attributes"].as_object(),
        }
    }
}

/// Reads at most one item more than the list is allowed to have. A check can then see that the list is too long, and
/// the remaining items of a very long list cost nothing.
fn first<'a, T>(list: &'a [Value], max: usize, read: impl Fn(&'a Value) -> T) -> Vec<T> {
    list.iter().take(max + 1).map(read).collect()
}

fn texts(list: &Value) -> Vec<&str> {
    // A value that is not a string keeps its place, so that pointers to the other items stay correct.
    list.as_array().map_or_else(Vec::new, |list| first(list, limits::MAX_TOOLS, |item| item.as_str().unwrap_or("*")))
}

fn known<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}
