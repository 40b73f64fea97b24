//! The frame that carries a command.

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::kernel::{CommandId, SessionId};

/// A request to change a session.
///
/// Unknown fields are rejected: a misspelled `expect` would otherwise let a command apply to a revision that its sender
/// has not seen.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandFrame {
    /// Name of the frame, over a socket.
    #[serde(default, rename = "type", skip_serializing)]
    #[schemars(skip)]
    _type: IgnoredAny,
    /// Id that the client chooses, for example a ULID or UUID. Retrying with the same id is safe and gets the first
    /// response.
    pub id: CommandId,
    /// The session. Over REST it is part of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Name of the command, for example `say`.
    pub r#do: String,
    /// Arguments of the command; see `CommandData`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub data: Option<Box<RawValue>>,
    /// Assumption of the sender. If it no longer holds, the command is rejected. Required for `vote` and `comment`,
    /// optional for `answer`, and invalid for other commands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expectation>,
}

/// Assumption of a command's sender about the current state.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Revision of the gate that the sender saw, for example 1.
    pub rev: u32,
}
