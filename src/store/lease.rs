//! Which node may write a session's log.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One server process from its start to its end; a restart is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub Uuid);

impl NodeId {
    /// An id that no process had before.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }
}

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "n_{}", self.0.simple())
    }
}
