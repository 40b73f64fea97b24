//! Topologies: the nodes of a team, and the edges between them. Used by the `topology` flow.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Nodes of a team and their relations. Every agent of such a team belongs to a node, except the global supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    /// Order in which the global supervisor dispatches to nodes. Default: `hierarchical`.
    #[serde(default)]
    pub strategy: GlobalStrategy,
    /// Nodes in display order, 1 to 100.
    pub nodes: Vec<TopologyNode>,
    /// Relations between nodes. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// True if nodes without edges are accepted. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_isolated_nodes: bool,
    /// Maximum number of times that the supervisor of a node with the `adaptive` strategy picks an agent. 1 to 1000,
    /// default 50.
    #[serde(default = "default_iterations")]
    pub max_iterations: u32,
    /// Seconds after which an execution of the team ends, unless its request says otherwise. 1 to 1800, default 300.
    #[serde(default = "default_timeout")]
    pub timeout_seconds: u32,
    /// Description of the team for people. Default: empty.
    #[serde(default = "no_text", skip_serializing_if = "is_no_text")]
    pub description: Arc<str>,
}

fn default_iterations() -> u32 {
    Topology::DEFAULT_ITERATIONS
}

fn default_timeout() -> u32 {
    Topology::DEFAULT_TIMEOUT_SECONDS
}

fn no_text() -> Arc<str> {
    "".into()
}

fn is_no_text(text: &Arc<str>) -> bool {
    text.is_empty()
}

impl Topology {
    /// Maximum number of nodes.
    pub const MAX_NODES: usize = 100;
    /// Maximum number of agents in a node, not counting its supervisor.
    pub const MAX_AGENTS: usize = 20;
    /// Maximum number of nodes on the longest path.
    pub const MAX_DEPTH: usize = 10;
    /// Maximum number of bytes in the id of a node or of an agent in it.
    pub const MAX_ID_BYTES: usize = 64;
    /// Maximum of `max_iterations`.
    pub const MAX_ITERATIONS: u32 = 1000;
    /// Default of `max_iterations`.
    pub const DEFAULT_ITERATIONS: u32 = 50;
    /// Maximum of `timeout_seconds`.
    pub const MAX_TIMEOUT_SECONDS: u32 = 1800;
    /// Default of `timeout_seconds`.
    pub const DEFAULT_TIMEOUT_SECONDS: u32 = 300;
    /// Id of the global supervisor.
    pub const GLOBAL_SUPERVISOR: &str = "global-supervisor";
    /// Suffix that the id of a node's supervisor adds to the id of the node.
    pub const SUPERVISOR_SUFFIX: &str = "-supervisor";
    /// Separator between the id of a node and the id of an agent in it.
    pub const AGENT_SEPARATOR: char = '/';
}

/// Order in which nodes work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GlobalStrategy {
    /// Layer by layer along the edges: a layer begins when the layer before it is done.
    #[default]
    Hierarchical,
    /// All nodes at once, except that `depends_on` still orders them.
    Parallel,
    /// One node after another, in topological order.
    Sequential,
}

/// A node: agents with a supervisor that work on one resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopologyNode {
    /// Id of the node. Example: `db-service`.
    pub id: Arc<str>,
    /// Display name.
    pub name: Arc<str>,
    /// Type of the resource. Example: `database`.
    #[serde(rename = "type")]
    pub kind: Arc<str>,
    /// Data for prompt templates, as `{node.KEY}`. Default: none.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Map<String, Value>,
    /// Order in which the node's agents work. Default: `round_robin`.
    #[serde(default)]
    pub strategy: NodeStrategy,
}

/// Order in which the agents of a node work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeStrategy {
    /// Each agent works on the task once, in list order, without waiting for the others.
    #[default]
    RoundRobin,
    /// One agent after another, the highest priority first. Each agent reads the results of those before it.
    Priority,
    /// The supervisor picks the next agent, or ends the node's work.
    Adaptive,
}

/// Relation of one node to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// Id of the node that the relation starts at.
    pub source: Arc<str>,
    /// Id of the node that the relation points to.
    pub target: Arc<str>,
    /// Kind of relation.
    pub relation: Relation,
    /// Data for people and programs; not interpreted. Default: none.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Map<String, Value>,
}

/// Kind of relation between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The source hands its result to the target.
    Calls,
    /// The source waits for the target and reads its result. Without a result, the source is skipped.
    DependsOn,
    /// The global supervisor reads the results of both nodes together.
    Integrates,
    /// The source's supervisor reads the events and results of the target's agents and reports on them.
    Monitors,
    /// Data flows from the source to the target, like `calls`.
    DataFlow,
}

impl Relation {
    /// Returns the name of the relation on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::DependsOn => "depends_on",
            Self::Integrates => "integrates",
            Self::Monitors => "monitors",
            Self::DataFlow => "data_flow",
        }
    }
}
