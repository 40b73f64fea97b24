//! What the server sends.

use std::sync::Arc;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ErrorBody;
use crate::kernel::{Actor, CallId, CommandId, Event, MessageId, Right, SessionId, View};

/// One text frame from the server.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "frames are encoded at once and not kept")]
pub enum ServerFrame {
    /// You are known; this is what you must keep to.
    Welcome {
        /// Who you are.
        you: Actor,
        /// The version of the wire.
        version: u32,
        /// What the server accepts.
        limits: Limits,
    },
    /// The session is shown to you from here on: snapshot if any, events after it, `caught_up`, then live.
    Joined {
        /// Which.
        session: SessionId,
        /// The newest seq at this moment.
        head: u64,
        /// What you may do here.
        you_can: Vec<Right>,
        /// Where you start, if not after a seq of your own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        snapshot: Option<SnapshotFrame>,
    },
    /// Something happened.
    Event {
        /// Where.
        session: SessionId,
        /// What, exactly as it stands in the log.
        #[serde(flatten)]
        event: Event,
    },
    /// A fragment of an item that is being written.
    Delta {
        /// Where.
        session: SessionId,
        /// The item: the id of the message that will end it.
        item: MessageId,
        /// The attempt; a higher one starts again at 0.
        attempt: u32,
        /// Offset of the fragment in the item's text, in UTF-8 bytes.
        at: u64,
        /// The fragment.
        text: Arc<str>,
    },
    /// Ephemeral news without a seq.
    Signal {
        /// Where.
        session: SessionId,
        /// `presence`, `liveness`, `progress`, `typing`, `looking_at`.
        name: Arc<str>,
        /// What about it: for `presence` see [`Presence`], for `liveness` [`Liveness`], for `progress` [`CallProgress`].
        data: serde_json::Value,
    },
    /// You have everything up to here; what follows is live.
    CaughtUp {
        /// Where.
        session: SessionId,
        /// The newest seq that you have.
        through: u64,
    },
    /// The command is applied and durable.
    Ack {
        /// Its id.
        id: CommandId,
        /// The seq of its last event.
        seq: u64,
    },
    /// Something was refused. With an `id` it answers that command.
    Error {
        /// The command, if it was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<CommandId>,
        /// The session, if one was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// Code, words and what else helps.
        #[serde(flatten)]
        error: ErrorBody,
    },
    /// The session is no longer shown to you.
    Closing {
        /// Which.
        session: SessionId,
        /// `removed`, `closed`, `left`.
        code: Arc<str>,
        /// Why, in words.
        message: Arc<str>,
    },
    /// I am here.
    Pong,
}

/// Where a viewer starts without a seq of its own.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotFrame {
    /// The state is the fold of all events up to this one.
    pub seq: u64,
    /// The session at that seq.
    pub state: View,
}

/// What the server accepts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Bytes of one frame from a client.
    pub frame_bytes: usize,
    /// Bytes of a message's text.
    pub text_bytes: usize,
    /// Sessions that one connection may join.
    pub joined_sessions: usize,
    /// Seconds between the server's pings.
    pub ping_seconds: u64,
}

/// The data of a `presence` signal: everybody who is watching now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Presence {
    /// Who, each once, however many tabs they have open.
    pub here: Vec<Actor>,
    /// Connections beyond these that the list has no room for.
    pub more: usize,
}

/// The data of a `liveness` signal: whether what is written is seen as it is written. Absent as long as it always was.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Liveness {
    /// Events and fragments come at once.
    pub live: bool,
    /// Else events come up to so many milliseconds late, and fragments not at all: the way between the server's nodes is
    /// interrupted. Nothing is lost.
    pub delay_ms: u64,
}

/// The data of a `progress` signal: how far a running call of a tool is, in the tool's own words. At most two a second and call;
/// the last one before the call's end may be missing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CallProgress {
    /// The call.
    pub call: CallId,
    /// Work done so far, in a unit of the tool's own.
    pub done: f64,
    /// All of the work, where the tool knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What the tool does, at most 256 bytes; by the tool, so not to be believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Arc<str>>,
    /// The end of what a program has written so far, at most 4 KiB; it takes the place of what came before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<str>>,
}

/// The frame of an event: the very text that is stored, sent and replayed.
pub fn encode_event(session: SessionId, event: &Event) -> Bytes {
    #[derive(Serialize)]
    struct Wire<'a> {
        r#type: &'static str,
        session: SessionId,
        #[serde(flatten)]
        event: &'a Event,
    }
    // Nothing in an event has a map with keys that are not text, the one thing that serde_json refuses.
    serde_json::to_vec(&Wire { r#type: "event", session, event }).unwrap_or_default().into()
}
