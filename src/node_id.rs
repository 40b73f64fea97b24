//! Id of a node.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Id of a server process, from its start to its end. A restarted process has another id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub Uuid);

impl NodeId {
    /// Creates an id that no process has had before.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }
}

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "n_{}", self.0.simple())
    }
}
