//! Frames from a client that are not commands: its identity, its subscriptions and its signals.

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::kernel::{SessionId, Timestamp};
use crate::secret_text::SecretText;

/// Identity of a client.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HelloFrame {
    /// Name of the frame.
    #[serde(default, rename = "type", skip_serializing)]
    #[schemars(skip)]
    _type: IgnoredAny,
    /// The token of the participant, `rt_…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretText>,
    /// Name and version of the client program, for example `my-bot/1.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// Request to follow a session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinFrame {
    /// Name of the frame.
    #[serde(default, rename = "type", skip_serializing)]
    #[schemars(skip)]
    _type: IgnoredAny,
    /// The session, for example `s_0192f0c1…`.
    pub session: SessionId,
    /// Seq of the last event that the client has. If absent, the server sends a snapshot and then live events; 0
    /// sends the whole log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Time (`at`) of the client's event with that seq. If the log now has another event there, for example after a
    /// backup was restored, the server starts with a snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// Request to no longer follow a session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeaveFrame {
    /// Name of the frame.
    #[serde(default, rename = "type", skip_serializing)]
    #[schemars(skip)]
    _type: IgnoredAny,
    /// The session.
    pub session: SessionId,
}

/// Notification about the client's participant.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignalFrame {
    /// Name of the frame.
    #[serde(default, rename = "type", skip_serializing)]
    #[schemars(skip)]
    _type: IgnoredAny,
    /// The session.
    pub session: SessionId,
    /// Name of the signal: `typing` or `looking_at`.
    pub name: String,
    /// Details of the signal, at most 1 KiB of JSON; for `typing` at a gate for example `{"gate":"g_12"}`.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub data: serde_json::Value,
}
