//! What nodes of one cluster tell each other: the bus carries news, the store carries facts. Losing all of it costs
//! latency, never an event. Contents are opaque here; what they mean is known to who publishes and who follows.
//!
//! The laws on [`Bus`] hold within one process, over Redis and over a Redis cluster; `tests/it/bus_laws.rs` runs one suite
//! on all.

mod asked;
mod followers;
mod following;
mod local;
pub mod redis;
mod settings;
mod status;
mod traffic;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::{mpsc, watch};

pub use asked::{AskError, Asked};
pub use following::{Following, Heard};
pub use local::Hub;
pub use settings::BusSettings;
pub use status::BusStatus;
pub use traffic::Traffic;

use crate::{kernel::SessionId, store::NodeId};

/// Whether news may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// Goes out at once, and what waits before it goes first.
    Now,
    /// May wait for a moment, so that there is one write in a [`BusSettings::window_ms`] at most.
    Soon,
}

/// A node's place among the others.
pub struct Joined {
    /// To tell, to follow and to ask.
    pub bus: Arc<dyn Bus>,
    /// What the others ask this node, [`BusSettings::questions`] of them at most; without this receiver nobody of this
    /// node's id is there to be asked.
    pub questions: mpsc::Receiver<Asked>,
    /// Where its nodes meet, in words: those that say others do not hear it. Never a secret, nor a host, as a cluster has
    /// many.
    pub place: String,
}

/// News between nodes: at most once, in order per publisher and session, never a fact by itself.
///
/// Laws, each with a test of its own in `tests/it/bus_laws.rs`:
/// 1. News of one publisher about one session is heard in the order in which it was published, each at most once.
/// 2. A node does not hear itself.
/// 3. A follower first hears [`Heard::Lost`], once news really reaches it: who reads the store then misses nothing.
/// 4. What a follower could not be given is made up for by one `Lost`, before anything that came later: news that was
///    too large or too much, a connection that broke, a follower that was too slow.
/// 5. After a [`Following`] is dropped nothing of it is left, here or at the server.
/// 6. `publish` never waits, whatever state the bus is in.
/// 7. A question reaches the node that it is for and no other, once; the asker gets its answer or an error in time.
/// 8. A bus that broke works again by itself.
#[async_trait]
pub trait Bus: Send + Sync + 'static {
    /// This node.
    fn node(&self) -> NodeId;

    /// Tell the other nodes that follow this session. What cannot go out is dropped and counted.
    fn publish(&self, session: SessionId, news: Bytes, urgency: Urgency);

    /// Hear a session's news from other nodes until dropped; several followers on a node share one subscription.
    fn follow(&self, session: SessionId) -> Following;

    /// Ask one node, or this one, and wait for its answer. A question whose answer did not come may have been heard.
    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, AskError>;

    /// Whether the bus works, and a watch on changes.
    fn status(&self) -> watch::Receiver<BusStatus>;

    /// What it carried.
    fn traffic(&self) -> &Traffic;
}
