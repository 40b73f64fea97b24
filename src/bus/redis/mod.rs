//! The bus over Redis pub/sub: one connection that publishes, one that subscribes, both made again without end.
//!
//! In a Redis cluster the channels are sharded ones of one slot, and both connections go to the node that owns it: see
//! [`Route`]. To use more of the cluster's nodes there are several [`Lane`]s, each of which is all this for a part of the
//! sessions and nodes.
//!
//! ```text
//! publish, ask ─> Outbox ─> Publisher ──PUBLISH──> Redis ──push──> Incoming ─> Followers, Asking
//!                                              Subscriber ──SUBSCRIBE─┘
//! ```

mod asking;
mod broken;
mod channel;
mod incoming;
mod lane;
mod link;
mod outbox;
mod publisher;
mod route;
mod slot;
mod subscriber;
mod wire;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use redis::{Client, IntoConnectionInfo, ProtocolVersion};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

pub use self::{broken::Broken, route::Route};

use self::lane::{Lane, Shared};
use super::{AskError, Bus, BusSettings, BusStatus, Following, Joined, Traffic, Urgency, status::Status};
use crate::{kernel::SessionId, store::NodeId};

/// A URL that no Redis can be reached by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; accepted is redis://user:password@host:port, rediss:// with TLS, or unix:///path/to/socket")]
pub struct RedisUrlError(String);

/// Whether a Redis may be reached by this URL; does not try.
///
/// # Errors
/// Where it may not, with what is accepted and without what is secret in it.
pub fn check_url(url: &str) -> Result<(), RedisUrlError> {
    client(url).map(drop)
}

fn client(url: &str) -> Result<Client, RedisUrlError> {
    // What this program says it takes, which is less than what the library takes.
    if !["redis://", "rediss://", "unix:///"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(RedisUrlError("this is no URL of a Redis".into()));
    }
    // Only the first call counts. TLS needs a provider of cryptography, and a test may come here before the command line.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let wrong = |error: redis::RedisError| RedisUrlError(error.to_string());
    let info = url.into_connection_info().map_err(wrong)?;
    let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
    let tcp = info.tcp_settings().clone().set_nodelay(true);
    Client::open(info.set_redis_settings(settings).set_tcp_settings(tcp)).map_err(wrong)
}

/// Join the nodes that meet at this Redis, or at the cluster that it is a node of. Waits for nothing: the bus is down until
/// Redis answers. The node leaves when its bus is dropped.
///
/// # Errors
/// Where the URL is not one of a Redis.
pub fn join(node: NodeId, url: &str, settings: &BusSettings) -> Result<Joined, RedisUrlError> {
    let lanes = settings.lanes.get();
    let routes = (0..lanes).map(|lane| Route::new(url, &slot::word(&settings.prefix, lane, lanes)));
    let routes = routes.collect::<Result<Vec<_>, _>>()?;
    let (asked, questions) = mpsc::channel(settings.questions);
    let shared = Shared {
        node,
        settings: settings.clone(),
        asked,
        status: Arc::new(Status::connecting(lanes)),
        traffic: Arc::default(),
        leaving: CancellationToken::new(),
    };
    let lanes = routes.into_iter().enumerate().map(|(number, route)| shared.open(number, route)).collect();
    let place = place(client(url)?.get_connection_info().redis_settings().db(), settings);
    let bus = Arc::new(OverRedis { lanes, _leaving: shared.leaving.clone().drop_guard(), shared });
    Ok(Joined { bus, questions, place })
}

/// News goes through all databases of a Redis, but the limits' counts are in one: who names another does not share them.
/// The first goes without saying: earlier versions do not name it.
fn place(database: i64, settings: &BusSettings) -> String {
    let database = if database == 0 { String::new() } else { format!(", database {database}") };
    format!("redis, bus.prefix {}, bus.lanes {}{database}", settings.prefix, settings.lanes)
}

struct OverRedis {
    shared: Shared,
    lanes: Box<[Lane]>,
    _leaving: DropGuard,
}

impl OverRedis {
    /// Whose channels are where what concerns a session or a node is said.
    fn lane(&self, id: Uuid) -> &Lane {
        &self.lanes[(id.as_u128() % self.lanes.len() as u128) as usize]
    }
}

#[async_trait]
impl Bus for OverRedis {
    fn node(&self) -> NodeId {
        self.shared.node
    }

    fn publish(&self, session: SessionId, news: Bytes, urgency: Urgency) {
        self.lane(session.0).outbox.tell(session, news, urgency);
    }

    fn follow(&self, session: SessionId) -> Following {
        self.lane(session.0).followers.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, AskError> {
        self.lane(node.0).asking.ask(node, question, within).await
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.shared.status.watch()
    }

    fn traffic(&self) -> &Traffic {
        &self.shared.traffic
    }
}
