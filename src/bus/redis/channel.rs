//! The names of channels. A prefix keeps two installations on one Redis apart.

use crate::{bus::topic::Topic, store::NodeId};

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Address {
    /// To who follows this.
    Topic(Topic),
    /// To one node.
    Node(NodeId),
}

/// The names of channels: `{<prefix>}:s_…` of a session, `{<prefix>}:n_…` of a node, `{<prefix>}:all`.
pub(super) struct Channels {
    prefix: String,
    own: String,
    all: String,
}

impl Channels {
    pub(super) fn new(tag: &str, node: NodeId) -> Self {
        let prefix = format!("{tag}:");
        Self { own: format!("{prefix}{node}"), all: format!("{prefix}all"), prefix }
    }

    /// Those that a node hears whatever it follows.
    pub(super) fn fixed(&self) -> [&str; 2] {
        [&self.own, &self.all]
    }

    pub(super) fn name(&self, address: Address) -> String {
        match address {
            Address::Topic(Topic::Session(session)) => format!("{}{session}", self.prefix),
            Address::Topic(Topic::Everybody) => self.all.clone(),
            Address::Node(node) => format!("{}{node}", self.prefix),
        }
    }

    /// The topic of a channel that this node hears; none where it is the node's own, or no channel of ours.
    pub(super) fn topic(&self, channel: &[u8]) -> Option<Topic> {
        if channel == self.all.as_bytes() {
            return Some(Topic::Everybody);
        }
        let name = std::str::from_utf8(channel).ok()?.strip_prefix(&self.prefix)?;
        name.parse().ok().map(Topic::Session)
    }
}
