//! A store on one of the databases.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use sqlx::{Pool, pool::PoolConnection};
use tokio::{
    sync::{Mutex, mpsc},
    time::timeout,
};

use super::{
    StoreError, StoreSettings,
    connection::{Connection, Value},
    engine::{Engine, Pools},
    scrub,
    writer::{self, Waiting},
};
use crate::{lasting::lasting, telemetry::happened};

/// The pools, and the way to the writer of appends.
pub(super) struct Database<E: Engine> {
    pub(super) writes: Pool<E>,
    reads: Pool<E>,
    own: Pool<E>,
    /// Something that was written since the last look was not taken.
    pub(super) refused: Arc<AtomicBool>,
    /// Appends on their way to the writer.
    pub(super) appends: mpsc::Sender<Waiting>,
    /// Hears of what was erased.
    pub(super) erased: mpsc::Sender<()>,
    pub(super) settings: StoreSettings,
}

impl<E: Engine> Database<E> {
    pub(super) fn new(pools: Pools<E>, settings: &StoreSettings) -> Self {
        let Pools { appends, writes, reads, own } = pools;
        let (sender, queue) = mpsc::channel(settings.waiting_appends.max(1));
        let refused = Arc::<AtomicBool>::default();
        let (queue, settings) = (Arc::new(Mutex::new(queue)), settings.clone());
        let (noted, bounds) = (refused.clone(), settings.clone());
        // It ends when the last sender is gone, after it has written what waits.
        let (erased, heard) = mpsc::channel(1);
        let tell = erased.clone();
        tokio::spawn(lasting("the writer of appends", move || {
            writer::run(queue.clone(), appends.clone(), bounds.clone(), noted.clone(), tell.clone())
        }));
        tokio::spawn(scrub::run(writes.clone(), heard, settings.clone()));
        Self { writes, reads, own, refused, appends: sender, erased, settings }
    }

    pub(super) async fn reader(&self) -> Result<Lent<E>, StoreError> {
        Lent::from(&self.reads, &self.settings, None).await
    }

    pub(super) async fn writer(&self) -> Result<Lent<E>, StoreError> {
        Lent::from(&self.writes, &self.settings, Some(&self.refused)).await
    }

    /// For what keeps the node itself alive: it waits behind nobody.
    pub(super) async fn own(&self) -> Result<Lent<E>, StoreError> {
        Lent::from(&self.own, &self.settings, Some(&self.refused)).await
    }
}

type RowOf<E> = <<E as sqlx::Database>::Connection as Connection>::Row;

/// A connection for a few statements, each bounded in time.
pub(super) struct Lent<E: Engine> {
    connection: PoolConnection<E>,
    limit: Duration,
    /// A statement has no answer: whoever waited for it has gone, or it came too late.
    unanswered: bool,
    /// A transaction has begun and not ended.
    in_transaction: bool,
    /// Where to note that something failed, of a connection that writes.
    refused: Option<Arc<AtomicBool>>,
}

impl<E: Engine> Lent<E> {
    async fn from(
        pool: &Pool<E>,
        settings: &StoreSettings,
        refused: Option<&Arc<AtomicBool>>,
    ) -> Result<Self, StoreError> {
        let connection = pool.acquire().await.inspect_err(|_| failed(refused))?;
        Ok(Self {
            connection,
            limit: settings.answer(),
            unanswered: false,
            in_transaction: false,
            refused: refused.cloned(),
        })
    }

    pub(super) async fn rows(
        &mut self,
        sql: impl Into<Cow<'static, str>> + Send,
        values: Vec<Value<'_>>,
    ) -> Result<Vec<RowOf<E>>, StoreError> {
        self.unanswered = true;
        let answer = timeout(self.limit, self.connection.rows(sql.into(), values)).await;
        self.judge(answer.unwrap_or_else(|_| Err(too_late())))
    }

    pub(super) async fn run(
        &mut self,
        sql: impl Into<Cow<'static, str>> + Send,
        values: Vec<Value<'_>>,
    ) -> Result<u64, StoreError> {
        self.unanswered = true;
        let answer = timeout(self.limit, self.connection.run(sql.into(), values)).await;
        self.judge(answer.unwrap_or_else(|_| Err(too_late())))
    }

    /// Begin a transaction that will write. What goes wrong before its commit takes it back, with the connection.
    pub(super) async fn begin(&mut self) -> Result<(), StoreError> {
        self.in_transaction = true;
        self.run(E::BEGIN, vec![]).await.map(drop)
    }

    /// Commit what was written since.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        self.run("commit", vec![]).await?;
        self.in_transaction = false;
        Ok(())
    }

    /// Whether what was asked last may have been done although nobody has heard of it.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.unanswered
    }

    fn judge<T>(&mut self, answer: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        self.unanswered = answer.as_ref().is_err_and(|error| !is_refusal(error));
        happened().store_statements.inc();
        answer.map_err(|error| {
            failed(self.refused.as_ref());
            error.into()
        })
    }
}

impl<E: Engine> Drop for Lent<E> {
    fn drop(&mut self) {
        if self.unanswered || self.in_transaction {
            // What it answers next belongs to that statement; given back, it would be waited for without a bound.
            self.connection.close_on_drop();
        } else {
            give_back(&mut self.connection, self.limit);
        }
    }
}

/// Give a sound connection back to its pool, which asks first whether it is, and waits for that as long as TCP does: where the
/// database's machine has vanished that is a quarter of an hour, in which nobody else has its place.
pub(super) fn give_back<E: Engine>(connection: &mut PoolConnection<E>, limit: Duration) {
    tokio::spawn(timeout(limit, connection.return_to_pool()));
}

fn failed(refused: Option<&Arc<AtomicBool>>) {
    happened().store_errors.count(["statement"]);
    if let Some(refused) = refused {
        refused.store(true, Relaxed);
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
