//! A store on SQLite or PostgreSQL.

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
use tokio_util::sync::{CancellationToken, DropGuard};

use super::connection::{DatabaseConnection, SqlValue};
use super::engine::{ConnectionPools, Engine};
use super::group_commit::{self, PendingAppend};
use super::{StoreSettings, checkpoint, scrub};
use crate::store_error::StoreError;
use crate::{
    supervise::supervise,
    telemetry::{OperationKind, OperationTimer, metrics},
};

/// The connection pools, and the queue to the append writer.
pub(super) struct Database<E: Engine> {
    pub(super) writes: Pool<E>,
    reads: Pool<E>,
    own: Pool<E>,
    /// True if a write has failed since the last health check.
    pub(super) refused: Arc<AtomicBool>,
    /// Queue of appends to the writer.
    pub(super) appends: mpsc::Sender<PendingAppend>,
    /// Notifies the scrubber of erasures.
    pub(super) erased: mpsc::Sender<()>,
    pub(super) settings: StoreSettings,
    _checkpoints: DropGuard,
}

impl<E: Engine> Database<E> {
    pub(super) fn new(pools: ConnectionPools<E>, settings: &StoreSettings) -> Self {
        let ConnectionPools { appends, writes, reads, own, wal_path } = pools;
        let (sender, queue) = mpsc::channel(settings.max_waiting_appends.max(1));
        let refused = Arc::<AtomicBool>::default();
        let (queue, settings) = (Arc::new(Mutex::new(queue)), settings.clone());
        let (noted, bounds) = (refused.clone(), settings.clone());
        // The writer ends when the last sender is dropped, after it has written the queued appends.
        let (erased, erasures) = mpsc::channel(1);
        let erased_sender = erased.clone();
        tokio::spawn(supervise("append writer", move || {
            group_commit::run(queue.clone(), appends.clone(), bounds.clone(), noted.clone(), erased_sender.clone())
        }));
        tokio::spawn(scrub::run(writes.clone(), erasures, settings.clone()));
        let checkpoints = CancellationToken::new();
        if let Some(path) = wal_path {
            let bound = checkpoint::bound_log(reads.clone(), writes.clone(), path, settings.clone());
            tokio::spawn(checkpoints.clone().run_until_cancelled_owned(bound));
        }
        Self { writes, reads, own, refused, appends: sender, erased, settings, _checkpoints: checkpoints.drop_guard() }
    }

    pub(super) async fn reader(&self) -> Result<LentConnection<E>, StoreError> {
        LentConnection::from(&self.reads, &self.settings, None).await
    }

    pub(super) async fn writer(&self) -> Result<LentConnection<E>, StoreError> {
        LentConnection::from(&self.writes, &self.settings, Some(&self.refused)).await
    }

    /// Returns a connection that is reserved for the node's lease and health checks, so they do not wait for one.
    pub(super) async fn own(&self) -> Result<LentConnection<E>, StoreError> {
        LentConnection::from(&self.own, &self.settings, Some(&self.refused)).await
    }
}

type EngineRow<E> = <<E as sqlx::Database>::Connection as DatabaseConnection>::Row;

/// A pooled connection for a few statements, each with a timeout.
pub(super) struct LentConnection<E: Engine> {
    connection: PoolConnection<E>,
    limit: Duration,
    /// True if a statement has no reply, because its caller was cancelled or it timed out.
    unanswered: bool,
    /// True if a transaction is open.
    in_transaction: bool,
    /// Flag to set when a statement fails. `None` for a connection that only reads.
    refused: Option<Arc<AtomicBool>>,
}

impl<E: Engine> LentConnection<E> {
    async fn from(
        pool: &Pool<E>,
        settings: &StoreSettings,
        refused: Option<&Arc<AtomicBool>>,
    ) -> Result<Self, StoreError> {
        let _timer = OperationTimer::start(OperationKind::StoreConnection);
        let connection = pool.acquire().await.inspect_err(|_| record_failure(refused))?;
        Ok(Self {
            connection,
            limit: settings.reply_timeout(),
            unanswered: false,
            in_transaction: false,
            refused: refused.cloned(),
        })
    }

    pub(super) async fn rows(
        &mut self,
        sql: impl Into<Cow<'static, str>> + Send,
        values: Vec<SqlValue<'_>>,
    ) -> Result<Vec<EngineRow<E>>, StoreError> {
        let sql = sql.into();
        let _timer = OperationTimer::with_detail(OperationKind::StoreStatement, sql.clone());
        self.unanswered = true;
        let reply = timeout(self.limit, self.connection.rows(sql, values)).await;
        self.record_result(reply.unwrap_or_else(|_| Err(timeout_error())))
    }

    pub(super) async fn run(
        &mut self,
        sql: impl Into<Cow<'static, str>> + Send,
        values: Vec<SqlValue<'_>>,
    ) -> Result<u64, StoreError> {
        let sql = sql.into();
        let _timer = OperationTimer::with_detail(OperationKind::StoreStatement, sql.clone());
        self.unanswered = true;
        let reply = timeout(self.limit, self.connection.run(sql, values)).await;
        self.record_result(reply.unwrap_or_else(|_| Err(timeout_error())))
    }

    /// Begins a transaction that will write. If it is not committed, the connection is closed, which rolls it back.
    pub(super) async fn begin(&mut self) -> Result<(), StoreError> {
        self.in_transaction = true;
        self.run(E::BEGIN, vec![]).await.map(drop)
    }

    /// Commits the transaction.
    pub(super) async fn commit(&mut self) -> Result<(), StoreError> {
        self.run("commit", vec![]).await?;
        self.in_transaction = false;
        Ok(())
    }

    /// Returns whether the last statement might have been executed although its reply was lost.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.unanswered
    }

    fn record_result<T>(&mut self, reply: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        self.unanswered = reply.as_ref().is_err_and(|error| !is_database_error(error));
        metrics().store_statements.inc();
        reply.map_err(|error| {
            record_failure(self.refused.as_ref());
            error.into()
        })
    }
}

impl<E: Engine> Drop for LentConnection<E> {
    fn drop(&mut self) {
        if self.unanswered || self.in_transaction {
            // The next reply on this connection belongs to the unanswered statement. The pool would wait for it
            // indefinitely.
            self.connection.close_on_drop();
        } else {
            return_connection(&mut self.connection, self.limit);
        }
    }
}

/// Returns a healthy connection to its pool. The pool first tests the connection and waits for TCP to fail; if the
/// database's machine is gone, that takes 15 minutes and occupies the connection's slot in the pool. Hence the limit.
pub(super) fn return_connection<E: Engine>(connection: &mut PoolConnection<E>, limit: Duration) {
    tokio::spawn(timeout(limit, connection.return_to_pool()));
}

fn record_failure(refused: Option<&Arc<AtomicBool>>) {
    metrics().store_errors.count(["statement"]);
    if let Some(refused) = refused {
        refused.store(true, Relaxed);
    }
}

/// Returns whether the database replied with an error, or a value could not be encoded or decoded. The connection then
/// waits for no reply.
pub(super) fn is_database_error(error: &sqlx::Error) -> bool {
    use sqlx::Error::{ColumnDecode, Database, Decode, Encode};
    matches!(error, Database(_) | Encode(_) | Decode(_) | ColumnDecode { .. })
}

pub(super) fn timeout_error() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, "no reply in time"))
}
