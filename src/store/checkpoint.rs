//! Checkpoints of SQLite's write-ahead log, which bound the log and remove old pages. They run in the background,
//! because the commit that made one would take tens of milliseconds.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::Pool;
use tokio::time::sleep;

use super::{StoreSettings, connection::DatabaseConnection, connection::SqlRow, engine::Engine, sql::scrub as sql};
use crate::backoff;

/// Interval between checks of the log. A log that grows by 100 MB per second exceeds its bounds by a quarter of that.
const INTERVAL: Duration = Duration::from_millis(250);
/// Pages in the log, and not yet in the database, from which on they are moved: 16 MiB. A page that many appends change
/// is moved once.
const MAX_UNMOVED_PAGES: u64 = 4_096;
/// Pages of the log from which on the next append starts the log over, if no reader uses it at that moment: 32 MiB.
const MAX_PAGES: u64 = 8_192;
/// Bytes beyond which the log is truncated: under constant reads, there can be no moment without a reader.
const MAX_BYTES: u64 = 128 << 20;
/// Maximum wait of the checkpoint for readers, in milliseconds. Other writers wait for the checkpoint meanwhile.
const READER_WAIT_MS: u64 = 50;
/// Milliseconds before the first retry after a reader blocked the checkpoint. Doubles up to one minute.
const FIRST_PAUSE_MS: u64 = 1_000;
const MAX_PAUSE_MS: u64 = 60_000;

/// Keeps the log within its bounds, until the task is dropped.
pub(super) async fn bound_log<E: Engine>(reads: Pool<E>, writes: Pool<E>, path: PathBuf, settings: StoreSettings) {
    let mut failures = 0;
    loop {
        let pause = match check(&reads, &writes, &path, &settings).await {
            Ok(()) => {
                failures = 0;
                INTERVAL
            }
            Err(error) => {
                failures += 1;
                tracing::info!(%error, failures, "the write-ahead log is large and cannot be truncated; retrying later");
                Duration::from_millis(backoff::delay_ms(failures, FIRST_PAUSE_MS, MAX_PAUSE_MS))
            }
        };
        sleep(pause).await;
    }
}

async fn check<E: Engine>(
    reads: &Pool<E>,
    writes: &Pool<E>,
    path: &Path,
    settings: &StoreSettings,
) -> Result<(), sqlx::Error> {
    let (all, moved) = log_pages(reads).await?;
    // On a connection of the readers: appends wait for the one of the writers.
    if all.saturating_sub(moved) >= MAX_UNMOVED_PAGES {
        reads.acquire().await?.rows(sql::CHECKPOINT.into(), vec![]).await?;
    }
    // The few pages that appends have added meanwhile.
    if all >= MAX_PAGES {
        writes.acquire().await?.rows(sql::CHECKPOINT.into(), vec![]).await?;
    }
    // A database in memory has no such file.
    let bytes = tokio::fs::metadata(path).await.map_or(0, |known| known.len());
    if bytes > MAX_BYTES {
        truncate(writes, settings).await?;
        tracing::debug!(bytes, "write-ahead log truncated");
    }
    Ok(())
}

/// Returns the number of pages of the log, and how many of them have been moved. Both are 0 without a log.
async fn log_pages<E: Engine>(reads: &Pool<E>) -> Result<(u64, u64), sqlx::Error> {
    let rows = reads.acquire().await?.rows(sql::LOG_PAGES.into(), vec![]).await?;
    // A database in memory has no log: -1.
    let pages = |column| rows.first().and_then(|row| row.int(column).ok()).unwrap_or(0);
    Ok((pages(1), pages(2)))
}

/// Truncates the log, which contains old versions of pages.
///
/// # Errors
/// Fails if a reader still needs the log.
pub(super) async fn truncate<E: Engine>(writes: &Pool<E>, settings: &StoreSettings) -> Result<(), sqlx::Error> {
    let mut connection = writes.acquire().await?;
    connection.rows(sql::CHECKPOINT.into(), vec![]).await?;
    connection.rows(busy_timeout(READER_WAIT_MS), vec![]).await?;
    let cut = connection.rows(sql::TRUNCATE.into(), vec![]).await;
    connection.rows(busy_timeout(settings.sqlite_busy_ms), vec![]).await?;
    match cut?.first().map(|row| row.int(0)).transpose()? {
        Some(0) => Ok(()),
        _ => Err(sqlx::Error::Protocol("a reader blocks the checkpoint".into())),
    }
}

fn busy_timeout(ms: u64) -> Cow<'static, str> {
    format!("pragma busy_timeout = {ms}").into()
}
