//! The bus within one process, for a single server and for tests with several nodes.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::RwLock;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use uuid::Uuid;

use super::{
    Bus, BusConnection, BusRequest, BusRequestError, BusSettings, BusStatus, BusSubscription, BusTraffic, Urgency,
    followers::{DeliveryStart, Followers},
    traffic::count,
};
use crate::kernel::SessionId;
use crate::node_id::NodeId;

/// Hub that connects the nodes in one process.
pub struct Hub {
    /// Name of the hub, unique to this process.
    place: String,
    peers: RwLock<BTreeMap<NodeId, LocalPeer>>,
}

struct LocalPeer {
    followers: Arc<Followers>,
    requests: mpsc::Sender<BusRequest>,
}

impl Hub {
    /// Creates a hub without nodes.
    pub fn new() -> Arc<Self> {
        let place = format!("process {}", Uuid::now_v7().simple());
        Arc::new(Self { place, peers: RwLock::default() })
    }

    /// Adds a node to the hub. The node leaves when its bus is dropped.
    pub fn join(self: &Arc<Self>, node: NodeId, settings: &BusSettings) -> BusConnection {
        let traffic = Arc::new(BusTraffic::default());
        let followers = Followers::new(DeliveryStart::AtOnce, settings.max_follower_bytes, traffic.clone());
        let (sender, requests) = mpsc::channel(settings.max_requests);
        self.peers.write().insert(node, LocalPeer { followers: followers.clone(), requests: sender });
        let bus = LocalBus {
            hub: self.clone(),
            node,
            followers,
            traffic,
            max_message_bytes: settings.max_message_bytes,
            request_slots: Semaphore::new(settings.max_requests),
            status: watch::Sender::new(BusStatus::Up),
        };
        BusConnection { bus: Arc::new(bus), requests, place: self.place.clone() }
    }
}

struct LocalBus {
    hub: Arc<Hub>,
    node: NodeId,
    followers: Arc<Followers>,
    traffic: Arc<BusTraffic>,
    max_message_bytes: usize,
    request_slots: Semaphore,
    status: watch::Sender<BusStatus>,
}

impl LocalBus {
    fn send_message(&self, session: SessionId, message: &Bytes) {
        let fits = message.len() <= self.max_message_bytes;
        count(if fits { &self.traffic.published } else { &self.traffic.dropped });
        let peers = self.hub.peers.read();
        for (_, peer) in peers.iter().filter(|(node, _)| **node != self.node) {
            if fits { peer.followers.deliver(session, message) } else { peer.followers.report_loss(session) }
        }
    }
}

#[async_trait]
impl Bus for LocalBus {
    fn node(&self) -> NodeId {
        self.node
    }

    fn publish(&self, session: SessionId, message: Bytes, _: Urgency) {
        self.send_message(session, &message);
    }

    fn follow(&self, session: SessionId) -> BusSubscription {
        self.followers.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, BusRequestError> {
        if question.len() > self.max_message_bytes {
            return Err(BusRequestError::TooLarge);
        }
        let _place = self.request_slots.try_acquire().map_err(|_| BusRequestError::Busy)?;
        let there =
            self.hub.peers.read().get(&node).map(|peer| peer.requests.clone()).ok_or(BusRequestError::Absent)?;
        let (answer, answered) = oneshot::channel();
        let (largest, traffic) = (self.max_message_bytes, self.traffic.clone());
        let question = BusRequest::new(self.node, question, move |content| {
            let fits = content.len() <= largest;
            if !fits {
                count(&traffic.dropped);
            }
            // Fails if the requester no longer waits.
            let _ = answer.send(if fits { Ok(content) } else { Err(BusRequestError::TooLarge) });
        });
        there.try_send(question).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => BusRequestError::Busy,
            mpsc::error::TrySendError::Closed(_) => BusRequestError::Absent,
        })?;
        let answered = async {
            match answered.await {
                Ok(answer) => answer,
                // The request was dropped without a reply, so the requester receives nothing, as over a network.
                Err(_) => std::future::pending().await,
            }
        };
        tokio::time::timeout(within, answered).await.unwrap_or(Err(BusRequestError::Late))
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.status.subscribe()
    }

    fn traffic(&self) -> &BusTraffic {
        &self.traffic
    }
}

impl Drop for LocalBus {
    fn drop(&mut self) {
        self.hub.peers.write().remove(&self.node);
    }
}
