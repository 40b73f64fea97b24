//! Removal of erased content in the background: replaced events and, on SQLite, old pages in the write-ahead log and
//! deleted terms in the search index. Appends run in between, so that nobody waits for the redaction of another
//! session. It also bounds the size of the write-ahead log.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::Pool;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::{
    StoreSettings,
    connection::{DatabaseConnection, SqlRow, int},
    engine::Engine,
    erasures,
    sql::scrub as sql,
};
use crate::backoff;

/// Maximum wait of the checkpoint for readers, in milliseconds. Other writers wait for the checkpoint meanwhile.
const CHECKPOINT_WAIT_MS: u64 = 50;
/// Milliseconds before the first retry after a reader blocked the checkpoint. Doubles up to one minute.
const FIRST_PAUSE_MS: u64 = 100;
const MAX_PAUSE_MS: u64 = 60_000;

/// Interval between checks for erasures of which this process was not notified: those of a node that died before it
/// replaced the events.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Interval between checks of the size of the write-ahead log. At 100 MB per second, it exceeds its bound by as much.
const WAL_INTERVAL: Duration = Duration::from_secs(1);
/// Bytes of the write-ahead log beyond which it is truncated: four times the log after which an append makes a
/// checkpoint. That checkpoint does not shorten the log. The next append starts the log over, but only if no reader uses
/// it at that moment, and under constant reads, there can be no such moment.
const MAX_WAL_BYTES: u64 = 128 << 20;

/// Scrubs at startup (for the erasures of an earlier process), after each committed erasure and once a minute, until
/// all senders are dropped.
pub(super) async fn run<E: Engine>(
    pool: Pool<E>,
    wal: Option<PathBuf>,
    mut erased: mpsc::Receiver<()>,
    settings: StoreSettings,
) {
    let (mut failures, mut next) = (0, Instant::now());
    while !erased.is_closed() {
        if next <= Instant::now() {
            let pause = match scrub(&pool, &erased, &settings).await {
                Ok(()) => {
                    failures = 0;
                    CHECK_INTERVAL
                }
                Err(error) => {
                    failures += 1;
                    tracing::info!(%error, failures, "erased content may remain in the database's files; retrying later");
                    Duration::from_millis(backoff::delay_ms(failures, FIRST_PAUSE_MS, MAX_PAUSE_MS))
                }
            };
            next = Instant::now() + pause;
        }
        let mut wait = next.duration_since(Instant::now());
        if let Some(wal) = &wal {
            bound_wal(&pool, wal, &settings).await;
            wait = wait.min(WAL_INTERVAL);
        }
        match timeout(wait, erased.recv()).await {
            Ok(Some(())) => next = Instant::now(),
            Ok(None) => return,
            Err(_) => {}
        }
    }
}

/// Truncates the write-ahead log if it exceeds its bound.
async fn bound_wal<E: Engine>(pool: &Pool<E>, wal: &Path, settings: &StoreSettings) {
    // A database in memory has no such file.
    let bytes = tokio::fs::metadata(wal).await.map_or(0, |known| known.len());
    if bytes <= MAX_WAL_BYTES {
        return;
    }
    match truncate(pool, settings).await {
        Ok(()) => tracing::debug!(bytes, "write-ahead log truncated"),
        Err(error) => tracing::info!(%error, bytes, "the write-ahead log is large; retrying in a second"),
    }
}

/// Removes everything that has been erased so far. The note is deleted last, so that an interrupted scrub starts again.
async fn scrub<E: Engine>(
    pool: &Pool<E>,
    erased: &mpsc::Receiver<()>,
    settings: &StoreSettings,
) -> Result<(), sqlx::Error> {
    if !E::SCRUBS {
        return erasures::replace(pool, settings.reply_timeout()).await;
    }
    let rows = pool.acquire().await?.rows(sql::NOTED.into(), vec![]).await?;
    erasures::replace(pool, settings.reply_timeout()).await?;
    let Some(row) = rows.first() else { return Ok(()) };
    let (Some(last), terms) = (row.maybe_int(0)?, row.flag(1)?) else { return Ok(()) };
    while terms && merge(pool).await? {
        if erased.is_closed() {
            return Ok(());
        }
    }
    truncate(pool, settings).await?;
    pool.acquire().await?.run(sql::DONE.into(), vec![int(last)]).await?;
    Ok(())
}

/// Merges a few pages of the index. Returns whether there might be more.
async fn merge<E: Engine>(pool: &Pool<E>) -> Result<bool, sqlx::Error> {
    let mut connection = pool.acquire().await?;
    let mut changes = Vec::with_capacity(2);
    for statement in [sql::CHANGES, sql::MERGE, sql::CHANGES] {
        let rows = connection.rows(statement.into(), vec![]).await?;
        changes.extend(rows.first().map(|row| row.int(0)).transpose()?);
    }
    Ok(changes[1].saturating_sub(changes[0]) >= 2)
}

/// Truncates the write-ahead log, which contains old versions of pages.
async fn truncate<E: Engine>(pool: &Pool<E>, settings: &StoreSettings) -> Result<(), sqlx::Error> {
    let mut connection = pool.acquire().await?;
    connection.rows(sql::CHECKPOINT.into(), vec![]).await?;
    connection.rows(busy_timeout(CHECKPOINT_WAIT_MS), vec![]).await?;
    let cut = connection.rows(sql::TRUNCATE.into(), vec![]).await;
    connection.rows(busy_timeout(settings.sqlite_busy_ms), vec![]).await?;
    match cut?.first().map(|row| row.int(0)).transpose()? {
        Some(0) => Ok(()),
        _ => Err(sqlx::Error::Protocol("a reader blocks the checkpoint".into())),
    }
}

fn busy_timeout(millis: u64) -> std::borrow::Cow<'static, str> {
    format!("pragma busy_timeout = {millis}").into()
}
