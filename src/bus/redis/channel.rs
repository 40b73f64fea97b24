//! Channel names. A prefix separates several installations on one Redis.

use crate::kernel::SessionId;
use crate::node_id::NodeId;

/// Destination of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum BusAddress {
    /// All nodes that follow the session.
    Session(SessionId),
    /// One node.
    Node(NodeId),
    /// Every node.
    Everybody,
}

/// Channel names: `{<prefix>}:s_…` for a session, `{<prefix>}:n_…` for a node, `{<prefix>}:all` for every node.
pub(super) struct Channels {
    node: NodeId,
    prefix: String,
    own: String,
    all: String,
}

impl Channels {
    pub(super) fn new(tag: &str, node: NodeId) -> Self {
        let prefix = format!("{tag}:");
        Self { node, own: format!("{prefix}{node}"), all: format!("{prefix}all"), prefix }
    }

    /// Returns the channels to which this node always subscribes.
    pub(super) fn fixed(&self) -> [&str; 2] {
        [&self.own, &self.all]
    }

    pub(super) fn name(&self, address: BusAddress) -> String {
        match address {
            BusAddress::Session(session) => format!("{}{session}", self.prefix),
            BusAddress::Everybody => self.all.clone(),
            BusAddress::Node(node) => format!("{}{node}", self.prefix),
        }
    }

    /// Returns the address that belongs to a channel of this node, or `None` for an unknown channel.
    pub(super) fn address(&self, channel: &[u8]) -> Option<BusAddress> {
        if channel == self.all.as_bytes() {
            return Some(BusAddress::Everybody);
        }
        if channel == self.own.as_bytes() {
            return Some(BusAddress::Node(self.node));
        }
        let name = std::str::from_utf8(channel).ok()?.strip_prefix(&self.prefix)?;
        name.parse().ok().map(BusAddress::Session)
    }
}
