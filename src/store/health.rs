//! Health checks of the database.

use std::{iter::repeat_with, sync::atomic::Ordering::Relaxed};

use async_trait::async_trait;
use uuid::Uuid;

use super::connection::{SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::sql;
use crate::kernel::Timestamp;
use crate::store_error::StoreError;

/// Size of a test write, in bytes: more than the free space of existing pages, so that a full disk is detected.
const TEST_WRITE_BYTES: usize = 64 * 1024;

/// Health checks of the database.
#[async_trait]
pub trait DatabaseHealth: Send + Sync + 'static {
    /// Checks that the database responds and accepts writes. Uses a connection that is reserved for the node's lease
    /// and health checks, so that it need not wait for one. Writes only after another write has failed, because
    /// successful writes need no check.
    async fn check(&self) -> Result<(), StoreError>;

    /// Returns the current time of the database's clock, the one clock that all nodes share.
    async fn now(&self) -> Result<Timestamp, StoreError>;
}

#[async_trait]
impl<E: Engine> DatabaseHealth for Database<E> {
    async fn check(&self) -> Result<(), StoreError> {
        let mut own = self.own().await?;
        // No session or node has this id, so the query is one index lookup, and the lease that is started here affects
        // no node's lease.
        let nobody = Uuid::nil();
        own.rows(sql::HEAD, vec![SqlValue::Id(nobody)]).await?;
        if self.refused.swap(false, Relaxed) {
            // Random, because PostgreSQL would compress anything else until it fits an existing page.
            let name: String = repeat_with(fastrand::alphanumeric).take(TEST_WRITE_BYTES).collect();
            let values = vec![
                SqlValue::Id(nobody),
                SqlValue::Text(&name),
                SqlValue::Text(""),
                SqlValue::MaybeText(None),
                int(0),
            ];
            own.run(sql::renew(E::NOW), values).await?;
            own.run(sql::END_LEASE, vec![SqlValue::Id(nobody)]).await?;
        }
        Ok(())
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        let rows = self.reader().await?.rows(sql::clock(E::NOW), vec![]).await?;
        Ok(rows.first().map_or_else(|| Err(unreadable("no time")), |row| row.int(0)).map(Timestamp::from_millis)?)
    }
}
