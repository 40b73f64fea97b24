//! Frames that the server sends.

use std::sync::Arc;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ErrorBody;
use crate::kernel::{Actor, CallId, CommandId, Event, MessageId, Right, Role, SessionId, View};

/// One text frame from the server.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "frames are encoded at once and not kept")]
pub enum ServerFrame {
    /// Confirms the client's identity and states the limits that apply to it.
    Welcome {
        /// The client's participant.
        you: Actor,
        /// Version of the wire protocol, currently 1.
        version: u32,
        /// Limits that the client must respect.
        limits: Limits,
    },
    /// Confirms a subscription. The snapshot, if any, is followed by the events after it, `caught_up`, and live events.
    Joined {
        /// The session.
        session: SessionId,
        /// Newest seq at this moment, for example 1042.
        head: u64,
        /// Role that the account of the client's participant has in every session, within the scope of their token. It
        /// applies where it is higher than the role of their membership. Absent if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        granted_role: Option<Role>,
        /// Rights of the client's participant in the session, for example `["watch","say"]`.
        you_can: Vec<Right>,
        /// Rights that the participant must ask the owners for: a command that needs one opens a gate. Absent if there
        /// are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        you_can_ask: Vec<Right>,
        /// State to start from. Absent if the client resumes after its own seq.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<SnapshotFrame>,
    },
    /// Delivers an event.
    Event {
        /// The session.
        session: SessionId,
        /// The event, exactly as it is stored in the log.
        #[serde(flatten)]
        event: Event,
    },
    /// Delivers a fragment of a message that is being written.
    Delta {
        /// The session.
        session: SessionId,
        /// Id of the message that is being written, for example `m_12`.
        message: MessageId,
        /// Attempt, starting at 1; the text of a later attempt starts again at offset 0.
        attempt: u32,
        /// Offset of the fragment in the text, in UTF-8 bytes.
        at: u64,
        /// The fragment.
        text: Arc<str>,
    },
    /// Delivers an ephemeral notification, without a seq.
    Signal {
        /// The session.
        session: SessionId,
        /// Name of the signal: `presence`, `liveness`, `progress`, `typing` or `looking_at`.
        name: Arc<str>,
        /// Details of the signal: [`Presence`], [`Liveness`] or [`CallProgress`] for the signal of that name.
        data: serde_json::Value,
    },
    /// States that the client has all stored events, so that the following frames are live.
    CaughtUp {
        /// The session.
        session: SessionId,
        /// Seq of the newest event that the client has.
        through: u64,
    },
    /// Confirms that a command is applied and durable.
    Ack {
        /// Session of the command.
        session: SessionId,
        /// Id of the command.
        id: CommandId,
        /// Seq of the command's last event.
        seq: u64,
    },
    /// Reports a failed frame. With an `id` it is the response to that command.
    Error {
        /// Id of the command, if the frame was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<CommandId>,
        /// The session, if the frame named one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// Code, message and additional data.
        #[serde(flatten)]
        error: ErrorBody,
    },
    /// Ends a subscription or an event stream.
    Closing {
        /// The session.
        session: SessionId,
        /// Reason as a code: `removed`, `left`, or an error code such as `store_unavailable`.
        code: Arc<str>,
        /// Reason as text for people.
        message: Arc<str>,
    },
    /// Response to `ping`.
    Pong,
}

impl ServerFrame {
    /// Returns the frame as JSON.
    pub fn encode(&self) -> Vec<u8> {
        // serde_json fails only for maps whose keys are not strings, and no frame contains one.
        serde_json::to_vec(self).expect("a frame serializes: its keys are strings")
    }
}

/// State of a session from which a client without a seq starts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotFrame {
    /// Seq of the last event that the state includes.
    pub seq: u64,
    /// State of the session at that seq.
    pub state: View,
}

/// Limits that a client must respect.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Maximum size of a frame from a client, in bytes, for example 262144.
    pub max_frame_bytes: usize,
    /// Maximum size of a message's text, in bytes, for example 65536.
    pub max_text_bytes: usize,
    /// Maximum number of sessions that one connection can join, for example 64.
    pub max_joined_sessions: usize,
    /// Seconds between two WebSocket pings of the server, for example 10.
    pub ping_seconds: u64,
}

/// Data of a `presence` signal: everyone who is watching now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Presence {
    /// Participants who are watching, each listed once, even with several tabs open.
    pub here: Vec<Actor>,
    /// Number of further connections for which the list has no room.
    pub more: usize,
}

/// Data of a `liveness` signal: whether frames arrive live. The server sends the first signal when they no longer do.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Liveness {
    /// True if events and deltas arrive immediately.
    pub live: bool,
    /// Upper bound on the delay of events, in milliseconds, while `live` is false. The connection between the server's
    /// nodes is interrupted then, and deltas do not arrive. No event is lost.
    pub delay_ms: u64,
}

/// Data of a `progress` signal: progress of a running tool call, as the tool reports it. At most two per second for
/// each call; the last one before the end of the call can be missing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CallProgress {
    /// Id of the call, for example `t_12`.
    pub call: CallId,
    /// Work done so far, in a unit that the tool chooses.
    pub done: f64,
    /// Total work, in the same unit. Absent if the tool does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// Text from the tool about its work, at most 256 bytes. It is untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<str>>,
    /// End of a program's output so far, at most 4 KiB. It replaces the previous `output`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<str>>,
}

/// Encodes the frame of an event: the same bytes are stored, sent and replayed.
pub fn encode_event(session: SessionId, event: &Event) -> Bytes {
    #[derive(Serialize)]
    struct Wire<'a> {
        r#type: &'static str,
        session: SessionId,
        #[serde(flatten)]
        event: &'a Event,
    }
    // serde_json fails only for maps whose keys are not strings, and no event contains one.
    serde_json::to_vec(&Wire { r#type: "event", session, event })
        .expect("an event serializes: its keys are strings")
        .into()
}
