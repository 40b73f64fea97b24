//! The agents of a session and the flow that they work by.

use std::num::NonZeroU32;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rule::CallRule;
use super::{AgentId, Temperature};

/// An agent's place in the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentRole {
    /// Writes the first answer.
    Generator,
    /// Criticises it.
    Reviewer,
    /// Writes the final answer, once people approve.
    Optimizer,
    /// Does the whole task, with tools.
    Worker,
    /// Chooses the flow.
    Router,
    /// Makes the plan, and decides after each step.
    Planner,
    /// Does steps of the plan.
    Executor,
    /// Makes the final answer of what the others have brought.
    Summarizer,
}

/// The language that the server's own words to a session are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

/// A mind inside a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// What mentions and the log call it.
    pub id: AgentId,
    /// What people read; also works in a mention.
    pub name: Arc<str>,
    /// Its place in the flow.
    pub role: AgentRole,
    /// One line that says what it is for, with its emblem: "🎯 Test case author".
    #[serde(default = "empty")]
    pub title: Arc<str>,
    /// Its system prompt.
    pub prompt: Arc<str>,
    /// `provider/model` or a model of the default provider; absent: the server's default model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// How freely its model chooses words; absent: as the provider has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
    /// Tokens that one of its answers may have; absent: as the model's `max_output_tokens` says. An answer that reaches it
    /// is cut and marked so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<NonZeroU32>,
    /// The tools that it may call, by name; `*` stands for any letters: `code_*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Arc<str>>,
    /// Whether it may, must or must not call them.
    #[serde(default, skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// What its calls may do without being asked about; the first rule that fits counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<CallRule>,
}

/// Whether an agent calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// It must not.
    None,
    /// As it sees fit.
    #[default]
    Auto,
    /// Its first turn must call one.
    Required,
}

impl ToolChoice {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// A step of a flow that is always the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedStep {
    /// Who does it.
    pub agent: AgentId,
    /// What is to be done.
    pub action: Arc<str>,
}

impl Agent {
    /// One of this id and role, without a prompt.
    pub fn new(id: AgentId, role: AgentRole) -> Self {
        let name = id.as_str().into();
        let (tools, permissions) = (vec![], vec![]);
        let (title, prompt) = (empty(), empty());
        let (model, temperature, max_tokens, tool_choice) = (None, None, None, ToolChoice::Auto);
        Self { id, name, role, title, prompt, model, temperature, max_tokens, tools, tool_choice, permissions }
    }
}

fn empty() -> Arc<str> {
    "".into()
}

/// A named set of agents with a flow. Written whole into `session.created`, so that a log means the same after the
/// configuration has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Team {
    /// What a request for a session calls it: `testcase-zh`.
    pub name: Arc<str>,
    /// What people read.
    pub title: Arc<str>,
    /// Which policy drives its runs: `review`.
    pub flow: Arc<str>,
    /// The language of the server's own words to the session.
    #[serde(default)]
    pub language: Language,
    /// First messages that people can choose from, at most [`Team::STARTERS`] of 500 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starters: Vec<Arc<str>>,
    /// Its agents, in the order in which the flow uses them.
    pub agents: Vec<Agent>,
    /// What flow `workflow` does, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<FixedStep>,
}

impl Team {
    /// Prompt starters of a team.
    pub const STARTERS: usize = 6;

    /// The agent with this id.
    pub fn agent(&self, id: &AgentId) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.id == *id)
    }

    /// The agents in this place of the flow, in the team's order.
    pub fn in_role(&self, role: AgentRole) -> impl Iterator<Item = &Agent> {
        self.agents.iter().filter(move |agent| agent.role == role)
    }
}
