//! Messages and their recipients.

pub(super) mod inbox;
pub mod mention;
pub(super) mod relay;
pub(super) mod request;
pub(super) mod say;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gate::CommentPlace;
use super::{
    AbortReason, Actor, AgentId, FileId, MessageId, MessageRequest, ParticipantId, Redaction, RelayRole, Role, RunId,
    StepId, Task, Timestamp,
};

/// Delivery of a message to a busy run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Waits for the next step.
    #[default]
    Queue,
    /// Joins the next model request of the running step.
    Steer,
}

/// Recipient of a message.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "id")]
pub enum Target {
    /// The whole flow, `@all`.
    All,
    /// An agent.
    Agent(AgentId),
    /// A person or bot.
    Participant(ParticipantId),
    /// All participants with a role, `@role:reviewer`.
    Role(Role),
    /// All people, `@people`.
    People,
}

impl Target {
    /// Returns whether the recipient is an agent or the flow. A message that is only for people starts nothing and goes
    /// to no model.
    pub fn is_for_agents(&self) -> bool {
        matches!(self, Self::All | Self::Agent(_))
    }
}

/// A mention that matches no name, or several. The server never guesses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnresolvedMention {
    /// Text after the `@`. Example: `TestCase_Generater`.
    pub text: Arc<str>,
    /// Most similar names, best first. At most 3.
    pub nearest: Vec<Arc<str>>,
}

/// A message that is complete or was aborted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Id of the message. Example: `m_42`.
    pub id: MessageId,
    /// Time at which it was posted or ended.
    pub at: Timestamp,
    /// Author of the message.
    pub by: Actor,
    /// Text of the message. Empty if it was erased.
    pub text: Arc<str>,
    /// Ids of the files that belong to the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileId>,
    /// Role of the author in the original conversation, if the sender relays the text. Absent for the sender's own
    /// text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relays: Option<RelayRole>,
    /// Data that a program sent with the message. Absent if there is none or it was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Arc<MessageRequest>>,
    /// Recipients. Empty: the flow decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<Target>,
    /// Mentions in the text that match no name, or several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<UnresolvedMention>,
    /// Run that the message belongs to. Absent for conversation outside runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Step in which an agent wrote it. Absent for messages of participants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// Purpose of an agent's message. Default: a reply.
    #[serde(default, skip_serializing_if = "Task::is_reply")]
    pub task: Task,
    /// Place at a gate that the message is a comment on. Absent for all other messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment_on: Option<Arc<CommentPlace>>,
    /// Number of tool calls in the message. Default 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls: u32,
    /// Reason why the agent did not complete the message. Absent if the message is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aborted: Option<AbortReason>,
    /// True if the model stopped at its token limit, so the text is incomplete.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Mark of the redaction that erased the text. Absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Arc<Redaction>>,
}

pub(super) fn is_zero(count: &u32) -> bool {
    *count == 0
}
