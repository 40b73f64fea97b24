//! Group commit: one task takes all waiting appends, writes them in one transaction, and replies after the commit. Most
//! of the cost is the write to disk, which takes as long for one append as for two hundred.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use sqlx::{Connection, Pool, pool::PoolConnection};
use tokio::{
    sync::{Mutex, mpsc, oneshot},
    time::{Instant, timeout_at},
};

use super::connection::DatabaseConnection;
use super::database::{is_database_error, return_connection, timeout_error};
use super::engine::Engine;
use super::script::Script;
use super::{Append, AppendError, StoreSettings, batch};
use crate::store_error::StoreError;
use crate::telemetry::{OperationKind, OperationTimer, metrics};

type AppendResult = Result<(), AppendError>;

/// An append, and the sender for its reply.
pub(super) struct PendingAppend {
    pub(super) append: Append,
    pub(super) reply: oneshot::Sender<AppendResult>,
}

/// Writes appends until all senders are dropped. `refused` is set if the database did not accept an append, and
/// `erased` is notified of erasures.
pub(super) async fn run<E: Engine>(
    queue: Arc<Mutex<mpsc::Receiver<PendingAppend>>>,
    pool: Pool<E>,
    settings: StoreSettings,
    refused: Arc<AtomicBool>,
    erased: mpsc::Sender<()>,
) {
    let (mut queue, mut waiting) = (queue.lock().await, Vec::new());
    let mut writer = AppendConnection { pool, held: None, limit: settings.reply_timeout() };
    while queue.recv_many(&mut waiting, settings.max_batch_appends.max(1)).await > 0 {
        // Skip an append whose caller was cancelled, because nothing would receive its outcome.
        let wanted = waiting.drain(..).filter(|waiting| !waiting.reply.is_closed());
        let (batch, replies): (Vec<_>, Vec<_>) = wanted.map(|waiting| (waiting.append, waiting.reply)).unzip();
        let (started, timer) = (Instant::now(), OperationTimer::start(OperationKind::StoreAppend));
        let verdicts = commit(&mut writer, &batch).await;
        if E::SHARES_APPEND_CONNECTION || queue.is_empty() {
            writer.give_back();
        }
        drop(timer);
        observe(&batch, &verdicts, started.elapsed());
        if verdicts.iter().any(|verdict| matches!(verdict, Err(AppendError::Unavailable(_)))) {
            refused.store(true, Relaxed);
        }
        if batch.iter().zip(&verdicts).any(|(append, verdict)| append.erasure.is_some() && verdict.is_ok()) {
            // One pending notification is enough.
            let _ = erased.try_send(());
        }
        for (reply, verdict) in replies.into_iter().zip(verdicts) {
            // The caller might have been cancelled in the meantime. The append remains valid.
            let _ = reply.send(verdict);
        }
    }
}

fn observe(batch: &[Append], verdicts: &[AppendResult], took: Duration) {
    if batch.is_empty() {
        return;
    }
    let metrics = metrics();
    metrics.batch.record_count(batch.len());
    metrics.commit.took(took);
    for (append, verdict) in batch.iter().zip(verdicts) {
        match verdict {
            Ok(()) => drop(metrics.events.inc_by(append.events.len() as u64)),
            Err(AppendError::Unavailable(_)) => metrics.store_errors.count(["append"]),
            Err(_) => {}
        }
    }
}

/// Point at which a transaction failed.
enum TransactionError {
    /// The transaction did not happen.
    Before(sqlx::Error),
    /// The transaction might have happened.
    AtCommit(sqlx::Error),
}

/// The connection that writes appends. On PostgreSQL, it is held while more appends wait: the pool pings a connection
/// that is taken or given back, and two pings would be a fifth of the round trips of a batch.
struct AppendConnection<E: Engine> {
    pool: Pool<E>,
    held: Option<PoolConnection<E>>,
    /// Timeout for a whole batch.
    limit: Duration,
}

impl<E: Engine> AppendConnection<E> {
    fn give_back(&mut self) {
        if let Some(mut connection) = self.held.take() {
            return_connection(&mut connection, self.limit);
        }
    }
}

/// Commits a batch, and returns the verdict for each append.
async fn commit<E: Engine>(writer: &mut AppendConnection<E>, batch: &[Append]) -> Vec<AppendResult> {
    let end = Instant::now() + writer.limit;
    match transaction(writer, batch, end).await {
        Ok(verdicts) => verdicts,
        // The database rejects one append without saying which one. Write each append separately, so that only that one
        // fails.
        Err(TransactionError::Before(error)) if batch.len() > 1 && is_about_values::<E>(&error) => {
            let mut verdicts = Vec::with_capacity(batch.len());
            for append in batch {
                let alone = transaction(writer, std::slice::from_ref(append), end).await;
                verdicts.push(alone.map_err(append_error::<E>).and_then(|verdicts| verdicts.into_iter().collect()));
            }
            verdicts
        }
        Err(failed) => {
            let error = append_error::<E>(failed);
            batch.iter().map(|_| Err(error.clone())).collect()
        }
    }
}

fn is_about_values<E: Engine>(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Encode(_) => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| E::is_about_values(&code)),
        _ => false,
    }
}

async fn transaction<E: Engine>(
    writer: &mut AppendConnection<E>,
    batch: &[Append],
    end: Instant,
) -> Result<Vec<AppendResult>, TransactionError> {
    let mut connection = match writer.held.take() {
        Some(connection) => connection,
        None => {
            let acquired = timeout_at(end, writer.pool.acquire()).await.unwrap_or_else(|_| Err(timeout_error()));
            acquired.map_err(TransactionError::Before)?
        }
    };
    let outcome = timeout_at(end, in_transaction::<E>(&mut connection, batch)).await;
    // At the timeout, the transaction might have been at any point, including the commit.
    let outcome = outcome.unwrap_or_else(|_| Err(TransactionError::AtCommit(timeout_error())));
    match &outcome {
        Ok(_) => writer.held = Some(connection),
        Err(TransactionError::Before(error)) if is_about_values::<E>(error) => writer.held = Some(connection),
        // The database might have closed the connection, which the pool notices.
        Err(TransactionError::Before(error)) if is_database_error(error) => {
            return_connection(&mut connection, writer.limit);
        }
        // The connection might still hold the transaction and its locks.
        Err(_) => connection.close_on_drop(),
    }
    outcome
}

async fn in_transaction<E: Engine>(
    connection: &mut PoolConnection<E>,
    batch: &[Append],
) -> Result<Vec<AppendResult>, TransactionError> {
    if <E::Connection as DatabaseConnection>::RUNS_SCRIPTS && batch.len() == 1 {
        // A failure leaves the transaction open, and closing the connection ends it.
        return in_script::<E>(connection, batch).await.map_err(TransactionError::AtCommit);
    }
    let mut transaction = connection.begin_with(E::BEGIN).await.map_err(TransactionError::Before)?;
    let mut script = Script::immediate(&mut *transaction);
    let verdicts = batch::write::<E>(&mut script, batch).await.map_err(TransactionError::Before)?;
    transaction.commit().await.map_err(TransactionError::AtCommit)?;
    Ok(verdicts)
}

/// Writes a batch in two calls to the database. It is used only for single appends: the SQL is different for each batch
/// size, and the database would have to parse it again.
async fn in_script<E: Engine>(
    connection: &mut PoolConnection<E>,
    batch: &[Append],
) -> Result<Vec<AppendResult>, sqlx::Error> {
    let mut script = Script::deferred(&mut **connection);
    script.run(E::BEGIN.into(), vec![]).await?;
    let verdicts = batch::write::<E>(&mut script, batch).await?;
    script.run("commit".into(), vec![]).await?;
    script.finish().await?;
    Ok(verdicts)
}

fn append_error<E: Engine>(failed: TransactionError) -> AppendError {
    let (TransactionError::Before(error) | TransactionError::AtCommit(error)) = failed;
    AppendError::Unavailable(match &error {
        // The statement failed, so nothing was committed, and a retry would fail as well.
        sqlx::Error::Database(cause) if is_about_values::<E>(&error) => StoreError::misuse(cause.message()),
        _ => error.into(),
    })
}
