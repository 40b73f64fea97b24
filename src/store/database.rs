//! A store on one of the databases.

use std::{borrow::Cow, sync::Arc, time::Duration};

use sqlx::{Pool, pool::PoolConnection};
use tokio::{sync::mpsc, time::timeout};

use super::{
    StoreError, StoreSettings,
    engine::{Engine, Pools},
    link::{Link, Value},
    writer::{self, Waiting},
};
use crate::telemetry::happened;

/// The pools, and the way to the writer of appends.
pub(super) struct Database<E: Engine> {
    writes: Pool<E>,
    reads: Pool<E>,
    /// Appends on their way to the writer.
    pub(super) appends: mpsc::Sender<Waiting>,
    pub(super) settings: StoreSettings,
}

impl<E: Engine> Database<E> {
    pub(super) fn new(pools: Pools<E>, settings: &StoreSettings) -> Self {
        let (appends, queue) = mpsc::channel(settings.waiting_appends.max(1));
        // It ends when the last sender is gone, after it has written what waits.
        tokio::spawn(writer::run(queue, pools.writes.clone(), settings.clone()));
        Self { writes: pools.writes, reads: pools.reads, appends, settings: settings.clone() }
    }

    pub(super) async fn reader(&self) -> Result<Lent<E>, StoreError> {
        Lent::from(&self.reads, &self.settings).await
    }

    pub(super) async fn writer(&self) -> Result<Lent<E>, StoreError> {
        Lent::from(&self.writes, &self.settings).await
    }
}

type RowOf<E> = <<E as sqlx::Database>::Connection as Link>::Row;

/// A connection for a few statements, each bounded in time.
pub(super) struct Lent<E: Engine> {
    connection: PoolConnection<E>,
    limit: Duration,
}

impl<E: Engine> Lent<E> {
    async fn from(pool: &Pool<E>, settings: &StoreSettings) -> Result<Self, StoreError> {
        let connection = pool.acquire().await.inspect_err(|_| happened().store_errors.count(["statement"]))?;
        Ok(Self { connection, limit: settings.answer() })
    }

    pub(super) async fn rows(
        &mut self,
        sql: impl Into<Cow<'static, str>> + Send,
        values: Vec<Value<'_>>,
    ) -> Result<Vec<RowOf<E>>, StoreError> {
        let answer = timeout(self.limit, self.connection.rows(sql.into(), values)).await;
        self.judge(answer.unwrap_or_else(|_| Err(too_late())))
    }

    pub(super) async fn run(
        &mut self,
        sql: impl Into<Cow<'static, str>> + Send,
        values: Vec<Value<'_>>,
    ) -> Result<u64, StoreError> {
        let answer = timeout(self.limit, self.connection.run(sql.into(), values)).await;
        self.judge(answer.unwrap_or_else(|_| Err(too_late())))
    }

    fn judge<T>(&mut self, answer: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        answer.map_err(|error| {
            happened().store_errors.count(["statement"]);
            if !is_refusal(&error) {
                // What it would answer next belongs to this statement.
                self.connection.close_on_drop();
            }
            error.into()
        })
    }
}

/// Whether the database answered, and said no: the connection is sound, and what it said no to is at fault.
pub(super) fn is_refusal(error: &sqlx::Error) -> bool {
    use sqlx::Error::{ColumnDecode, Database, Decode, Encode};
    matches!(error, Database(_) | Encode(_) | Decode(_) | ColumnDecode { .. })
}

pub(super) fn too_late() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, "no answer in time"))
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self(match error {
            sqlx::Error::Database(error) => error.message().into(),
            other => Arc::from(other.to_string()),
        })
    }
}
