//! How this node stands among those that share its database, and what it takes over from them.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

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
    /// Sessions that one look takes up, at most. Where there are more, the next look comes as soon as this node has these;
    /// other nodes take their part of the rest.
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

/// What a look for sessions that no living node has came to.
#[derive(Default)]
pub(super) struct Look {
    /// Cancelled when the session has been claimed, or could not be at once; for each.
    pub(super) begun: Vec<CancellationToken>,
    /// There may be more of them than one look takes up.
    pub(super) is_full: bool,
}

impl Look {
    /// Until it is time for the next one: at once where there may be more, but not before this node has what it has taken,
    /// so that it takes no more than it can, and others may be quicker.
    async fn rest(self, look_ms: u64) {
        if self.is_full && !self.begun.is_empty() {
            for begun in self.begun {
                begun.cancelled().await;
            }
        } else {
            // Nodes that look in step would want the same sessions at the same time.
            let jitter = retry::chance() % 101;
            sleep(Duration::from_millis(look_ms) * (50 + jitter) / 100).await;
        }
    }
}

impl Orchestrators {
    /// Take up what dead nodes left unfinished, now and then after this first look, until this node stops.
    pub(super) async fn adopt(self, mut look: Look) {
        let Some(Cluster { settings, .. }) = &self.shared.cluster else { return };
        let mut trouble = Trouble::default();
        while self.shared.stopping.run_until_cancelled(look.rest(settings.look_ms)).await.is_some() {
            look = match self.look().await {
                Ok(look) => {
                    trouble.over();
                    look
                }
                Err(error) => {
                    if trouble.again() {
                        tracing::warn!(%error, "cannot look for sessions that another node left");
                    }
                    Look::default()
                }
            };
            let count = look.begun.len();
            if count > 0 {
                tracing::info!(count, "takes up sessions that another node left");
            }
        }
    }
}
