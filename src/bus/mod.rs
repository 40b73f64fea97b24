//! Messages between the nodes of one cluster. The bus carries notifications and the store holds the facts: losing every
//! message costs latency, never an event. Contents are opaque here; only publishers and followers interpret them.
//!
//! The laws on [`Bus`] hold within one process, over Redis and over a Redis cluster. `tests/it/bus_laws.rs` runs one
//! suite on all three.

mod followers;
mod local;
pub mod redis;
mod request;
mod settings;
mod status;
mod subscription;
mod traffic;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::{mpsc, watch};

pub use local::Hub;
pub use request::{BusRequest, BusRequestError};
pub use settings::BusSettings;
pub use status::BusStatus;
pub use subscription::{BusSubscription, InboxItem};
pub use traffic::BusTraffic;

use crate::kernel::SessionId;
use crate::node_id::NodeId;

/// Urgency of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// Sent immediately, together with everything queued before it.
    Now,
    /// Can be delayed, so that there is at most one write in [`BusSettings::batch_delay_ms`] milliseconds.
    Soon,
}

/// A node's connection to the other nodes.
pub struct BusConnection {
    /// The bus, for publishing, following and sending requests.
    pub bus: Arc<dyn Bus>,
    /// Requests from other nodes, of which up to [`BusSettings::max_requests`] can wait. Once this receiver is dropped,
    /// requests to this node fail with [`BusRequestError::Absent`].
    pub requests: mpsc::Receiver<BusRequest>,
    /// Description of the bus. Nodes with a different description do not receive this node's messages. Contains neither
    /// secrets nor host names, because a cluster has many hosts.
    pub place: String,
}

/// Messages between nodes: at most once, in order per publisher and session, never a fact by itself.
///
/// Laws, each with its own test in `tests/it/bus_laws.rs`:
/// 1. Messages of one publisher about one session arrive in the order in which they were published, each at most once.
/// 2. A node does not receive its own messages.
/// 3. Once messages start to reach a follower, it first receives [`InboxItem::Lost`]. A follower that then reads the
///    store misses nothing.
/// 4. Messages that could not be delivered are replaced by one `Lost`, before any later message. This can happen
///    because of a message that is too large, too many messages, a broken connection or a slow follower.
/// 5. A dropped [`BusSubscription`] leaves nothing behind, neither here nor on the Redis server.
/// 6. `publish` never waits, whatever state the bus is in.
/// 7. A request reaches its target node and no other, once. The requester gets its reply or an error in time.
/// 8. A broken bus recovers without intervention.
#[async_trait]
pub trait Bus: Send + Sync + 'static {
    /// Returns the id of this node.
    fn node(&self) -> NodeId;

    /// Publishes a message to the other nodes that follow this session. A message that cannot be sent is dropped and
    /// counted.
    fn publish(&self, session: SessionId, message: Bytes, urgency: Urgency);

    /// Follows a session's messages from other nodes until the returned subscription is dropped. Several followers on a
    /// node share one subscription.
    fn follow(&self, session: SessionId) -> BusSubscription;

    /// Sends a request to a node, this one included, and waits for its reply. After an error, the request might still
    /// have been delivered.
    async fn ask(&self, node: NodeId, question: Bytes, within: Duration) -> Result<Bytes, BusRequestError>;

    /// Returns a receiver of the bus's current status and its changes.
    fn status(&self) -> watch::Receiver<BusStatus>;

    /// Returns the traffic counters.
    fn traffic(&self) -> &BusTraffic;
}
