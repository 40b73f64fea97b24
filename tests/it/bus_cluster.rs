//! Several nodes on one bus, of any kind, for a single test.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use roundtable::bus::{self, Bus, BusConnection, BusRequest, BusSettings, BusSubscription, Hub, InboxItem};
use roundtable::kernel::SessionId;
use roundtable::node_id::NodeId;
use tokio::{sync::mpsc, time::timeout};

use crate::{redis, redis_cluster};

/// Longer than any expected event takes.
pub const TIMEOUT: Duration = Duration::from_secs(20);

/// The bus that connects the nodes of one test.
pub enum BusHarness {
    /// A bus within one process.
    Local(Arc<Hub>),
    /// A Redis server at one URL or a Redis cluster at several, with a prefix. Each node starts with the next URL.
    Redis { urls: Vec<String>, prefix: String, lanes: usize, joined: AtomicUsize },
}

/// A node on the bus.
pub struct BusNode {
    pub id: NodeId,
    pub bus: Arc<dyn Bus>,
    pub requests: mpsc::Receiver<BusRequest>,
}

impl BusHarness {
    /// Creates a local bus without nodes.
    pub async fn local() -> Self {
        Self::Local(Hub::new())
    }

    /// Creates a bus on the Redis server that all tests share.
    pub async fn redis() -> Self {
        Self::on_redis(redis::shared())
    }

    /// Creates a bus on the Redis cluster that all tests share, and uses both of its halves.
    pub async fn redis_cluster() -> Self {
        Self::on_redis_cluster(redis_cluster::shared(), NodeId::fresh().to_string(), 2)
    }

    /// Creates a bus on this Redis server.
    pub fn on_redis(url: String) -> Self {
        Self::on_redis_cluster(vec![url], NodeId::fresh().to_string(), 1)
    }

    /// Creates a bus on this Redis cluster, with this prefix and number of lanes.
    pub fn on_redis_cluster(urls: Vec<String>, prefix: String, lanes: usize) -> Self {
        Self::Redis { urls, prefix, lanes, joined: AtomicUsize::new(0) }
    }

    /// Adds a node, and waits until its bus works.
    pub async fn join(&self) -> BusNode {
        self.join_with(&BusSettings::default()).await
    }

    /// Adds a node with its own settings, and waits until its bus works.
    pub async fn join_with(&self, settings: &BusSettings) -> BusNode {
        let member = self.add_node(settings);
        member.wait_for_status(true).await;
        member
    }

    /// Adds a node without waiting until its bus works.
    pub fn add_node(&self, settings: &BusSettings) -> BusNode {
        let id = NodeId::fresh();
        let BusConnection { bus, requests, .. } = match self {
            Self::Local(hub) => hub.join(id, settings),
            Self::Redis { urls, prefix, lanes, joined } => {
                let lanes = (*lanes).try_into().expect("is not 0");
                let settings = BusSettings { prefix: prefix.clone(), lanes, ..settings.clone() };
                let url = &urls[joined.fetch_add(1, Relaxed) % urls.len()];
                bus::redis::join(id, url, &settings).expect("is a URL")
            }
        };
        BusNode { id, bus, requests }
    }

    /// Waits until this many nodes follow the session on the Redis servers, if there are any.
    pub async fn wait_for_followers(&self, session: SessionId, nodes: usize) {
        self.wait_for_listeners(&session.to_string(), nodes);
    }

    /// Waits until a stopped node is also gone from the Redis servers.
    pub async fn wait_until_gone(&self, node: NodeId) {
        self.wait_for_listeners(&node.to_string(), 0);
    }

    fn wait_for_listeners(&self, name: &str, nodes: usize) {
        let Self::Redis { urls, .. } = self else { return };
        let mut servers: Vec<_> = urls.iter().map(|url| redis::raw(url)).collect();
        let began = Instant::now();
        while servers.iter_mut().map(|raw| redis::listeners(raw, name)).sum::<usize>() != nodes {
            assert!(began.elapsed() < TIMEOUT, "{name} is not heard by {nodes}");
        }
    }
}

impl BusNode {
    /// Waits until the bus is up or, if `up` is false, until it is down.
    pub async fn wait_for_status(&self, up: bool) {
        let mut status = self.bus.status();
        let changed = status.wait_for(|status| status.is_up() == up);
        timeout(TIMEOUT, changed).await.expect("the status changes in time").expect("the bus lives");
    }

    /// Replies to every request with this text, followed by the content of the request.
    pub fn reply_to_all(self, answer: &'static str) {
        tokio::spawn(async move {
            let Self { bus: _bus, mut requests, .. } = self;
            while let Some(question) = requests.recv().await {
                let content = String::from_utf8_lossy(&question.content).into_owned();
                question.reply(format!("{answer} {content}").into());
            }
        });
    }
}

/// Returns the next item for a follower.
pub async fn next(subscription: &mut BusSubscription) -> InboxItem {
    timeout(TIMEOUT, subscription.next()).await.expect("something is heard in time")
}

/// Returns the message that a follower receives next.
pub async fn next_message(subscription: &mut BusSubscription) -> String {
    match next(subscription).await {
        InboxItem::Message(message) => String::from_utf8(message.to_vec()).expect("is text"),
        InboxItem::Lost => panic!("a loss is heard where there was none"),
    }
}

/// Waits until messages reach a subscription. Returns the subscription.
pub async fn wait_until_active(mut subscription: BusSubscription) -> BusSubscription {
    assert_eq!(next(&mut subscription).await, InboxItem::Lost, "a follower first reads the store");
    subscription
}

/// Returns a text as a message.
pub fn text(text: impl Into<String>) -> Bytes {
    Bytes::from(text.into())
}

/// Defines one test per law and kind of bus.
macro_rules! on_all_buses {
    ($($law:ident),+ $(,)?) => {
        mod local {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                super::$law(crate::bus_cluster::BusHarness::local().await).await;
            })+
        }

        mod redis {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                super::$law(crate::bus_cluster::BusHarness::redis().await).await;
            })+
        }

        mod redis_cluster {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                super::$law(crate::bus_cluster::BusHarness::redis_cluster().await).await;
            })+
        }
    };
}
pub(crate) use on_all_buses;
