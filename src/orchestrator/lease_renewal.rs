//! Renewal of this node's lease.

use std::time::Duration;

use futures_util::{StreamExt, stream::FuturesUnordered};
use parking_lot::Mutex;
use tokio::sync::broadcast;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout_at};
use tokio_util::sync::CancellationToken;

use super::Cluster;
use crate::store::LeaseTerm;
use crate::store_error::StoreError;
use crate::telemetry::{LogThrottle, metrics};

/// Maximum number of concurrent renewals. If one is slow or never completes, the other proceeds over another
/// connection. More than two would only queue in front of a slow disk.
const MAX_CONCURRENT_RENEWALS: usize = 2;

/// This node's knowledge of its own lease.
pub(super) struct Lease {
    latest: Mutex<Option<LeaseRenewal>>,
    lapses: broadcast::Sender<()>,
}

/// A renewal that the store confirmed.
#[derive(Clone, Copy)]
struct LeaseRenewal {
    term: LeaseTerm,
    /// The lease lasts at least until this instant.
    until: Instant,
}

impl Lease {
    pub(super) fn new() -> Self {
        Self { latest: Mutex::default(), lapses: broadcast::Sender::new(1) }
    }

    /// Returns whether the lease is still held, as far as this node knows.
    pub(super) fn is_valid(&self) -> bool {
        self.latest.lock().is_some_and(|latest| Instant::now() < latest.until)
    }

    /// Returns a receiver that is notified whenever a renewal finds that the lease had expired. Other nodes might then
    /// have taken this node's sessions.
    pub(super) fn lapses(&self) -> broadcast::Receiver<()> {
        self.lapses.subscribe()
    }

    fn renewed(&self, LeaseRenewal { term, until }: LeaseRenewal) {
        let mut latest = self.latest.lock();
        let before = *latest;
        let until = before.map_or(until, |before| before.until.max(until));
        *latest = Some(LeaseRenewal { term, until });
        if before.is_some_and(|before| before.term != term) {
            tracing::debug!(term = term.0, "the lease had expired before its renewal; sessions check their claims");
            // Fails if no session is live.
            let _ = self.lapses.send(());
        }
    }
}

impl Cluster {
    /// Starts this node's lease.
    pub(super) async fn begin(&self, lease: &Lease) -> Result<(), StoreError> {
        lease.renewed(self.renewal().await?);
        Ok(())
    }

    /// Renews this node's lease until `ended` is cancelled. Starts the lease again if it could not be renewed in time;
    /// fences protect sessions that other nodes have taken in the meantime.
    pub(super) async fn renew_lease(self, lease: &Lease, ended: CancellationToken) {
        let mut pauses = interval(Duration::from_millis(self.settings.renew_ms));
        pauses.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut in_flight = FuturesUnordered::new();
        let mut trouble = LogThrottle::default();
        loop {
            let reply = tokio::select! {
                // A completed renewal counts before another one starts.
                biased;
                () = ended.cancelled() => return,
                Some(reply) = in_flight.next() => reply,
                _ = pauses.tick(), if in_flight.len() < MAX_CONCURRENT_RENEWALS => {
                    in_flight.push(self.renewal());
                    continue;
                }
            };
            match reply {
                Ok(renewal) => {
                    lease.renewed(renewal);
                    if let Some(time) = trouble.over() {
                        let duration_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                        tracing::info!(duration_ms, "the lease is renewed again");
                    }
                }
                Err(error) => {
                    metrics().lease_failures.inc();
                    if trouble.again() {
                        tracing::warn!(%error, "the lease is not renewed");
                    }
                }
            }
        }
    }

    /// Renews the lease, with the lease's duration as the timeout: on a slow disk, every renewal is slow but completes.
    async fn renewal(&self) -> Result<LeaseRenewal, StoreError> {
        let until = Instant::now() + self.settings.lease();
        let reply = timeout_at(until, self.leases.renew(&self.me, self.settings.lease())).await;
        let term = reply.unwrap_or_else(|late| Err(StoreError::unavailable(late)))?;
        Ok(LeaseRenewal { term, until })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    use async_trait::async_trait;
    use tokio::time::{sleep, timeout};

    use super::*;
    use crate::bus::{BusSettings, Hub};
    use crate::node_id::NodeId;
    use crate::orchestrator::ClusterSettings;
    use crate::store::{LeaseStore, LiveNode};

    /// Lease store with scripted durations and results of renewals.
    struct FakeLeaseStore<F>(F);

    #[async_trait]
    impl<F: Fn() -> (Duration, Result<LeaseTerm, StoreError>) + Send + Sync + 'static> LeaseStore for FakeLeaseStore<F> {
        async fn renew(&self, _: &LiveNode, _: Duration) -> Result<LeaseTerm, StoreError> {
            let (takes, reply) = (self.0)();
            sleep(takes).await;
            reply
        }

        async fn others(&self, _: NodeId) -> Result<Vec<LiveNode>, StoreError> {
            Ok(vec![])
        }

        async fn end(&self, _: NodeId) -> Result<(), StoreError> {
            Ok(())
        }

        async fn remove_expired_nodes(&self) -> Result<(), StoreError> {
            Ok(())
        }
    }

    /// Renews a lease in a [`FakeLeaseStore`] for this number of seconds. Returns the seconds at the end of which the
    /// lease was held, and the number of lapses.
    async fn renewals<F>(seconds: u64, replies: F) -> (Vec<u64>, usize)
    where
        F: Fn() -> (Duration, Result<LeaseTerm, StoreError>) + Send + Sync + 'static,
    {
        let me = NodeId::fresh();
        let bus = Hub::new().join(me, &BusSettings::default()).bus;
        let me = LiveNode { node: me, name: "n".into(), version: "1".into(), bus: None };
        let leases = Arc::new(FakeLeaseStore(replies));
        let cluster = Cluster { me, leases, bus, settings: ClusterSettings::default() };
        let lease = Lease { latest: Mutex::default(), lapses: broadcast::Sender::new(8) };
        let lapses = lease.lapses();
        let mut held = vec![];
        let checks = async {
            for second in 1..=seconds {
                sleep(Duration::from_secs(1)).await;
                held.extend(lease.is_valid().then_some(second));
            }
        };
        let _ = timeout(Duration::from_secs(seconds), async {
            tokio::join!(cluster.renew_lease(&lease, CancellationToken::new()), checks)
        })
        .await;
        (held, lapses.len())
    }

    const AT_ONCE: Duration = Duration::ZERO;

    #[tokio::test(start_paused = true)]
    async fn a_renewal_that_says_nothing_more_does_not_keep_others_from_coming() {
        let tries = AtomicU64::new(0);
        // Every second renewal gets no reply.
        let silent = move || if tries.fetch_add(1, SeqCst) % 2 == 1 { Duration::MAX } else { AT_ONCE };
        let (held, lapses) = renewals(30, move || (silent(), Ok(LeaseTerm(1)))).await;
        assert_eq!((held, lapses), ((1..=30).collect(), 0));
    }

    #[tokio::test(start_paused = true)]
    async fn slow_renewals_that_come_in_time_keep_the_lease() {
        // Longer than the interval between two renewals.
        let (held, lapses) = renewals(30, || (Duration::from_millis(1_400), Ok(LeaseTerm(1)))).await;
        assert_eq!((held, lapses), ((2..=30).collect(), 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_is_not_renewed_is_not_held_until_it_is_again() {
        let started = Instant::now();
        let away = move || (5..20).contains(&started.elapsed().as_secs());
        let reply = move || if away() { Err(StoreError::unavailable("away")) } else { Ok(LeaseTerm(1)) };
        let (held, _) = renewals(30, move || (AT_ONCE, reply())).await;
        assert_eq!(held, (1..7).chain(20..=30).collect::<Vec<_>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_was_over_by_the_databases_clock_is_told_of() {
        let started = Instant::now();
        let (held, lapses) = renewals(30, move || (AT_ONCE, Ok(LeaseTerm(started.elapsed().as_secs() / 20)))).await;
        assert_eq!(
            (held, lapses),
            ((1..=30).collect(), 1),
            "all sessions check at once that they still belong to this node"
        );
    }
}
