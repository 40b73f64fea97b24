//! The bus over Redis pub/sub: one connection that publishes, one that subscribes, both made again without end.
//!
//! In a Redis cluster the channels are sharded ones of one slot, and both connections go to the node that owns it: see
//! [`Route`].
//!
//! ```text
//! publish, announce, ask ─> Outbox ─> Publisher ──PUBLISH──> Redis ──push──> Incoming ─> Followers, Asking
//!                                              Subscriber ──SUBSCRIBE─┘
//! ```

mod asking;
mod broken;
mod channel;
mod incoming;
mod link;
mod outbox;
mod publisher;
mod route;
mod subscriber;
mod wire;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use redis::{Client, IntoConnectionInfo, ProtocolVersion};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::{broken::Broken, route::Route};

use self::{
    asking::Asking, channel::Channels, incoming::Incoming, link::Link, outbox::Outbox, publisher::Publisher,
    subscriber::Subscriber,
};
use super::{
    AskError, Bus, BusSettings, BusStatus, Following, Joined, Traffic, Urgency,
    followers::{Followers, Force},
    status::{Side, Status},
    topic::Topic,
};
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

/// Join the nodes that meet at this Redis, or at the cluster of this Redis. Waits for nothing: the bus is down until Redis answers. The node leaves when
/// its bus is dropped.
///
/// # Errors
/// Where the URL is not one of a Redis.
pub fn join(node: NodeId, url: &str, settings: &BusSettings) -> Result<Joined, RedisUrlError> {
    let route = Arc::new(Route::new(url, &settings.prefix)?);
    let traffic = Arc::new(Traffic::default());
    let status = Arc::new(Status::connecting());
    let channels = Arc::new(Channels::new(route.tag(), node));
    let followers = Followers::new(Force::WhenConfirmed, settings.following_bytes, traffic.clone());
    let outbox = Arc::new(Outbox::new(settings, traffic.clone()));
    let (asked, questions) = mpsc::channel(settings.questions);
    let asking = Arc::new(Asking::new(node, settings.questions, outbox.clone(), asked));
    let incoming = Arc::new(Incoming::new(channels.clone(), followers.clone(), asking.clone()));
    let link = |side| Link::new(route.clone(), settings.clone(), side, status.clone(), traffic.clone());
    let publisher = Publisher::new(link(Side::Publishing), node, outbox.clone(), channels.clone());
    let subscriber = Subscriber::new(link(Side::Subscribing), channels, followers.clone(), incoming);
    let leaving = CancellationToken::new();
    tokio::spawn(leaving.clone().run_until_cancelled_owned(publisher.run()));
    tokio::spawn(leaving.clone().run_until_cancelled_owned(subscriber.run()));
    let bus = OverRedis { node, outbox, followers, asking, status, traffic, _leaving: leaving.drop_guard() };
    Ok(Joined { bus: Arc::new(bus), questions })
}

struct OverRedis {
    node: NodeId,
    outbox: Arc<Outbox>,
    followers: Arc<Followers>,
    asking: Arc<Asking>,
    status: Arc<Status>,
    traffic: Arc<Traffic>,
    _leaving: DropGuard,
}

#[async_trait]
impl Bus for OverRedis {
    fn node(&self) -> NodeId {
        self.node
    }

    fn publish(&self, session: SessionId, news: Bytes, urgency: Urgency) {
        self.outbox.tell(Topic::Session(session), news, urgency);
    }

    fn follow(&self, session: SessionId) -> Following {
        self.followers.follow(Topic::Session(session))
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, AskError> {
        self.asking.ask(node, question, within).await
    }

    fn announce(&self, news: Bytes) {
        self.outbox.tell(Topic::Everybody, news, Urgency::Now);
    }

    fn announcements(&self) -> Following {
        self.followers.follow(Topic::Everybody)
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.status.watch()
    }

    fn traffic(&self) -> &Traffic {
        &self.traffic
    }
}
