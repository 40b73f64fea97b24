//! Which node may write a session's log, where several nodes share one database.

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Fence, StoreError,
    connection::{Cells, Connection, Value, int, unreadable},
    database::Database,
    engine::Engine,
    sql,
};

/// One server process from its start to its end; a restart is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub Uuid);

impl NodeId {
    /// An id that no process had before.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }
}

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "n_{}", self.0.simple())
    }
}

/// A node with a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Living {
    /// Which.
    pub node: NodeId,
    /// What operators call it.
    pub name: String,
    /// Its version of Roundtable.
    pub version: String,
    /// Where it meets the others: nodes that say different things do not hear each other. None: its version does not say.
    pub bus: Option<String>,
}

/// An unbroken stretch of a node's lease; one that was over before it was renewed begins another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term(pub u64);

/// Where a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The seq of its last event; 0 where there is no such session.
    pub head: u64,
    /// The living node that has claimed it.
    pub owner: Option<NodeId>,
    /// The node that has claimed it, living or not.
    pub claimer: Option<NodeId>,
    /// The latest claim's; 0 where nobody ever claimed it.
    pub fence: Fence,
}

/// Why a session cannot be claimed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClaimError {
    /// Another node has it, and lives, or has time yet to renew its lease.
    #[error("{0} has claimed the session")]
    Held(NodeId),
    /// It is not the claimer's any more, or was never as far as it had seen.
    #[error("the session was claimed since, given back or removed")]
    Taken,
    /// The claimer's own lease is over, or was never begun.
    #[error("the node's own lease is over")]
    Lapsed,
    /// The store did not answer. The claim did not happen.
    #[error(transparent)]
    Unavailable(#[from] StoreError),
    /// The store did not answer. The claim may have happened: then nobody else may have the session.
    #[error("{0}")]
    Unanswered(StoreError),
}

/// The leases of the nodes that share a database, by the database's clock: no clock of a node decides.
///
/// Laws, each with a test of its own in `tests/it/lease_laws.rs`:
/// 1. While a node lives, nobody else claims what it has claimed.
/// 2. Once its lease is over it writes nothing, whether or not somebody else has claimed the session.
/// 3. What a dead node left unfinished is an orphan, and one living node gets it.
/// 4. A node whose own lease was over takes nothing over for a lease's time after it has renewed it: after an outage of the
///    database all leases are over, and nobody is dead.
#[async_trait]
pub trait Leases: Send + Sync + 'static {
    /// Begin or extend a node's lease: it lives for `ttl` from now.
    async fn renew(&self, node: &Living, ttl: Duration) -> Result<Term, StoreError>;

    /// The other nodes that live.
    async fn others(&self, than: NodeId) -> Result<Vec<Living>, StoreError>;

    /// End a node's lease: what it had claimed is free.
    async fn end(&self, node: NodeId) -> Result<(), StoreError>;

    /// Forget nodes whose lease ended long ago.
    async fn forget_dead(&self) -> Result<(), StoreError>;
}

#[async_trait]
impl<E: Engine> Leases for Database<E> {
    async fn renew(&self, node: &Living, ttl: Duration) -> Result<Term, StoreError> {
        let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let (id, bus) = (Value::Id(node.node.0), Value::MaybeText(node.bus.as_deref()));
        let values = vec![id, Value::Text(&node.name), Value::Text(&node.version), bus, int(ttl)];
        let rows = self.own().await?.rows(sql::renew(E::NOW), values).await?;
        Ok(rows.first().map_or_else(|| Err(unreadable("no term")), |row| row.int(0)).map(Term)?)
    }

    async fn others(&self, than: NodeId) -> Result<Vec<Living>, StoreError> {
        let rows = self.reader().await?.rows(sql::others(E::NOW), vec![Value::Id(than.0)]).await?;
        let living = |row: &<E::Connection as Connection>::Row| {
            let (node, name, version) = (NodeId(row.id(0)?), row.text(1)?, row.text(2)?);
            Ok(Living { node, name, version, bus: row.maybe_text(3)? })
        };
        Ok(rows.iter().map(living).collect::<Result<_, sqlx::Error>>()?)
    }

    async fn end(&self, node: NodeId) -> Result<(), StoreError> {
        self.own().await?.run(sql::END_LEASE, vec![Value::Id(node.0)]).await?;
        Ok(())
    }

    async fn forget_dead(&self) -> Result<(), StoreError> {
        self.writer().await?.run(sql::forget_dead(E::NOW), vec![]).await?;
        Ok(())
    }
}
