//! One lane of the bus: the channels of a part of all sessions and nodes, in one slot of a Redis cluster, with one
//! connection to publish and one to subscribe.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    Route, asking::Asking, channel::Channels, incoming::Incoming, link::Link, outbox::Outbox, publisher::Publisher,
    subscriber::Subscriber,
};
use crate::{
    bus::{
        Asked, BusSettings, Traffic,
        followers::{Followers, Force},
        status::{Side, Status},
    },
    store::NodeId,
};

/// The bus for a part of all sessions and nodes.
pub(super) struct Lane {
    pub(super) outbox: Arc<Outbox>,
    pub(super) followers: Arc<Followers>,
    pub(super) asking: Arc<Asking>,
}

/// State that the lanes of a node share.
pub(super) struct Shared {
    pub(super) node: NodeId,
    pub(super) settings: BusSettings,
    pub(super) asked: mpsc::Sender<Asked>,
    pub(super) status: Arc<Status>,
    pub(super) traffic: Arc<Traffic>,
    pub(super) leaving: CancellationToken,
}

impl Shared {
    /// Opens the lane with this number over this route.
    pub(super) fn open(&self, number: usize, route: Route) -> Lane {
        let Self { node, settings, asked, status, traffic, leaving } = self;
        let route = Arc::new(route);
        let channels = Arc::new(Channels::new(route.tag(), *node));
        let followers = Followers::new(Force::WhenConfirmed, settings.following_bytes, traffic.clone());
        let outbox = Arc::new(Outbox::new(settings, traffic.clone()));
        let asking = Arc::new(Asking::new(*node, settings.questions, outbox.clone(), asked.clone()));
        let incoming = Arc::new(Incoming::new(channels.clone(), followers.clone(), asking.clone()));
        let link = |side| Link::new(route.clone(), settings.clone(), (number, side), status.clone(), traffic.clone());
        let publisher = Publisher::new(link(Side::Publishing), *node, outbox.clone(), channels.clone());
        let subscriber = Subscriber::new(link(Side::Subscribing), channels, followers.clone(), incoming);
        tokio::spawn(leaving.clone().run_until_cancelled_owned(publisher.run()));
        tokio::spawn(leaving.clone().run_until_cancelled_owned(subscriber.run()));
        Lane { outbox, followers, asking }
    }
}
