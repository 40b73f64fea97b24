//! Additional checkpoints of SQLite's write-ahead log. Unlike those that appends make, they bound the size of the log
//! and remove old pages.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::Pool;
use tokio::time::sleep;

use super::{StoreSettings, connection::DatabaseConnection, connection::SqlRow, engine::Engine, sql::scrub as sql};
use crate::backoff;

/// Interval between checks of the size of the log. If the log grows by 100 MB per second, it can exceed its bound by
/// 100 MB.
const INTERVAL: Duration = Duration::from_secs(1);
/// Size of the log, in bytes, above which it is truncated: four times the size at which an append makes a checkpoint. A
/// checkpoint by an append does not shorten the log. The next append starts the log over, but only if no reader uses it
/// at that moment. Under constant reads, there might be no such moment.
const MAX_BYTES: u64 = 128 << 20;
/// Maximum time that the checkpoint waits for readers, in milliseconds. Other writers wait for the checkpoint during
/// this time.
const READER_WAIT_MS: u64 = 50;
/// Milliseconds before the first retry after a reader blocked the checkpoint. Doubles up to one minute.
const FIRST_PAUSE_MS: u64 = 1_000;
const MAX_PAUSE_MS: u64 = 60_000;

/// Truncates the log whenever it exceeds its bound, until the task is dropped. Pages are first moved over a read
/// connection, because appends wait for the connection that truncates.
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
    // An in-memory database has no write-ahead log file.
    let bytes = tokio::fs::metadata(path).await.map_or(0, |known| known.len());
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    reads.acquire().await?.rows(sql::CHECKPOINT.into(), vec![]).await?;
    truncate(writes, settings).await?;
    tracing::debug!(bytes, "write-ahead log truncated");
    Ok(())
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
