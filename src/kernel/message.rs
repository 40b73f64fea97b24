//! A finished text, and to whom it is addressed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AbortReason, Actor, AgentId, FileId, MessageId, ParticipantId, Redaction, Relay, Role, RunId, StepId, Task,
    Timestamp,
};

/// How a message acts on a busy run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It waits for the next step boundary.
    #[default]
    Queue,
    /// It goes into the next model request of the running step.
    Steer,
}

/// One addressee.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "id")]
pub enum Target {
    /// The whole flow, `@all`.
    All,
    /// One agent.
    Agent(AgentId),
    /// One person or bot.
    Participant(ParticipantId),
    /// Everybody of a role, `@role:reviewer`.
    Role(Role),
    /// All people, `@people`.
    People,
}

impl Target {
    /// Whether agents are meant: what is for people only starts nothing and goes to no model.
    pub fn is_for_agents(&self) -> bool {
        matches!(self, Self::All | Self::Agent(_))
    }
}

/// A mention that names nobody; never guessed at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unresolved {
    /// What was written after the `@`.
    pub text: Arc<str>,
    /// The names that come nearest, best first, at most three.
    pub nearest: Vec<Arc<str>>,
}

/// A text that is complete, or as complete as it will ever be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// When it was posted or ended.
    pub at: Timestamp,
    /// Who wrote it.
    pub by: Actor,
    /// The text.
    pub text: Arc<str>,
    /// The files that came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileId>,
    /// It passes on words of a conversation elsewhere, said there in this role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relays: Option<Relay>,
    /// Whom it is for; empty: the flow decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Target>,
    /// The mentions in it that name nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<Unresolved>,
    /// The run that it belongs to; absent: conversation beside the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The step in which an agent wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// What an agent wrote it for.
    #[serde(default, skip_serializing_if = "Task::is_reply")]
    pub task: Task,
    /// How many tools it calls.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls: u32,
    /// Why an agent did not finish it; absent: it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted: Option<AbortReason>,
    /// The model stopped at its token limit: the text is not whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Its text was erased, and by whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Arc<Redaction>>,
}

pub(super) fn is_zero(count: &u32) -> bool {
    *count == 0
}
