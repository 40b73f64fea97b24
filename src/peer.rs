//! What the nodes of a cluster say to each other, beside frames: JSON, so that two versions side by side understand what
//! they both know. A question that a node does not understand is answered as if the session were elsewhere.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::kernel::{Actor, Command, CommandId, MessageId, Role, SessionId};
use crate::protocol::ErrorBody;
use crate::store::NodeId;

/// What one node asks another.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Apply a participant's command to a session that the other node has. Asking twice is safe (law 6).
    Command(Box<Order>),
    /// What have the items of a session that are being written so far?
    Partials(SessionId),
}

/// A participant's command on its way to the node that has the session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Order {
    /// Which session.
    pub session: SessionId,
    /// Who sends it, as the server knows them.
    pub actor: Actor,
    /// The command's id.
    pub id: CommandId,
    /// The role that the server gives them where the session gives none.
    pub standing: Option<Role>,
    /// What it asks for.
    pub command: Command,
}

/// What the other node answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The seq of the command's last event, durable.
    Done(u64),
    /// The command is refused.
    Refused(Box<ErrorBody>),
    /// The session is not here (any more).
    Elsewhere,
    /// The items that are being written.
    Partials {
        /// The newest event at that moment.
        head: u64,
        /// What each has so far.
        items: Vec<Partial>,
    },
}

/// An item's text so far.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Partial {
    /// The item.
    pub item: MessageId,
    /// Its attempt.
    pub attempt: u32,
    /// Its text so far.
    pub text: Arc<str>,
}

/// What nodes tell each other about a session, beside its frames, which go as they are.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// Who watches on the node that says so.
    Here(Here),
}

/// Who watches on one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Here {
    /// Which node.
    pub node: NodeId,
    /// Who, each once, as far as a presence signal names them.
    pub who: Vec<Actor>,
    /// Connections of others.
    pub more: usize,
}

impl News {
    /// What was said, where it is not a frame.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        // A frame begins with its type; reading each of them as something else would cost more than all the rest.
        if bytes.starts_with(b"{\"type\"") { None } else { decode(bytes) }
    }
}

/// As it goes over the bus.
pub fn encode(words: &impl Serialize) -> Bytes {
    // None of the types above has a map with keys that are not text, the one thing that serde_json refuses.
    serde_json::to_vec(words).unwrap_or_default().into()
}

/// What another node said; `None` where this version does not understand it.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes)
        // Not louder: while nodes are replaced one by one, those of a newer version may say something new with each word.
        .inspect_err(|error| tracing::debug!(%error, "another node said something unknown"))
        .ok()
}
