//! How this node is, as far as load balancers and operators ask: looked at once a second, never at a request.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::time::Instant;

use crate::bus::BusStatus;
use crate::clock;
use crate::kernel::Timestamp;
use crate::node::Node;
use crate::telemetry::Trouble;
use crate::tool::mcp::{Condition, Status};

/// Between two looks at the database.
const LOOK: Duration = Duration::from_secs(1);

/// A look that is under way for longer than this counts as one without an answer.
const GRACE: Duration = Duration::from_secs(1);

/// What the looks found.
#[derive(Debug, Default)]
pub struct Health {
    /// The first look since the last that found the database well.
    unanswered: Mutex<Option<(Instant, Timestamp)>>,
    /// What is wrong between this node and another on its database, and since when.
    apart: Mutex<Option<(Apart, Timestamp)>>,
}

/// Why a node that uses the same database does not hear this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Apart {
    /// It says that it meets others elsewhere.
    Elsewhere,
    /// It does not answer, where both say that they meet at the same place.
    Silent,
}

impl Apart {
    fn words(self) -> &'static str {
        match self {
            Self::Elsewhere => {
                "another node uses this database and does not hear this one, so commands for its sessions are answered \
                 busy; give all nodes the same redis_url, bus.prefix and bus.lanes"
            }
            Self::Silent => {
                "another node uses this database and does not answer over the bus, so commands for its sessions are \
                 answered busy, and what it writes is seen late; its redis_url or this one's names another Redis, or it has \
                 lost its own, as its /readyz then says"
            }
        }
    }
}

/// The answer of `/readyz`.
#[derive(Debug, Clone, Serialize)]
pub struct Readiness {
    /// Whether the node is to be sent new work.
    pub ready: bool,
    /// It works, but not as well as it could.
    pub degraded: bool,
    /// It is stopping.
    pub draining: bool,
    /// The database.
    pub store: Part,
    /// The way to other nodes, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus: Option<BusPart>,
    /// The MCP servers, by the names that the configuration has for them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp: BTreeMap<Arc<str>, Part>,
}

impl Readiness {
    /// With the MCP servers: while one is away, its tools fail, and everything else goes on.
    pub fn with_mcp(mut self, servers: Vec<Status>) -> Self {
        self.mcp = servers.into_iter().map(|status| (status.server.clone(), Part::from(status))).collect();
        self.degraded |= self.mcp.values().any(|part| !part.ok);
        self
    }
}

impl From<Status> for Part {
    fn from(status: Status) -> Self {
        let why = match status.condition {
            Condition::Ready => return Self::working(),
            Condition::Starting => "it has not answered yet",
            Condition::Away(_) => "it is away and is tried again by itself; calls of its tools fail until then",
        };
        Self { ok: false, since: None, why: Some(why) }
    }
}

/// The way to other nodes.
#[derive(Debug, Clone, Serialize)]
pub struct BusPart {
    /// Whether it works.
    pub ok: bool,
    /// Since when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// What that means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    /// How late viewers see what another node's sessions do, meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

impl BusPart {
    fn apart((apart, since): (Apart, Timestamp)) -> Self {
        Self { ok: false, since: Some(since), why: Some(apart.words()), delay_ms: None }
    }

    /// Where it is down, its news is looked for in the database every `poll`.
    pub fn new(status: &BusStatus, poll: Duration) -> Self {
        let BusStatus::Down { since, .. } = status else {
            return Self { ok: true, since: None, why: None, delay_ms: None };
        };
        let ago = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        Self {
            ok: false,
            since: Some(Timestamp::from_millis(clock::now().millis().saturating_sub(ago))),
            why: Some(
                "the bus is down; viewers of other nodes' sessions are served from the database, and each node counts \
                 limits for itself",
            ),
            delay_ms: u64::try_from(poll.as_millis()).ok(),
        }
    }
}

/// One of the things that a node needs.
#[derive(Debug, Clone, Serialize)]
pub struct Part {
    /// Whether it answers, and takes what is written.
    pub ok: bool,
    /// Since when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// What that means. What the part itself says is in the log: it may name hosts and users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
}

impl Part {
    fn working() -> Self {
        Self { ok: true, since: None, why: None }
    }

    fn broken(since: Timestamp, why: &'static str) -> Self {
        Self { ok: false, since: Some(since), why: Some(why) }
    }
}

impl Health {
    /// Whether the node is to be sent new work, and why not.
    pub fn readiness(&self, patience: Duration, draining: bool, bus: Option<BusPart>) -> Readiness {
        let silent = self.unanswered.lock().filter(|(since, _)| since.elapsed() >= GRACE);
        let given_up = silent.is_some_and(|(since, _)| since.elapsed() >= patience);
        let store = silent.map_or_else(Part::working, |(_, since)| {
            Part::broken(
                since,
                "the database does not answer, or takes nothing; commands are refused as store_unavailable",
            )
        });
        let down = bus.as_ref().is_some_and(|bus| !bus.ok);
        let bus = self.apart.lock().filter(|_| !down).map(BusPart::apart).or(bus);
        let degraded = !store.ok || bus.as_ref().is_some_and(|bus| !bus.ok);
        Readiness { ready: !given_up && !draining, degraded, draining, store, bus, mcp: BTreeMap::new() }
    }

    fn asks(&self, at: Timestamp) {
        self.unanswered.lock().get_or_insert_with(|| (Instant::now(), at));
    }

    /// Whether it and another node on the database do not hear each other, and why.
    pub(crate) fn is_apart(&self, apart: Option<Apart>, at: Timestamp) {
        let mut known = self.apart.lock();
        if apart == known.map(|(apart, _)| apart) {
            return;
        }
        *known = apart.map(|apart| (apart, at));
        match apart {
            Some(apart) => tracing::error!("{}", apart.words()),
            None => tracing::info!("this node and all others on its database hear each other"),
        }
    }

    fn heard(&self) {
        let since = self.unanswered.lock().take();
        if let Some((since, _)) = since.filter(|(since, _)| since.elapsed() >= GRACE) {
            tracing::info!(
                seconds = since.elapsed().as_secs(),
                "the database answers again, and takes what is written"
            );
        }
    }
}

/// Look until the node is gone.
pub(crate) async fn look(node: Weak<Node>) {
    let mut trouble = Trouble::default();
    loop {
        let Some(node) = node.upgrade() else { return };
        node.health.asks(clock::now());
        match node.vitals.look().await {
            Ok(()) => {
                trouble.over();
                node.health.heard();
            }
            Err(error) if trouble.again() => tracing::warn!(%error, "the database does not answer, or takes nothing"),
            Err(_) => {}
        }
        drop(node);
        tokio::time::sleep(LOOK).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_node_is_ready_until_its_database_is_silent_for_too_long() {
        let (health, patience) = (Health::default(), Duration::from_secs(5));
        let at = Timestamp::from_millis(7);
        assert!(health.readiness(patience, false, None).ready);
        health.asks(at);
        assert!(!health.readiness(patience, false, None).degraded, "a look that has just begun says nothing");
        tokio::time::advance(Duration::from_secs(4)).await;
        health.asks(Timestamp::from_millis(9));
        let short = health.readiness(patience, false, None);
        assert!(short.ready && short.degraded && !short.store.ok, "{short:?}");
        assert_eq!(short.store.since, Some(at), "since the first look that found it silent");
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!health.readiness(patience, false, None).ready);
        health.heard();
        let back = health.readiness(patience, false, None);
        assert!(back.ready && !back.degraded && back.store.ok, "{back:?}");
    }

    #[test]
    fn a_node_that_stops_is_sent_nothing_more() {
        let stopping = Health::default().readiness(Duration::from_secs(5), true, None);
        assert!(!stopping.ready && stopping.draining && stopping.store.ok, "{stopping:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_whose_bus_is_down_is_ready_and_says_how_late_its_viewers_are() {
        let down = BusStatus::Down { since: Instant::now(), why: "refused".into() };
        let bus = BusPart::new(&down, Duration::from_millis(300));
        let readiness = Health::default().readiness(Duration::from_secs(5), false, Some(bus));
        assert!(readiness.ready && readiness.degraded, "{readiness:?}");
        let bus = readiness.bus.expect("there is one");
        assert!(!bus.ok && bus.since.is_some() && bus.delay_ms == Some(300), "{bus:?}");
        assert!(bus.why.is_some_and(|why| why.contains("counts limits for itself")), "{bus:?}");
    }
}
