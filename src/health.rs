//! Health of this node, for load balancers and operators. A background job checks it once a second, not at each
//! request.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::time::Instant;

use crate::bus::BusStatus;
use crate::clock;
use crate::kernel::Timestamp;
use crate::store::DatabaseHealth;
use crate::telemetry::LogThrottle;
use crate::tool::mcp::{McpServerState, McpServerStatus};

/// Interval between two checks of the database.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Time without a successful check after which the database counts as failed.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// Results of the latest checks.
#[derive(Debug, Default)]
pub struct Health {
    /// Start of the first check since the last successful one.
    unanswered: Mutex<Option<(Instant, Timestamp)>>,
    /// Fault between this node and another on its database, and the time at which it began.
    partition: Mutex<Option<(Partition, Timestamp)>>,
}

/// Reason why a node on the same database does not receive this node's messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partition {
    /// The other node is configured for another bus.
    Elsewhere,
    /// The other node does not respond, although both are configured for the same bus.
    Silent,
}

impl Partition {
    fn reason(self) -> &'static str {
        match self {
            Self::Elsewhere => {
                "another node uses this database but another bus, so commands for its sessions fail with busy; give all \
                 nodes the same redis_url, bus.prefix and bus.lanes"
            }
            Self::Silent => {
                "another node uses this database but does not respond over the bus, so commands for its sessions fail with \
                 busy, and its events arrive late; check that the redis_url of both nodes names the same Redis, and check \
                 the /readyz of the other node"
            }
        }
    }
}

/// Response of `/readyz`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Readiness {
    /// True if the node accepts new work.
    pub ready: bool,
    /// True if the node works with restrictions, because one of its parts has failed.
    pub degraded: bool,
    /// True if the node is shutting down.
    pub draining: bool,
    /// State of the database.
    pub store: ComponentReadiness,
    /// State of the bus to other nodes. Absent without Redis, unless another node uses this database over another bus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus: Option<BusReadiness>,
    /// State of the MCP servers, by their names in the configuration.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp: BTreeMap<Arc<str>, ComponentReadiness>,
}

impl Readiness {
    /// Adds the MCP servers. While one is unavailable, its tools fail and the node is degraded, but everything else
    /// works.
    pub fn with_mcp(mut self, servers: Vec<McpServerStatus>) -> Self {
        self.mcp =
            servers.into_iter().map(|status| (status.server.clone(), ComponentReadiness::from(status))).collect();
        self.degraded |= self.mcp.values().any(|part| !part.ok);
        self
    }
}

impl From<McpServerStatus> for ComponentReadiness {
    fn from(status: McpServerStatus) -> Self {
        let reason = match status.condition {
            McpServerState::Ready => return Self::working(),
            McpServerState::Starting => "the server has not responded yet; wait for it to start",
            McpServerState::Away(_) => {
                "the server is unavailable, and calls of its tools fail; it is retried automatically"
            }
        };
        Self { ok: false, since: None, reason: Some(reason) }
    }
}

/// State of the bus to other nodes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BusReadiness {
    /// True if the bus works.
    pub ok: bool,
    /// Start of the failure. Absent while the bus works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Consequence of the failure, for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Delay with which viewers see events of other nodes' sessions during the failure, in milliseconds, for example
    /// 300.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

impl BusReadiness {
    fn partitioned((partition, since): (Partition, Timestamp)) -> Self {
        Self { ok: false, since: Some(since), reason: Some(partition.reason()), delay_ms: None }
    }

    /// Derives the state from the status of the bus. While the bus is down, events are read from the database at the
    /// interval `poll`.
    pub fn new(status: &BusStatus, poll: Duration) -> Self {
        let BusStatus::Down { since, .. } = status else {
            return Self { ok: true, since: None, reason: None, delay_ms: None };
        };
        let ago = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        Self {
            ok: false,
            since: Some(Timestamp::from_millis(clock::now().millis().saturating_sub(ago))),
            reason: Some(
                "the bus is down; viewers of other nodes' sessions are served from the database, and each node counts \
                 limits for itself until it is back",
            ),
            delay_ms: u64::try_from(poll.as_millis()).ok(),
        }
    }
}

/// State of one part of a node.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ComponentReadiness {
    /// True if the part responds and, in case of the database, accepts writes.
    pub ok: bool,
    /// Start of the failure. Absent while the part works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Consequence of the failure, for operators. The error itself is only in the log, because it can contain names of
    /// hosts and users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

impl ComponentReadiness {
    fn working() -> Self {
        Self { ok: true, since: None, reason: None }
    }

    fn broken(since: Timestamp, reason: &'static str) -> Self {
        Self { ok: false, since: Some(since), reason: Some(reason) }
    }
}

impl Health {
    /// Returns whether the node is ready for work, and the state of its parts. The node stays ready during a failure of
    /// the database that is shorter than `timeout`.
    pub fn readiness(&self, timeout: Duration, draining: bool, bus: Option<BusReadiness>) -> Readiness {
        let silent = self.unanswered.lock().filter(|(since, _)| since.elapsed() >= CHECK_TIMEOUT);
        let given_up = silent.is_some_and(|(since, _)| since.elapsed() >= timeout);
        let store = silent.map_or_else(ComponentReadiness::working, |(_, since)| {
            ComponentReadiness::broken(
                since,
                "the database does not respond, or accepts no writes; commands fail with store_unavailable",
            )
        });
        let down = bus.as_ref().is_some_and(|bus| !bus.ok);
        let bus = self.partition.lock().filter(|_| !down).map(BusReadiness::partitioned).or(bus);
        let degraded = !store.ok || bus.as_ref().is_some_and(|bus| !bus.ok);
        Readiness { ready: !given_up && !draining, degraded, draining, store, bus, mcp: BTreeMap::new() }
    }

    fn check_started(&self, at: Timestamp) {
        self.unanswered.lock().get_or_insert_with(|| (Instant::now(), at));
    }

    /// Records the fault between this node and another on its database, or `None` if there is none. Logs changes.
    pub(crate) fn set_partition(&self, partition: Option<Partition>, at: Timestamp) {
        let mut known = self.partition.lock();
        if partition == known.map(|(partition, _)| partition) {
            return;
        }
        *known = partition.map(|partition| (partition, at));
        match partition {
            Some(partition) => {
                tracing::error!(
                    reason = partition.reason(),
                    "a node on this database does not get this node's messages"
                )
            }
            None => tracing::info!("all nodes on this database reach each other again"),
        }
    }

    fn check_succeeded(&self) {
        let since = self.unanswered.lock().take();
        if let Some((since, _)) = since.filter(|(since, _)| since.elapsed() >= CHECK_TIMEOUT) {
            tracing::info!(seconds = since.elapsed().as_secs(), "the database responds and accepts writes again");
        }
    }
}

/// Checks the database once a second until the node, and with it `health`, is dropped.
pub(crate) async fn monitor(health: Weak<Health>, database: Arc<dyn DatabaseHealth>) {
    let mut trouble = LogThrottle::default();
    loop {
        let Some(health) = health.upgrade() else { return };
        health.check_started(clock::now());
        match database.check().await {
            Ok(()) => {
                trouble.over();
                health.check_succeeded();
            }
            Err(error) if trouble.again() => {
                tracing::warn!(%error, "the database does not respond, or accepts no writes")
            }
            Err(_) => {}
        }
        drop(health);
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_node_is_ready_until_its_database_is_silent_for_too_long() {
        let (health, timeout) = (Health::default(), Duration::from_secs(5));
        let at = Timestamp::from_millis(7);
        assert!(health.readiness(timeout, false, None).ready);
        health.check_started(at);
        assert!(!health.readiness(timeout, false, None).degraded, "a check that has just started does not count");
        tokio::time::advance(Duration::from_secs(4)).await;
        health.check_started(Timestamp::from_millis(9));
        let short = health.readiness(timeout, false, None);
        assert!(short.ready && short.degraded && !short.store.ok, "{short:?}");
        assert_eq!(short.store.since, Some(at), "since the first check that found it silent");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!health.readiness(timeout, false, None).ready);
        health.check_succeeded();
        let back = health.readiness(timeout, false, None);
        assert!(back.ready && !back.degraded && back.store.ok, "{back:?}");
    }

    #[test]
    fn a_node_that_stops_is_sent_nothing_more() {
        let stopping = Health::default().readiness(Duration::from_secs(5), true, None);
        assert!(!stopping.ready && stopping.draining && stopping.store.ok, "{stopping:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_whose_bus_is_down_is_ready_and_says_how_late_its_viewers_are() {
        let down = BusStatus::Down { since: Instant::now(), reason: "refused".into() };
        let bus = BusReadiness::new(&down, Duration::from_millis(300));
        let readiness = Health::default().readiness(Duration::from_secs(5), false, Some(bus));
        assert!(readiness.ready && readiness.degraded, "{readiness:?}");
        let bus = readiness.bus.expect("there is one");
        assert!(!bus.ok && bus.since.is_some() && bus.delay_ms == Some(300), "{bus:?}");
        assert!(bus.reason.is_some_and(|reason| reason.contains("counts limits for itself")), "{bus:?}");
    }
}
