//! Leases, which decide which node can write a session's log when several nodes share one database.

use std::time::Duration;

use async_trait::async_trait;

use super::connection::{DatabaseConnection, SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::{Fence, sql};
use crate::node_id::NodeId;
use crate::store_error::StoreError;

/// A node with a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveNode {
    /// Id of the node.
    pub node: NodeId,
    /// Name of the node, for operators.
    pub name: String,
    /// Version of Roundtable that the node runs.
    pub version: String,
    /// Description of the node's bus. Nodes with different descriptions do not receive each other's messages. `None` if
    /// the node's version does not report it.
    pub bus: Option<String>,
}

/// An uninterrupted period of a node's lease. Renewing an expired lease starts a new term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTerm(pub u64);

/// Position and owner of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionOwnership {
    /// Seq of the last event; 0 if there is no such session.
    pub head: u64,
    /// The live node that has claimed the session.
    pub owner: Option<NodeId>,
    /// The node that has claimed the session, live or dead.
    pub claimer: Option<NodeId>,
    /// Fence of the latest claim; 0 if the session was never claimed.
    pub fence: Fence,
}

/// Reason why a session cannot be claimed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClaimError {
    /// Another node has claimed the session, and is live or still has time to renew its lease.
    #[error("{0} has claimed the session")]
    Held(NodeId),
    /// The session no longer belongs to the claimer, or another claim preceded this one.
    #[error("the session was claimed again, released or removed")]
    Taken,
    /// The claimer's own lease has expired or never started.
    #[error("the node's own lease has expired")]
    Lapsed,
    /// The store did not respond. The claim did not happen.
    #[error(transparent)]
    Unavailable(#[from] StoreError),
    /// The store did not respond. If the claim happened anyway, no other node can claim the session.
    #[error("{0}")]
    NoReply(StoreError),
}

/// The leases of the nodes that share a database. Only the database's clock counts, never a node's clock.
///
/// Laws, each with its own test in `tests/it/lease_laws.rs`:
/// 1. While a node is live, no other node claims its sessions.
/// 2. Once its lease has expired, a node writes nothing, whether or not another node has claimed the session.
/// 3. The unfinished sessions of a dead node are orphans, and one live node gets each of them.
/// 4. A node whose own lease had expired takes over nothing for one lease period after it renews the lease. After a
///    database outage, all leases have expired even though no node is dead.
#[async_trait]
pub trait LeaseStore: Send + Sync + 'static {
    /// Starts a node's lease, or extends it until `ttl` from now. Returns its term.
    async fn renew(&self, node: &LiveNode, ttl: Duration) -> Result<LeaseTerm, StoreError>;

    /// Returns the live nodes other than `than`.
    async fn others(&self, than: NodeId) -> Result<Vec<LiveNode>, StoreError>;

    /// Ends a node's lease, which frees its sessions.
    async fn end(&self, node: NodeId) -> Result<(), StoreError>;

    /// Deletes nodes whose lease expired long ago.
    async fn remove_expired_nodes(&self) -> Result<(), StoreError>;
}

#[async_trait]
impl<E: Engine> LeaseStore for Database<E> {
    async fn renew(&self, node: &LiveNode, ttl: Duration) -> Result<LeaseTerm, StoreError> {
        let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let (id, bus) = (SqlValue::Id(node.node.0), SqlValue::MaybeText(node.bus.as_deref()));
        let values = vec![id, SqlValue::Text(&node.name), SqlValue::Text(&node.version), bus, int(ttl)];
        let rows = self.own().await?.rows(sql::renew(E::NOW), values).await?;
        Ok(rows.first().map_or_else(|| Err(unreadable("no term")), |row| row.int(0)).map(LeaseTerm)?)
    }

    async fn others(&self, than: NodeId) -> Result<Vec<LiveNode>, StoreError> {
        let rows = self.reader().await?.rows(sql::others(E::NOW), vec![SqlValue::Id(than.0)]).await?;
        let living = |row: &<E::Connection as DatabaseConnection>::Row| {
            let (node, name, version) = (NodeId(row.id(0)?), row.text(1)?, row.text(2)?);
            Ok(LiveNode { node, name, version, bus: row.maybe_text(3)? })
        };
        Ok(rows.iter().map(living).collect::<Result<_, sqlx::Error>>()?)
    }

    async fn end(&self, node: NodeId) -> Result<(), StoreError> {
        self.own().await?.run(sql::END_LEASE, vec![SqlValue::Id(node.0)]).await?;
        Ok(())
    }

    async fn remove_expired_nodes(&self) -> Result<(), StoreError> {
        self.writer().await?.run(sql::remove_expired_nodes(E::NOW), vec![]).await?;
        Ok(())
    }
}
