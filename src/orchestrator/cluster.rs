//! This node's place in its cluster, and takeover of sessions from dead nodes.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::SessionRegistry;
use crate::bus::Bus;
use crate::retry;
use crate::store::{LeaseStore, LiveNode};
use crate::telemetry::LogThrottle;

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
    /// Milliseconds between two searches for sessions of dead nodes. Default 500.
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

/// Result of a search for sessions that no live node has.
#[derive(Default)]
pub(super) struct TakeoverScan {
    /// One token per session, cancelled when the session has been claimed or could not be claimed immediately.
    pub(super) begun: Vec<CancellationToken>,
    /// True if there can be more sessions than one search takes over.
    pub(super) is_full: bool,
}

impl TakeoverScan {
    /// Waits until the next search is due. If there can be more sessions, it is due as soon as this node has claimed
    /// the current ones: the node takes no more than it can handle, and faster nodes take more.
    async fn rest(self, takeover_ms: u64) {
        if self.is_full && !self.begun.is_empty() {
            for begun in self.begun {
                begun.cancelled().await;
            }
        } else {
            // Nodes that search in step would compete for the same sessions.
            let jitter = retry::random() % 101;
            sleep(Duration::from_millis(takeover_ms) * (50 + jitter) / 100).await;
        }
    }
}

impl SessionRegistry {
    /// Takes over unfinished sessions of dead nodes periodically, after this first search, until this node stops.
    pub(super) async fn adopt(self, mut scan: TakeoverScan) {
        let Some(Cluster { settings, .. }) = &self.shared.cluster else { return };
        let mut trouble = LogThrottle::default();
        while self.shared.stopping.run_until_cancelled(scan.rest(settings.takeover_ms)).await.is_some() {
            scan = match self.claim_orphans().await {
                Ok(scan) => {
                    trouble.over();
                    scan
                }
                Err(error) => {
                    if trouble.again() {
                        tracing::warn!(%error, "cannot search for sessions of dead nodes");
                    }
                    TakeoverScan::default()
                }
            };
            let count = scan.begun.len();
            if count > 0 {
                tracing::info!(count, "taking over sessions of dead nodes");
            }
        }
    }
}
