//! A request from one node to another.

use bytes::Bytes;

use crate::node_id::NodeId;

/// A request from another node. Dropping it sends no reply.
pub struct BusRequest {
    /// The node that sent the request.
    pub from: NodeId,
    /// The encoded request.
    pub content: Bytes,
    reply: Box<dyn FnOnce(Bytes) + Send + Sync>,
}

impl BusRequest {
    pub(super) fn new(from: NodeId, content: Bytes, reply: impl FnOnce(Bytes) + Send + Sync + 'static) -> Self {
        Self { from, content, reply: Box::new(reply) }
    }

    /// Sends the reply. Never waits; a reply that cannot be sent is dropped and counted.
    pub fn reply(self, reply: Bytes) {
        (self.reply)(reply);
    }
}

impl std::fmt::Debug for BusRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BusRequest")
            .field("from", &self.from)
            .field("bytes", &self.content.len())
            .finish_non_exhaustive()
    }
}

/// Failure of a request to another node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BusRequestError {
    /// No node with this id is listening.
    #[error("the node does not listen")]
    Absent,
    /// The request queue of the other node, or the number of requests from this node, is at its limit. The request was
    /// not processed.
    #[error("the node has too many pending requests")]
    Busy,
    /// The request or its reply is larger than [`super::BusSettings::max_message_bytes`].
    #[error("the request or its reply is too large for the bus")]
    TooLarge,
    /// No reply arrived within the timeout. The request might have been delivered.
    #[error("the node did not reply in time")]
    Late,
    /// The bus is down, or went down during the wait. The request might have been delivered.
    #[error("the bus between the nodes is down")]
    Down,
}
