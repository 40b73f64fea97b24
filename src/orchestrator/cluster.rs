//! How this node stands among those that share its database, and what it takes over from them.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::Orchestrators;
use crate::bus::Bus;
use crate::retry;
use crate::store::{Leases, Living};
use crate::telemetry::Trouble;

/// A node of a cluster.
#[derive(Clone)]
pub struct Cluster {
    /// This node.
    pub me: Living,
    /// Who lives.
    pub leases: Arc<dyn Leases>,
    /// The way to the others.
    pub bus: Arc<dyn Bus>,
    /// How patient it is.
    pub settings: ClusterSettings,
}

/// When a node counts as dead, and how patient nodes are with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterSettings {
    /// What operators call this node; empty: the host's name.
    pub name: String,
    /// Milliseconds that a node's lease lasts. A node that is silent for longer counts as dead, and others take over
    /// its sessions: shorter is faster, and less patient with a slow database.
    #[schemars(range(min = 300, max = 60_000))]
    pub lease_ms: u64,
    /// Milliseconds between renewals of the lease; a third of `lease_ms` or less.
    #[schemars(range(min = 50, max = 20_000))]
    pub renew_ms: u64,
    /// Milliseconds between looks for sessions that a dead node left.
    #[schemars(range(min = 50, max = 60_000))]
    pub look_ms: u64,
    /// Sessions that one look takes up, at most; the rest is left to the next look and to other nodes.
    #[schemars(range(min = 1, max = 100_000))]
    pub take_at_once: u32,
    /// Milliseconds for which a command is tried to be brought to the node that has its session.
    #[schemars(range(min = 100, max = 60_000))]
    pub reach_ms: u64,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        Self { name: String::new(), lease_ms: 3_000, renew_ms: 1_000, look_ms: 500, take_at_once: 64, reach_ms: 8_000 }
    }
}

impl ClusterSettings {
    pub(super) fn reach(&self) -> Duration {
        Duration::from_millis(self.reach_ms)
    }

    /// How long a lease lasts.
    pub fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_ms)
    }
}

impl Orchestrators {
    /// Take up what dead nodes left unfinished, now and then, until this node stops.
    pub(super) async fn adopt(self) {
        let Some(Cluster { settings, .. }) = &self.shared.cluster else { return };
        let mut trouble = Trouble::default();
        loop {
            // Nodes that look in step would want the same sessions at the same time.
            let jitter = retry::chance() % 101;
            let pause = Duration::from_millis(settings.look_ms) * (50 + jitter) / 100;
            if self.shared.stopping.run_until_cancelled(sleep(pause)).await.is_none() {
                return;
            }
            match self.recover().await {
                Ok(count) => {
                    trouble.over();
                    if count > 0 {
                        tracing::info!(count, "takes up sessions that another node left");
                    }
                }
                Err(error) if trouble.again() => {
                    tracing::warn!(%error, "cannot look for sessions that another node left");
                }
                Err(_) => {}
            }
        }
    }
}
