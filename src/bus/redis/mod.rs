//! The bus over Redis pub/sub: one connection publishes and one subscribes. Both reconnect indefinitely.
//!
//! In a Redis cluster, the channels are sharded channels of one slot, and both connections go to the node that owns it;
//! see [`RedisRoute`]. Several [`BusLane`]s use more of the cluster's nodes. Each lane is a complete bus for a subset
//! of the sessions and nodes.
//!
//! ```text
//! publish, ask ─> Outbox ─> Publisher ──PUBLISH──> Redis ──push──> RedisMessageHandler ─> Followers, PendingRequests
//!                                              Subscriber ──SUBSCRIBE─┘
//! ```

mod channel;
mod connection;
mod error;
mod lane;
mod message_handler;
mod outbox;
mod publisher;
mod requests;
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

pub use self::{error::RedisConnectionError, route::RedisRoute};

use self::lane::{BusLane, LaneContext};
use super::{
    Bus, BusConnection, BusRequestError, BusSettings, BusStatus, BusSubscription, BusTraffic, Urgency,
    status::BusStatusTracker,
};
use crate::kernel::SessionId;
use crate::node_id::NodeId;

/// A URL that is not a valid Redis URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; use redis://user:password@host:port, rediss:// with TLS, or unix:///path/to/socket")]
pub struct RedisUrlError(String);

/// Checks that a Redis URL is valid. Does not connect.
///
/// # Errors
/// Fails if the URL is invalid. The error says which URLs are accepted, and contains no secrets from the URL.
pub fn check_url(url: &str) -> Result<(), RedisUrlError> {
    client(url).map(drop)
}

fn client(url: &str) -> Result<Client, RedisUrlError> {
    // Only these schemes are documented, although the library accepts more.
    if !["redis://", "rediss://", "unix:///"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(RedisUrlError("not a Redis URL".into()));
    }
    // TLS needs a cryptography provider, and a test can get here before the command line installs one. Only the first
    // installation has an effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let invalid = |error: redis::RedisError| RedisUrlError(error.to_string());
    let info = url.into_connection_info().map_err(invalid)?;
    let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
    let tcp = info.tcp_settings().clone().set_nodelay(true);
    Client::open(info.set_redis_settings(settings).set_tcp_settings(tcp)).map_err(invalid)
}

/// Joins the nodes that use this Redis, or the cluster to which it belongs. Returns without waiting: the bus is down
/// until Redis responds. The node leaves when its bus is dropped.
///
/// # Errors
/// Fails if the URL is not a valid Redis URL.
pub fn join(node: NodeId, url: &str, settings: &BusSettings) -> Result<BusConnection, RedisUrlError> {
    let lanes = settings.lanes.get();
    let routes = (0..lanes).map(|lane| RedisRoute::new(url, &slot::lane_tag(&settings.prefix, lane, lanes)));
    let routes = routes.collect::<Result<Vec<_>, _>>()?;
    let (request_sender, requests) = mpsc::channel(settings.max_requests);
    let shared = LaneContext {
        node,
        settings: settings.clone(),
        request_sender,
        status: Arc::new(BusStatusTracker::connecting(lanes)),
        traffic: Arc::default(),
        leaving: CancellationToken::new(),
    };
    let lanes = routes.into_iter().enumerate().map(|(number, route)| shared.open(number, route)).collect();
    let place = meeting_point(client(url)?.get_connection_info().redis_settings().db(), settings);
    let bus = Arc::new(RedisBus { lanes, _leaving: shared.leaving.clone().drop_guard(), shared });
    Ok(BusConnection { bus, requests, place })
}

/// Returns the description of the bus. Pub/sub spans all databases of a Redis server, but the counters of rate limits
/// are in one database, so nodes with different databases do not share limits. Database 0 is omitted, because earlier
/// versions do not include it.
fn meeting_point(database: i64, settings: &BusSettings) -> String {
    let database = if database == 0 { String::new() } else { format!(", database {database}") };
    format!("redis, bus.prefix {}, bus.lanes {}{database}", settings.prefix, settings.lanes)
}

struct RedisBus {
    shared: LaneContext,
    lanes: Box<[BusLane]>,
    _leaving: DropGuard,
}

impl RedisBus {
    /// Returns the lane that carries the messages of a session or node.
    fn lane(&self, id: Uuid) -> &BusLane {
        &self.lanes[(id.as_u128() % self.lanes.len() as u128) as usize]
    }
}

#[async_trait]
impl Bus for RedisBus {
    fn node(&self) -> NodeId {
        self.shared.node
    }

    fn publish(&self, session: SessionId, message: Bytes, urgency: Urgency) {
        self.lane(session.0).outbox.publish(session, message, urgency);
    }

    fn follow(&self, session: SessionId) -> BusSubscription {
        self.lane(session.0).followers.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, BusRequestError> {
        self.lane(node.0).requests.ask(node, question, within).await
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.shared.status.watch()
    }

    fn traffic(&self) -> &BusTraffic {
        &self.shared.traffic
    }
}
