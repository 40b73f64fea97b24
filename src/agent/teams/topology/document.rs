//! The document that describes a team over REST. Its fields are named as in the specification of the `teams` door.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::limits;
use super::whole_number::{read_positive, read_whole};
use crate::agent::teams::starters::MAX_STARTER_CHARS;
use crate::kernel::topology::{GlobalStrategy, NodeStrategy, Relation, Topology};
use crate::kernel::{CallRule, Language, Team, Temperature, ToolChoice, strict_json};

/// A team created from a topology: nodes with agents, their supervisors, and a global supervisor. Unknown fields are
/// rejected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamDocument {
    /// Nodes, their relations, and the global supervisor.
    pub topology: TopologyDocument,
    /// Name of the team: one line of 1 to 200 characters.
    #[schemars(length(min = 1, max = limits::MAX_TEAM_NAME_CHARS))]
    pub team_name: Arc<str>,
    /// Description of the team, at most 2000 characters. Default: empty.
    #[serde(default = "no_text")]
    #[schemars(length(max = limits::MAX_DESCRIPTION_CHARS))]
    pub description: Arc<str>,
    /// Seconds after which an execution ends, unless its request says otherwise. 1 to 1800, default 300.
    #[serde(default = "default_timeout", deserialize_with = "read_whole")]
    #[schemars(range(min = 1, max = Topology::MAX_TIMEOUT_SECONDS))]
    pub timeout_seconds: u32,
    /// Maximum number of times that the supervisor of a node with the `adaptive` strategy picks an agent. 1 to 1000,
    /// default 50.
    #[serde(default = "default_iterations", deserialize_with = "read_whole")]
    #[schemars(range(min = 1, max = Topology::MAX_ITERATIONS))]
    pub max_iterations: u32,
    /// Language of the server's own texts, `en` or `zh`. Absent: `zh` if the texts of the team contain Chinese
    /// characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Name of the team in team files, 1 to 64 letters, digits, `_`, `-` or `.`, but not that of a built-in team.
    /// Absent: derived from `team_name`.
    // The schema has no pattern here, because many validators do not support classes of Unicode letters. The checks
    // reject other characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_SLUG_CHARS))]
    pub slug: Option<Arc<str>>,
    /// Tasks that people can choose from, at most 6. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = Team::STARTERS), inner(length(min = 1, max = MAX_STARTER_CHARS)))]
    pub starters: Vec<Arc<str>>,
}

/// Nodes of a team, their relations, and the supervisor of all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TopologyDocument {
    /// Nodes, 1 to 100.
    #[schemars(length(min = 1, max = Topology::MAX_NODES))]
    pub nodes: Vec<NodeDocument>,
    /// Relations between nodes. Default: none.
    #[serde(default)]
    #[schemars(length(max = limits::MAX_EDGES))]
    pub edges: Vec<EdgeDocument>,
    /// Supervisor of all nodes.
    pub global_supervisor: GlobalSupervisorDocument,
    /// True to accept nodes without edges. A team of one node needs no edge. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_isolated_nodes: bool,
}

/// A node: agents with a supervisor that work on one resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeDocument {
    /// Id of the node, 1 to 64 of `A-Z a-z 0-9 _ . -`, unique in the team regardless of case. Example: `db-service`.
    #[schemars(length(min = 1, max = Topology::MAX_ID_BYTES), regex(pattern = "^[A-Za-z0-9_.-]*$"))]
    pub node_id: Arc<str>,
    /// Display name: one line of 1 to 100 characters.
    #[schemars(length(min = 1, max = limits::MAX_NAME_CHARS))]
    pub node_name: Arc<str>,
    /// Type of the resource, 1 to 64 characters. Example: `database`.
    #[schemars(length(min = 1, max = limits::MAX_TYPE_CHARS))]
    pub node_type: Arc<str>,
    /// Data for the templates of the node's agents, as `{node.KEY}`. Null is not a value. Default: none.
    #[serde(default, deserialize_with = "strict_json::object")]
    pub attributes: Map<String, Value>,
    /// Agents of the node, 1 to 20.
    #[schemars(length(min = 1, max = Topology::MAX_AGENTS))]
    pub agents: Vec<AgentDocument>,
    /// Supervisor of the node.
    pub supervisor_config: NodeSupervisorDocument,
}

/// An agent of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentDocument {
    /// Id of the agent, 1 to 64 of `A-Z a-z 0-9 _ . -`, unique in its node regardless of case. Example: `log-reader`.
    #[schemars(length(min = 1, max = Topology::MAX_ID_BYTES), regex(pattern = "^[A-Za-z0-9_.-]*$"))]
    #[serde(deserialize_with = "shared_text")]
    pub agent_id: Arc<str>,
    /// Display name: one line of 1 to 100 characters.
    #[schemars(length(min = 1, max = limits::MAX_NAME_CHARS))]
    #[serde(deserialize_with = "shared_text")]
    pub agent_name: Arc<str>,
    /// Provider of the model, as the server's operator named it. Example: `openai`.
    #[schemars(length(min = 1))]
    #[serde(deserialize_with = "shared_text")]
    pub model_provider: Arc<str>,
    /// Model of the provider in `model_provider`. Example: `gpt-4o-mini`.
    #[schemars(length(min = 1))]
    #[serde(deserialize_with = "shared_text")]
    pub model_id: Arc<str>,
    /// System prompt, at most 65536 bytes.
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_BYTES))]
    #[serde(deserialize_with = "shared_text")]
    pub system_prompt: Arc<str>,
    /// Template of the agent's task, with the variables `{task}`, `{context.KEY}`, `{node.KEY}` and `{upstream.NODE}`;
    /// `{{` and `}}` are literal braces. Absent: the task of the execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_BYTES))]
    pub user_prompt_template: Option<Arc<str>>,
    /// Tools that the agent can call; `*` matches any text. Default: none. Example: `code_*`.
    #[serde(default)]
    #[schemars(length(max = limits::MAX_TOOLS), inner(length(min = 1, max = limits::MAX_TOOL_CHARS)))]
    pub tools: Vec<Arc<str>>,
    /// Sampling temperature, 0 to 2. Null: the provider's default. Default 0.7.
    #[serde(default = "default_temperature")]
    pub temperature: Option<Temperature>,
    /// Maximum number of tokens in one response. Null: the model's limit. Default 4096.
    #[serde(default = "default_max_tokens", deserialize_with = "read_positive")]
    #[schemars(range(min = 1, max = limits::MAX_TOKENS))]
    pub max_tokens: Option<NonZeroU32>,
    /// Priority in a node with the `priority` strategy: higher first, then the order of the list. Default 0.
    #[serde(default, skip_serializing_if = "is_zero", deserialize_with = "read_whole")]
    pub priority: i32,
    /// Description in one line. Default: empty.
    #[serde(default = "no_text", skip_serializing_if = "is_no_text")]
    #[schemars(length(max = limits::MAX_TEAM_NAME_CHARS))]
    pub title: Arc<str>,
    /// Use of tools: `auto`, `required` or `none`. Default `auto`.
    #[serde(default, skip_serializing_if = "is_auto")]
    pub tool_choice: ToolChoice,
    /// Call rules for tools; the first one that matches applies. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<CallRule>,
}

/// Supervisor of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeSupervisorDocument {
    /// Provider of the model, as the server's operator named it.
    #[schemars(length(min = 1))]
    pub model_provider: Arc<str>,
    /// Model of that provider.
    #[schemars(length(min = 1))]
    pub model_id: Arc<str>,
    /// System prompt, at most 65536 bytes.
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_BYTES))]
    pub system_prompt: Arc<str>,
    /// Order in which the agents of the node work: `round_robin`, `priority` or `adaptive`. Default `round_robin`.
    #[serde(default)]
    pub coordination_strategy: NodeStrategy,
    /// Further settings of the supervisor. Default: none.
    #[serde(default, skip_serializing_if = "SupervisorOptions::is_default")]
    pub options: SupervisorOptions,
}

/// Supervisor of all nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobalSupervisorDocument {
    /// Provider of the model, as the server's operator named it.
    #[schemars(length(min = 1))]
    pub model_provider: Arc<str>,
    /// Model of that provider.
    #[schemars(length(min = 1))]
    pub model_id: Arc<str>,
    /// System prompt, at most 65536 bytes.
    #[schemars(length(min = 1, max = limits::MAX_PROMPT_BYTES))]
    pub system_prompt: Arc<str>,
    /// Order in which nodes work: `hierarchical`, `parallel` or `sequential`. Default `hierarchical`.
    #[serde(default)]
    pub coordination_strategy: GlobalStrategy,
    /// Further settings of the supervisor. Default: none.
    #[serde(default, skip_serializing_if = "SupervisorOptions::is_default")]
    pub options: SupervisorOptions,
}

/// Further settings of a supervisor, which are not in the specification of the `teams` door.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SupervisorOptions {
    /// Display name: one line of 1 to 100 characters. Absent: the id of the supervisor.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = limits::MAX_NAME_CHARS))]
    pub name: Option<Arc<str>>,
    /// Description in one line. Absent: empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = limits::MAX_TEAM_NAME_CHARS))]
    pub title: Option<Arc<str>>,
    /// Tools that the supervisor can call; `*` matches any text. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = limits::MAX_TOOLS), inner(length(min = 1, max = limits::MAX_TOOL_CHARS)))]
    pub tools: Vec<Arc<str>>,
    /// Use of tools: `auto`, `required` or `none`. Default `auto`.
    #[serde(skip_serializing_if = "is_auto")]
    pub tool_choice: ToolChoice,
    /// Call rules for tools; the first one that matches applies. Default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<CallRule>,
    /// Sampling temperature, 0 to 2. Absent: the provider's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// Maximum number of tokens in one response. Absent: the model's limit.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "read_positive")]
    #[schemars(range(min = 1, max = limits::MAX_TOKENS))]
    pub max_tokens: Option<NonZeroU32>,
}

impl SupervisorOptions {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Relation of one node to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeDocument {
    /// Id of the node that the relation starts from.
    pub source_node_id: Arc<str>,
    /// Id of the node that the relation points to.
    pub target_node_id: Arc<str>,
    /// Kind of relation: `calls`, `depends_on`, `integrates`, `monitors` or `data_flow`.
    pub relation_type: Relation,
    /// Data for people and programs; the server does not interpret it. Null is not a value. Default: none.
    #[serde(default, deserialize_with = "strict_json::object")]
    pub attributes: Map<String, Value>,
}

/// Empty string, shared by thousands of agents.
static NO_TEXT: LazyLock<Arc<str>> = LazyLock::new(|| "".into());

fn no_text() -> Arc<str> {
    NO_TEXT.clone()
}

/// Reads a string with one allocation. The implementation for `Arc<str>` creates a `String` first, which adds up for
/// thousands of agents.
fn shared_text<'de, D: Deserializer<'de>>(json: D) -> Result<Arc<str>, D::Error> {
    struct SharedText;

    impl Visitor<'_> for SharedText {
        type Value = Arc<str>;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str("a string")
        }

        fn visit_str<E>(self, text: &str) -> Result<Arc<str>, E> {
            Ok(text.into())
        }
    }

    json.deserialize_str(SharedText)
}

fn is_no_text(text: &Arc<str>) -> bool {
    text.is_empty()
}

fn is_zero(number: &i32) -> bool {
    *number == 0
}

fn is_auto(choice: &ToolChoice) -> bool {
    *choice == ToolChoice::Auto
}

fn default_timeout() -> u32 {
    Topology::DEFAULT_TIMEOUT_SECONDS
}

fn default_iterations() -> u32 {
    Topology::DEFAULT_ITERATIONS
}

fn default_temperature() -> Option<Temperature> {
    Temperature::new(0.7)
}

fn default_max_tokens() -> Option<NonZeroU32> {
    NonZeroU32::new(4096)
}
