//! Messages between the nodes of a cluster, except frames. They are JSON, so that two versions can run together: each
//! ignores fields that it does not know. A node replies `elsewhere` to a request that it does not understand.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::kernel::{Actor, Command, CommandId, MessageId, Role, SessionId};
use crate::node_id::NodeId;
use crate::protocol::ErrorBody;

/// Request from one node to another.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerRequest {
    /// Request to apply a participant's command to a session that the other node owns. A retry is safe (law 6).
    Command(Box<ForwardedCommand>),
    /// Request for the partial texts of the messages that are being written in a session.
    Partials(SessionId),
}

/// Participant's command that is forwarded to the node that owns the session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ForwardedCommand {
    /// The session.
    pub session: SessionId,
    /// Sender of the command, as the server knows them.
    pub actor: Actor,
    /// Id of the command.
    pub id: CommandId,
    /// Role that the server grants the sender in every session, if any. It applies unless the sender's role in the
    /// session is at least as high.
    pub granted_role: Option<Role>,
    /// Highest role with which the sender acts, if they use a limited token.
    #[serde(default)]
    pub max_role: Option<Role>,
    /// The command itself.
    pub command: Command,
}

/// Reply of the other node.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerResponse {
    /// The command was applied; the value is the seq of its last event, which is durable.
    Done(u64),
    /// The command was rejected.
    Refused(Box<ErrorBody>),
    /// The node does not own the session, or no longer owns it.
    Elsewhere,
    /// Messages that are being written.
    Partials {
        /// Seq of the newest event at that moment.
        head: u64,
        /// Partial text of each message.
        texts: Vec<MessageText>,
    },
}

/// Partial text of a message that is being written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MessageText {
    /// Id of the message.
    pub message: MessageId,
    /// Attempt that writes it.
    pub attempt: u32,
    /// Text so far.
    pub text: Arc<str>,
}

/// Notification between nodes about a session, except its frames, which are sent unchanged.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerNotice {
    /// Presence of participants on the sending node.
    Here(NodePresence),
}

/// Participants who watch a session on one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodePresence {
    /// The node.
    pub node: NodeId,
    /// Participants who watch, each listed once, up to the number that a presence signal can name.
    pub who: Vec<Actor>,
    /// Number of connections of other participants.
    pub more: usize,
}

impl PeerNotice {
    /// Parses a notification. Returns `None` for a frame, or if this version does not understand the notification.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        // A frame begins with its type. Parsing every frame as a notification would dominate the cost of the bus.
        if bytes.starts_with(b"{\"type\"") { None } else { decode(bytes) }
    }
}

/// Encodes a message for the bus.
pub fn encode(message: &impl Serialize) -> Bytes {
    // serde_json fails only for maps whose keys are not strings, and none of the types above contains one.
    serde_json::to_vec(message).expect("a peer message serializes: its keys are strings").into()
}

/// Decodes a message from another node. Returns `None` if this version does not understand it.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes)
        // Only at debug level: during a rolling upgrade, every message from a newer node might be unknown.
        .inspect_err(|error| tracing::debug!(%error, "unknown message from another node"))
        .ok()
}
