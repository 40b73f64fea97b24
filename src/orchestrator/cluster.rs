//! How this node stands among those that share its database: its lease, and what it asks of the others.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::Orchestrators;
use crate::bus::Bus;
use crate::store::{Leases, Living};
use crate::telemetry::happened;

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

impl Cluster {
    /// Keep this node's lease ahead of the database's clock until it stops. A lease that could not be renewed in time is
    /// begun again: fences protect what others have taken meanwhile.
    pub(super) async fn keep_lease(self, ended: CancellationToken) {
        let mut silent_since = None;
        loop {
            match self.leases.renew(&self.me, self.settings.lease()).await {
                Ok(()) => {
                    if let Some(since) = silent_since.take() {
                        let millis = tokio::time::Instant::now().duration_since(since).as_millis();
                        tracing::info!(%millis, "the lease is renewed again");
                    }
                }
                Err(error) => {
                    happened().lease_failures.inc();
                    silent_since.get_or_insert_with(tokio::time::Instant::now);
                    tracing::warn!(%error, "the lease is not renewed");
                }
            }
            let pause = Duration::from_millis(self.settings.renew_ms);
            if ended.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                return;
            }
        }
    }
}

impl Orchestrators {
    /// Take up what dead nodes left unfinished, now and then, until this node stops.
    pub(super) async fn adopt(self, settings: ClusterSettings) {
        loop {
            // Nodes that look in step would want the same sessions at the same time.
            let jitter = getrandom::u32().unwrap_or(0) % 101;
            let pause = Duration::from_millis(settings.look_ms) * (50 + jitter) / 100;
            if self.shared.stopping.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                return;
            }
            match self.recover().await {
                Ok(0) => {}
                Ok(count) => {
                    happened().taken_over.inc_by(count as u64);
                    tracing::info!(count, "took up sessions that another node left");
                }
                Err(error) => tracing::warn!(%error, "cannot look for sessions that another node left"),
            }
        }
    }
}
