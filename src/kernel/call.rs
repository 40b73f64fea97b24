//! An agent's call of a tool, from its proposal to its result.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Assignment, CallId, GateId, MessageId, StepError, StepId, Timestamp};

/// What may be done with a call, as the rules of its agent and its tool have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// It is made.
    Allow,
    /// People are asked first.
    Ask,
    /// It is not made.
    Deny,
}

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// An agent wants it.
    Proposed,
    /// A gate asks people about it.
    Asked,
    /// It may be made.
    Allowed,
    /// It was sent.
    Started,
    /// It was sent, and whether it happened is not known: a gate asks people.
    Uncertain,
    /// It has a result.
    Completed,
    /// It has none, and never will.
    Failed,
}

impl CallState {
    /// Whether nothing more comes of it.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// Its id.
    pub id: CallId,
    /// The tool.
    pub name: Arc<str>,
    /// The arguments: JSON, if its author did well.
    pub arguments: Arc<str>,
    /// Revision of the arguments, from 1; people may edit them before they allow it (law 11).
    pub rev: u32,
    /// Where it stands.
    pub state: CallState,
    /// Whether it can be made twice without harm.
    #[serde(default)]
    pub idempotent: bool,
    /// Tries of it.
    #[serde(default)]
    pub attempt: u32,
    /// The gate that asks about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateId>,
    /// When it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// What it brought, for the agent to read. Left out once its task is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<str>>,
    /// Why it brought nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
}

impl Call {
    /// BLAKE3 of the arguments, in hexadecimal: what was decided on is what is sent.
    pub fn digest(&self) -> Arc<str> {
        digest(&self.arguments)
    }
}

/// BLAKE3 of a text, in hexadecimal.
pub fn digest(text: &str) -> Arc<str> {
    blake3::hash(text.as_bytes()).to_hex().as_str().into()
}

/// A model's turn that called tools, with its calls; or the one call that a step of a plan is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exchange {
    /// The words that came with the calls; absent where the flow made the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// What they are for.
    #[serde(flatten)]
    pub assignment: Assignment,
    /// In which step.
    pub step: StepId,
    /// Which turn of its task it was, from 1.
    pub turn: u32,
    /// The calls, in the order in which the model made them.
    pub calls: Vec<Call>,
    /// How many there will be.
    pub expected: u32,
    /// Its results were read, or never will be.
    pub closed: bool,
}

impl Exchange {
    /// Whether all its calls are over.
    pub fn is_over(&self) -> bool {
        self.calls.len() >= self.expected as usize && self.calls.iter().all(|call| call.state.is_over())
    }
}
