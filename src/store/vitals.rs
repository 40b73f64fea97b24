//! How the database is, as its node asks now and then.

use std::{iter::repeat_with, sync::atomic::Ordering::Relaxed};

use async_trait::async_trait;
use uuid::Uuid;

use super::{
    StoreError,
    connection::{Cells, Value, int, unreadable},
    database::Database,
    engine::Engine,
    sql,
};
use crate::kernel::Timestamp;

/// Bytes that a try writes: more than fits beside what is there, so that a full disk is noticed.
const TRY: usize = 64 * 1024;

/// How the database is.
#[async_trait]
pub trait Vitals: Send + Sync + 'static {
    /// Whether it answers, and takes what is written. It is not asked behind the statements of others, nor written to while
    /// what is written is taken anyway: only after a write that failed does a look write too.
    async fn look(&self) -> Result<(), StoreError>;

    /// This moment by its own clock, the one clock that all nodes share.
    async fn now(&self) -> Result<Timestamp, StoreError>;
}

#[async_trait]
impl<E: Engine> Vitals for Database<E> {
    async fn look(&self) -> Result<(), StoreError> {
        let mut own = self.own().await?;
        // Nothing has this id: the answer is one look at an index, and the lease of nobody is over when it is begun.
        let nobody = Uuid::nil();
        own.rows(sql::HEAD, vec![Value::Id(nobody)]).await?;
        if self.refused.swap(false, Relaxed) {
            // By chance, as PostgreSQL would compress anything else to what fits a page that is there.
            let name: String = repeat_with(fastrand::alphanumeric).take(TRY).collect();
            let values = vec![Value::Id(nobody), Value::Text(&name), Value::Text(""), Value::MaybeText(None), int(0)];
            own.run(sql::renew(E::NOW), values).await?;
            own.run(sql::END_LEASE, vec![Value::Id(nobody)]).await?;
        }
        Ok(())
    }

    async fn now(&self) -> Result<Timestamp, StoreError> {
        let rows = self.reader().await?.rows(sql::clock(E::NOW), vec![]).await?;
        Ok(rows.first().map_or_else(|| Err(unreadable("no time")), |row| row.int(0)).map(Timestamp::from_millis)?)
    }
}
