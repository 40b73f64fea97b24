//! What a turn is for.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentId, CallId, MessageId, StepId};

/// What an agent is to do in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Task {
    /// Answer the words of the round.
    #[default]
    Reply,
    /// Choose the flow that the run goes on with.
    Route,
    /// Make the plan, or go on with it.
    Plan,
    /// Do a step of the plan.
    Execute {
        /// Its number.
        number: u32,
        /// Which of the parts that are done side by side, from 0.
        #[serde(default)]
        part: u32,
    },
    /// Judge what a step has brought, and say what comes next.
    Judge,
    /// Make the final answer of what the run has brought.
    Summarize,
}

impl Task {
    /// Whether it is an answer to words and nothing more.
    pub fn is_reply(&self) -> bool {
        *self == Self::Reply
    }
}

/// A task and who does it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Assignment {
    /// Who.
    pub agent: AgentId,
    /// What.
    #[serde(default, skip_serializing_if = "Task::is_reply")]
    pub task: Task,
}

impl Assignment {
    /// This agent, this task.
    pub fn new(agent: &AgentId, task: Task) -> Self {
        Self { agent: agent.clone(), task }
    }
}

/// A task that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// What, and who did it.
    #[serde(flatten)]
    pub assignment: Assignment,
    /// In which step.
    pub step: StepId,
    /// The words that ended it; absent where a tool was called without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The call that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// It came to no end of its own: its agent called tools in every turn that it had.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_turns: bool,
    /// Why it could not be done: the last attempt of its agent's model failed, and the flow goes on without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Arc<str>>,
}
