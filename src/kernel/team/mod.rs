//! Teams: the agents of a session, and their flow.

mod language;
pub(super) mod temperature;
pub mod template;
pub mod topology;

use std::num::NonZeroU32;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::call::rule::CallRule;
use super::{AgentId, Temperature};
pub use language::Language;
use topology::Topology;

/// Role of an agent in the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentRole {
    /// Writes the first version.
    Generator,
    /// Reviews the first version.
    Reviewer,
    /// Writes the final output after people approve.
    Optimizer,
    /// Does the whole task, with tools.
    Worker,
    /// Chooses the flow.
    Router,
    /// Makes the plan, and decides after each item.
    Planner,
    /// Executes items of the plan.
    Executor,
    /// Writes the final output from the results of the others.
    Summarizer,
    /// Coordinates the agents of a node, or all nodes of a topology.
    Supervisor,
}

/// An agent: a model with a prompt and tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// Id of the agent in mentions and in the log. Example: `TestCase_Generator`.
    pub id: AgentId,
    /// Display name; also works in a mention. Example: `Planner`.
    pub name: Arc<str>,
    /// Role in the flow.
    pub role: AgentRole,
    /// One-line description, with an emoji. Default: empty. Example: "🎯 Test case author".
    #[serde(default = "empty")]
    pub title: Arc<str>,
    /// System prompt.
    pub prompt: Arc<str>,
    /// Template of the agent's task, with variables such as `{task}`, `{context.KEY}`, `{node.KEY}` and
    /// `{upstream.NODE}`; `{{` and `}}` are literal braces. Absent: the message of the run. Only in the `topology`
    /// flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_template: Option<Arc<str>>,
    /// Id of the node that the agent belongs to. Absent for the global supervisor, and without a topology.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<Arc<str>>,
    /// Priority among the agents of a node with the `priority` strategy: higher first, then list order. Default 0.
    #[serde(default, skip_serializing_if = "is_default_priority")]
    pub priority: i32,
    /// Model as `provider/model`, or a model of the default provider. Absent: the server's default model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// Sampling temperature, 0 to 2. Absent: the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// Maximum number of tokens in one response. Absent: the model's `max_output_tokens`. A response that reaches it is
    /// truncated and marked as truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<NonZeroU32>,
    /// Names of the tools that the agent may call; `*` matches any text. Default: none. Example: `code_*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Arc<str>>,
    /// Use of tools: `auto`, `required` or `none`. Default: `auto`.
    #[serde(default, skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// Rules about calls; the first one that matches applies. Default: none, so that the permission of the tool
    /// applies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<CallRule>,
}

/// Use of tools by an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The agent must not call tools.
    None,
    /// The agent decides.
    #[default]
    Auto,
    /// The agent's first turn must call a tool.
    Required,
}

impl ToolChoice {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// A fixed step of the `workflow` flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedStep {
    /// Agent that executes the step.
    pub agent: AgentId,
    /// Task of the step.
    pub action: Arc<str>,
}

impl Agent {
    /// Creates an agent with this id and role, without a prompt.
    pub fn new(id: AgentId, role: AgentRole) -> Self {
        let name = id.as_str().into();
        let (tools, permissions) = (vec![], vec![]);
        let (title, prompt) = (empty(), empty());
        let (model, temperature, max_tokens, tool_choice) = (None, None, None, ToolChoice::Auto);
        let (prompt_template, node, priority) = (None, None, 0);
        Self {
            id,
            name,
            role,
            title,
            prompt,
            prompt_template,
            node,
            priority,
            model,
            temperature,
            max_tokens,
            tools,
            tool_choice,
            permissions,
        }
    }
}

fn is_default_priority(priority: &i32) -> bool {
    *priority == 0
}

fn empty() -> Arc<str> {
    "".into()
}

/// A named set of agents with a flow. `session.created` contains the whole team, so that a log keeps its meaning after
/// the configuration has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Team {
    /// Name of the team in requests. Example: `testcase-zh`.
    pub name: Arc<str>,
    /// Title that people read.
    pub title: Arc<str>,
    /// Flow of its runs. Example: `review`.
    pub flow: Arc<str>,
    /// Language of the text that the server writes in the session. Default: `en`.
    #[serde(default)]
    pub language: Language,
    /// First messages that people can choose from. At most 6, each of at most 500 characters. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starters: Vec<Arc<str>>,
    /// Agents, in the order in which the flow uses them.
    pub agents: Vec<Agent>,
    /// Steps of the `workflow` flow, in order; also for `router`, if it can choose `workflow`. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<FixedStep>,
    /// Nodes of the `topology` flow. Absent in other flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Box<Topology>>,
    /// Stored team that this team is a copy of. Its session's first run is an execution of that team. Absent in the
    /// server's own teams and in team files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<TeamOrigin>,
}

/// Version of a stored team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamOrigin {
    /// Id of the team. Example: `0190f3c0-7a1b-7c3d-8e5f-60718293a4b5`.
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))]
    pub team: Uuid,
    /// Number of the version, from 1. Example: 3.
    pub version: u64,
}

impl Team {
    /// Returns the account under which quotas count the runs of the team: the id of the stored team, or a hash of the
    /// name if the team is not a copy of a stored team.
    pub fn account(&self) -> Uuid {
        let hash = || {
            let mut bytes = [0; 16];
            bytes.copy_from_slice(&blake3::hash(self.name.as_bytes()).as_bytes()[..16]);
            Uuid::from_bytes(bytes)
        };
        self.origin.map_or_else(hash, |origin| origin.team)
    }

    /// Maximum number of first messages of a team.
    pub const STARTERS: usize = 6;

    /// Returns the agent with this id.
    pub fn agent(&self, id: &AgentId) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.id == *id)
    }

    /// Returns the supervisor of all nodes of a topology.
    pub fn global_supervisor(&self) -> Option<&Agent> {
        self.in_role(AgentRole::Supervisor).find(|agent| agent.node.is_none())
    }

    /// Returns the supervisor of a node.
    pub fn node_supervisor(&self, node: &str) -> Option<&Agent> {
        self.in_role(AgentRole::Supervisor).find(|agent| agent.node.as_deref() == Some(node))
    }

    /// Returns the agents of a supervisor's node, without the supervisor, in the order of the team.
    pub fn agents_beside(&self, supervisor: &AgentId) -> Vec<&Agent> {
        let node = self.agent(supervisor).and_then(|agent| agent.node.as_ref());
        let of_node = |agent: &&Agent| node.is_some() && agent.node.as_ref() == node;
        self.agents.iter().filter(of_node).filter(|agent| agent.role != AgentRole::Supervisor).collect()
    }

    /// Returns the agents in this role, in the order of the team.
    pub fn in_role(&self, role: AgentRole) -> impl Iterator<Item = &Agent> {
        self.agents.iter().filter(move |agent| agent.role == role)
    }
}
