//! One lane of the bus: the channels for a subset of the sessions and nodes, in one slot of a Redis cluster, with one
//! connection for publishing and one for subscribing.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    RedisRoute, channel::Channels, connection::RedisConnection, message_handler::RedisMessageHandler, outbox::Outbox,
    publisher::Publisher, requests::PendingRequests, subscriber::Subscriber,
};
use crate::bus::followers::{DeliveryStart, Followers};
use crate::bus::status::{BusStatusTracker, LaneSide};
use crate::bus::{BusRequest, BusSettings, BusTraffic};
use crate::node_id::NodeId;

/// The bus for a subset of the sessions and nodes.
pub(super) struct BusLane {
    pub(super) outbox: Arc<Outbox>,
    pub(super) followers: Arc<Followers>,
    pub(super) requests: Arc<PendingRequests>,
}

/// State that the lanes of a node share.
pub(super) struct LaneContext {
    pub(super) node: NodeId,
    pub(super) settings: BusSettings,
    pub(super) request_sender: mpsc::Sender<BusRequest>,
    pub(super) status: Arc<BusStatusTracker>,
    pub(super) traffic: Arc<BusTraffic>,
    pub(super) leaving: CancellationToken,
}

impl LaneContext {
    /// Opens the lane with this number over this route.
    pub(super) fn open(&self, number: usize, route: RedisRoute) -> BusLane {
        let Self { node, settings, request_sender, status, traffic, leaving } = self;
        let route = Arc::new(route);
        let channels = Arc::new(Channels::new(route.tag(), *node));
        let followers = Followers::new(DeliveryStart::WhenConfirmed, settings.max_follower_bytes, traffic.clone());
        let outbox = Arc::new(Outbox::new(settings, traffic.clone()));
        let requests =
            Arc::new(PendingRequests::new(*node, settings.max_requests, outbox.clone(), request_sender.clone()));
        let incoming = Arc::new(RedisMessageHandler::new(channels.clone(), followers.clone(), requests.clone()));
        let link = |side| {
            RedisConnection::new(route.clone(), settings.clone(), (number, side), status.clone(), traffic.clone())
        };
        let publisher = Publisher::new(link(LaneSide::Publishing), *node, outbox.clone(), channels.clone());
        let subscriber = Subscriber::new(link(LaneSide::Subscribing), channels, followers.clone(), incoming);
        tokio::spawn(leaving.clone().run_until_cancelled_owned(publisher.run()));
        tokio::spawn(leaving.clone().run_until_cancelled_owned(subscriber.run()));
        BusLane { outbox, followers, requests }
    }
}
