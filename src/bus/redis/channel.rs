//! The names of channels. A prefix keeps two installations on one Redis apart.

use crate::{kernel::SessionId, store::NodeId};

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Address {
    /// To who follows it.
    Session(SessionId),
    /// To one node.
    Node(NodeId),
    /// To every node.
    Everybody,
}

/// The names of channels: `{<prefix>}:s_…` of a session, `{<prefix>}:n_…` of a node, `{<prefix>}:all`.
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

    /// Those that a node hears whatever it follows.
    pub(super) fn fixed(&self) -> [&str; 2] {
        [&self.own, &self.all]
    }

    pub(super) fn name(&self, address: Address) -> String {
        match address {
            Address::Session(session) => format!("{}{session}", self.prefix),
            Address::Everybody => self.all.clone(),
            Address::Node(node) => format!("{}{node}", self.prefix),
        }
    }

    /// What a channel that this node hears is for; none where it is no channel of ours.
    pub(super) fn address(&self, channel: &[u8]) -> Option<Address> {
        if channel == self.all.as_bytes() {
            return Some(Address::Everybody);
        }
        if channel == self.own.as_bytes() {
            return Some(Address::Node(self.node));
        }
        let name = std::str::from_utf8(channel).ok()?.strip_prefix(&self.prefix)?;
        name.parse().ok().map(Address::Session)
    }
}
