//! This node's membership in its cluster.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bus::Bus;
use crate::store::{LeaseStore, LiveNode};

/// A node of a cluster.
#[derive(Clone)]
pub struct Cluster {
    /// This node.
    pub me: LiveNode,
    /// The leases of all nodes.
    pub leases: Arc<dyn LeaseStore>,
    /// The bus to the other nodes.
    pub bus: Arc<dyn Bus>,
    /// Timing settings.
    pub settings: ClusterSettings,
}

/// Timing of leases, takeover and forwarding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterSettings {
    /// Name of this node for operators, for example `node-1`. Default: the host's name.
    pub name: String,
    /// Duration of a node's lease, in milliseconds. Default 3000. A node that is silent for longer counts as dead, and
    /// others take over its sessions. A shorter lease speeds up takeover but tolerates less delay of the database.
    #[schemars(range(min = 300, max = 60_000))]
    pub lease_ms: u64,
    /// Milliseconds between two renewals of the lease. Default 1000, at most a third of `lease_ms`.
    #[schemars(range(min = 50, max = 20_000))]
    pub renew_ms: u64,
    /// Average number of milliseconds between two searches for sessions of dead nodes. Default 500. Each interval is
    /// 0.5 to 1.5 times as long, so that the nodes do not search at the same moment.
    #[schemars(range(min = 50, max = 60_000))]
    pub takeover_ms: u64,
    /// Maximum number of sessions that one search takes over. Default 64. If there are more, the next search starts as
    /// soon as this node has claimed them; other nodes take over a part of the rest.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_takeovers: u32,
    /// Maximum time to keep forwarding a command to the session's owner, in milliseconds. Default 8000.
    #[schemars(range(min = 100, max = 60_000))]
    pub forward_ms: u64,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            lease_ms: 3_000,
            renew_ms: 1_000,
            takeover_ms: 500,
            max_takeovers: 64,
            forward_ms: 8_000,
        }
    }
}

impl ClusterSettings {
    pub(super) fn reach(&self) -> Duration {
        Duration::from_millis(self.forward_ms)
    }

    /// Returns the duration of a lease.
    pub fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_ms)
    }
}
