//! How this node stands among those that share its database: its lease, and what it asks of the others.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;
use tokio::time::{Instant, MissedTickBehavior, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Orchestrators;
use crate::bus::Bus;
use crate::retry;
use crate::store::{Leases, Living, StoreError};
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
    /// begun again: fences protect what others have taken meanwhile, and `lapses` tells that it may be much.
    pub(super) async fn keep_lease(self, ended: CancellationToken, lapses: broadcast::Sender<()>) {
        let pause = Duration::from_millis(self.settings.renew_ms);
        // The next try begins a pause after the last one began: at once, where that one had no answer in all this time.
        let mut tries = tokio::time::interval(pause);
        tries.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut silent_since = None;
        let mut renewed = Instant::now();
        while ended.run_until_cancelled(tries.tick()).await.is_some() {
            let begun = Instant::now();
            // A connection that says nothing more must not keep the lease from being renewed over another one.
            let tried = timeout(pause, self.leases.renew(&self.me, self.settings.lease())).await;
            match tried.unwrap_or_else(|late| Err(StoreError(late.to_string().into()))) {
                Ok(()) => {
                    if renewed.elapsed() > self.settings.lease() {
                        // Fails where nobody is served.
                        let _ = lapses.send(());
                    }
                    renewed = begun;
                    if let Some(since) = silent_since.take() {
                        let millis = Instant::now().duration_since(since).as_millis();
                        tracing::info!(%millis, "the lease is renewed again");
                    }
                }
                Err(error) => {
                    happened().lease_failures.inc();
                    silent_since.get_or_insert_with(Instant::now);
                    tracing::warn!(%error, "the lease is not renewed");
                }
            }
        }
    }
}

impl Orchestrators {
    /// Take up what dead nodes left unfinished, now and then, until this node stops.
    pub(super) async fn adopt(self, settings: ClusterSettings) {
        loop {
            // Nodes that look in step would want the same sessions at the same time.
            let jitter = retry::chance() % 101;
            let pause = Duration::from_millis(settings.look_ms) * (50 + jitter) / 100;
            if self.shared.stopping.run_until_cancelled(sleep(pause)).await.is_none() {
                return;
            }
            match self.recover().await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "takes up sessions that another node left"),
                Err(error) => tracing::warn!(%error, "cannot look for sessions that another node left"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    use async_trait::async_trait;

    use super::*;
    use crate::bus::{BusSettings, Hub};
    use crate::store::NodeId;

    /// Leases of which this says what a renewal is answered, and whether it is.
    struct Renewed<F>(F);

    #[async_trait]
    impl<F: Fn() -> Option<Result<(), StoreError>> + Send + Sync + 'static> Leases for Renewed<F> {
        async fn renew(&self, _: &Living, _: Duration) -> Result<(), StoreError> {
            match (self.0)() {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        }

        async fn others(&self, _: NodeId) -> Result<Vec<Living>, StoreError> {
            Ok(vec![])
        }

        async fn end(&self, _: NodeId) -> Result<(), StoreError> {
            Ok(())
        }

        async fn forget_dead(&self) -> Result<(), StoreError> {
            Ok(())
        }
    }

    fn cluster(leases: Arc<dyn Leases>) -> Cluster {
        let me = NodeId::fresh();
        let bus = Hub::new().join(me, &BusSettings::default()).bus;
        let me = Living { node: me, name: "n".into(), version: "1".into(), bus: None };
        Cluster { me, leases, bus, settings: ClusterSettings::default() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_renewal_without_an_answer_does_not_keep_the_next_one_waiting() {
        let tries = Arc::new(AtomicU32::new(0));
        let counted = tries.clone();
        // Every second one has no answer.
        let cluster =
            cluster(Arc::new(Renewed(move || counted.fetch_add(1, SeqCst).is_multiple_of(2).then_some(Ok(())))));
        let ended = CancellationToken::new();
        let ten_seconds =
            tokio::time::timeout(Duration::from_millis(9_500), cluster.keep_lease(ended, broadcast::Sender::new(1)));
        ten_seconds.await.expect_err("goes on until the node stops");
        assert_eq!(tries.load(SeqCst), 10, "one a second, answered or not");
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_was_over_before_it_was_renewed_is_told_of() {
        let (lapses, mut told) = broadcast::channel(8);
        let begun = Instant::now();
        let away = move || (1..60).contains(&begun.elapsed().as_secs());
        let leases = Renewed(move || Some(if away() { Err(StoreError("away".into())) } else { Ok(()) }));
        let keeping = cluster(Arc::new(leases)).keep_lease(CancellationToken::new(), lapses.clone());
        let _ = timeout(Duration::from_secs(100), keeping).await;
        assert_eq!(
            (told.try_recv(), told.len()),
            (Ok(()), 0),
            "all sessions look at once whether they are still this node's"
        );
    }
}
