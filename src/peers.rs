//! Checks that this node and the other nodes on the same database reach each other over the bus. Otherwise commands for
//! the other nodes' sessions cannot be forwarded, and viewers here see events of those sessions late.

use std::collections::BTreeMap;
use std::sync::Weak;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::bus::BusRequestError;
use crate::clock;
use crate::feed::FeedRegistry;
use crate::health::{Health, Partition};
use crate::kernel::SessionId;
use crate::node_id::NodeId;
use crate::orchestrator::Cluster;
use crate::peer_messages::{self, PeerRequest};
use crate::store::LiveNode;

/// Interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Timeout for the response of another node.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);
/// Number of consecutive checks without a lease after which a node counts as dead, and its viewers as gone. One check
/// is not enough, because all nodes are without a lease for a moment after an outage of the database.
const DEAD_AFTER_CHECKS: u32 = 3;
/// Time that a node can be silent beyond its lease, because it or its Redis can stall for a moment.
const SILENCE_TOLERANCE: Duration = Duration::from_secs(3);

/// Checks at startup that all living nodes use the same bus. A node that has just died appears to be alive until its
/// lease expires, so this waits for up to one lease period.
///
/// # Errors
/// Fails if a living node uses another bus.
pub(crate) async fn check(cluster: &Cluster) -> anyhow::Result<()> {
    let deadline = Instant::now() + cluster.settings.lease();
    loop {
        let others = cluster.leases.others(cluster.me.node).await?;
        let Some(deaf) = others.iter().find(|other| is_elsewhere(&cluster.me, other)) else {
            for other in others.iter().filter(|other| other.bus.is_none()) {
                let (name, version) = (&other.name, &other.version);
                tracing::warn!(%name, %version, "cannot check the bus of a node of an earlier version");
            }
            return Ok(());
        };
        if Instant::now() > deadline {
            anyhow::bail!(
                "the node {} uses this database but another bus: \"{}\", and this node \"{}\"; give all nodes the same \
                 redis_url, bus.prefix and bus.lanes, stop that node, or use another database",
                deaf.name,
                deaf.bus.as_deref().unwrap_or_default(),
                cluster.me.bus.as_deref().unwrap_or_default(),
            );
        }
        sleep(Duration::from_millis(cluster.settings.takeover_ms)).await;
    }
}

/// Checks the other nodes once a second until this node, and with it `health`, is dropped. The check at startup is not
/// enough, because two nodes that start at the same time do not see each other in it.
pub(crate) async fn monitor(cluster: Cluster, feeds: FeedRegistry, health: Weak<Health>) {
    let mut peers = Peers::default();
    loop {
        sleep(CHECK_INTERVAL).await;
        let others = cluster.leases.others(cluster.me.node).await;
        // A failure of the database is reported by the lease.
        if let Ok(others) = &others {
            let dead = peers.update(others);
            peers.ask(&cluster, others).await;
            let Some(health) = health.upgrade() else { return };
            feeds.forget_viewers_of(&dead);
            let elsewhere = others.iter().any(|other| is_elsewhere(&cluster.me, other)).then_some(Partition::Elsewhere);
            // A node that has just died is silent until its lease expires.
            let timeout = cluster.settings.lease() + REPLY_TIMEOUT + SILENCE_TOLERANCE;
            let silent = peers.has_silent_peer(timeout).then_some(Partition::Silent);
            health.set_partition(elsewhere.or(silent), clock::now());
        }
        if health.strong_count() == 0 {
            return;
        }
    }
}

/// Returns whether another node is configured for another bus. Equal configurations do not prove that two nodes reach
/// each other, because the same name can resolve to two servers.
fn is_elsewhere(me: &LiveNode, other: &LiveNode) -> bool {
    other.bus.is_some() && other.bus != me.bus
}

/// State of the other nodes, as of the last checks.
#[derive(Default)]
struct Peers {
    /// Number of consecutive checks at which each node was without a lease.
    missing: BTreeMap<NodeId, u32>,
    /// Living nodes that did not respond, and the total time for which this node has waited for them. The start of the
    /// silence would be misleading after this node was suspended, because it sent no pings in the meantime.
    silent: BTreeMap<NodeId, Duration>,
}

impl Peers {
    /// Records the living nodes. Returns those that have died since the last check.
    fn update(&mut self, living: &[LiveNode]) -> Vec<NodeId> {
        self.missing.values_mut().for_each(|checks| *checks += 1);
        self.missing.extend(living.iter().map(|other| (other.node, 0)));
        self.missing.extract_if(.., |_, checks| *checks >= DEAD_AFTER_CHECKS).map(|(node, _)| node).collect()
    }

    /// Pings one random node on the same bus, and the nodes that did not respond the last time.
    async fn ask(&mut self, cluster: &Cluster, living: &[LiveNode]) {
        let near: Vec<NodeId> =
            living.iter().filter(|other| other.bus == cluster.me.bus).map(|other| other.node).collect();
        self.silent.retain(|node, _| near.contains(node));
        if !cluster.bus.status().borrow().is_up() {
            // No node can respond, and the failure of the bus is already reported.
            return self.silent.clear();
        }
        let one = fastrand::choice(&near);
        // The session does not exist; any response shows that the node is reachable.
        let question = peer_messages::encode(&PeerRequest::Partials(SessionId(Uuid::nil())));
        let pings = near.iter().filter(|node| Some(*node) == one || self.silent.contains_key(node)).map(async |node| {
            let started = Instant::now();
            let answer = cluster.bus.ask(*node, question.clone(), REPLY_TIMEOUT).await;
            let silent = matches!(answer, Err(BusRequestError::Absent | BusRequestError::Late | BusRequestError::Down));
            (*node, silent.then(|| CHECK_INTERVAL + started.elapsed().min(REPLY_TIMEOUT)))
        });
        for (node, silent) in join_all(pings).await {
            self.record_reply(node, silent);
        }
    }

    /// Records the result of a ping: the time waited without a response, or `None` if the node responded.
    fn record_reply(&mut self, node: NodeId, silent: Option<Duration>) {
        match silent {
            None => drop(self.silent.remove(&node)),
            Some(silent) => *self.silent.entry(node).or_default() += silent,
        }
    }

    /// Returns whether a living node did not respond for at least `timeout`.
    fn has_silent_peer(&self, timeout: Duration) -> bool {
        self.silent.values().any(|silent| *silent >= timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_dead_when_it_has_no_lease_for_a_while() {
        let node = NodeId::fresh();
        let living = [LiveNode { node, name: "two".into(), version: "1".into(), bus: None }];
        let mut peers = Peers::default();
        assert_eq!(peers.update(&living), []);
        for _ in 1..DEAD_AFTER_CHECKS {
            assert_eq!(peers.update(&[]), []);
        }
        assert_eq!(peers.update(&living), [], "it was late");
        let dead: Vec<_> = (0..=DEAD_AFTER_CHECKS).map(|_| peers.update(&[])).collect();
        assert_eq!(dead.concat(), [node], "and is dead once");
    }

    #[test]
    fn a_node_is_silent_when_it_answers_nothing_for_a_while() {
        let node = NodeId::fresh();
        let mut peers = Peers::default();
        for silent in [Some(CHECK_INTERVAL), Some(CHECK_INTERVAL), None, Some(CHECK_INTERVAL), Some(CHECK_INTERVAL)] {
            assert!(!peers.has_silent_peer(3 * CHECK_INTERVAL));
            peers.record_reply(node, silent);
        }
        assert!(!peers.has_silent_peer(3 * CHECK_INTERVAL), "it answered in between");
        peers.record_reply(node, Some(CHECK_INTERVAL));
        assert!(peers.has_silent_peer(3 * CHECK_INTERVAL));
    }
}
