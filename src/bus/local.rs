//! The bus within one process, for a single server and for tests with several nodes.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::RwLock;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use uuid::Uuid;

use super::{
    AskError, Asked, Bus, BusSettings, BusStatus, Following, Joined, Traffic, Urgency,
    followers::{Followers, Force},
    traffic::count,
};
use crate::{kernel::SessionId, store::NodeId};

/// Meeting point of the nodes in one process.
pub struct Hub {
    /// Name of the meeting point, unique to this process.
    place: String,
    peers: RwLock<BTreeMap<NodeId, Peer>>,
}

struct Peer {
    followers: Arc<Followers>,
    questions: mpsc::Sender<Asked>,
}

impl Hub {
    /// Creates a hub without nodes.
    pub fn new() -> Arc<Self> {
        let place = format!("process {}", Uuid::now_v7().simple());
        Arc::new(Self { place, peers: RwLock::default() })
    }

    /// Adds a node to the hub. The node leaves when its bus is dropped.
    pub fn join(self: &Arc<Self>, node: NodeId, settings: &BusSettings) -> Joined {
        let traffic = Arc::new(Traffic::default());
        let followers = Followers::new(Force::AtOnce, settings.following_bytes, traffic.clone());
        let (asking, questions) = mpsc::channel(settings.questions);
        self.peers.write().insert(node, Peer { followers: followers.clone(), questions: asking });
        let bus = Local {
            hub: self.clone(),
            node,
            followers,
            traffic,
            news_bytes: settings.news_bytes,
            asked: Semaphore::new(settings.questions),
            status: watch::Sender::new(BusStatus::Up),
        };
        Joined { bus: Arc::new(bus), questions, place: self.place.clone() }
    }
}

struct Local {
    hub: Arc<Hub>,
    node: NodeId,
    followers: Arc<Followers>,
    traffic: Arc<Traffic>,
    news_bytes: usize,
    asked: Semaphore,
    status: watch::Sender<BusStatus>,
}

impl Local {
    fn tell(&self, session: SessionId, news: &Bytes) {
        let fits = news.len() <= self.news_bytes;
        count(if fits { &self.traffic.published } else { &self.traffic.dropped });
        let peers = self.hub.peers.read();
        for (_, peer) in peers.iter().filter(|(node, _)| **node != self.node) {
            if fits { peer.followers.hear(session, news) } else { peer.followers.hear_loss(session) }
        }
    }
}

#[async_trait]
impl Bus for Local {
    fn node(&self) -> NodeId {
        self.node
    }

    fn publish(&self, session: SessionId, news: Bytes, _: Urgency) {
        self.tell(session, &news);
    }

    fn follow(&self, session: SessionId) -> Following {
        self.followers.follow(session)
    }

    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, AskError> {
        if question.len() > self.news_bytes {
            return Err(AskError::TooLarge);
        }
        let _place = self.asked.try_acquire().map_err(|_| AskError::Busy)?;
        let there = self.hub.peers.read().get(&node).map(|peer| peer.questions.clone()).ok_or(AskError::Absent)?;
        let (answer, answered) = oneshot::channel();
        let (largest, traffic) = (self.news_bytes, self.traffic.clone());
        let question = Asked::new(self.node, question, move |content| {
            let fits = content.len() <= largest;
            if !fits {
                count(&traffic.dropped);
            }
            // Fails if the requester no longer waits.
            let _ = answer.send(if fits { Ok(content) } else { Err(AskError::TooLarge) });
        });
        there.try_send(question).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AskError::Busy,
            mpsc::error::TrySendError::Closed(_) => AskError::Absent,
        })?;
        let answered = async {
            match answered.await {
                Ok(answer) => answer,
                // Dropped without a reply. The requester sees silence, as it would over a network.
                Err(_) => std::future::pending().await,
            }
        };
        tokio::time::timeout(within, answered).await.unwrap_or(Err(AskError::Late))
    }

    fn status(&self) -> watch::Receiver<BusStatus> {
        self.status.subscribe()
    }

    fn traffic(&self) -> &Traffic {
        &self.traffic
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.hub.peers.write().remove(&self.node);
    }
}
