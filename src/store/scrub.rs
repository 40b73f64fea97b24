//! Removal of erased content in the background: replaced events and, on SQLite, old pages in the write-ahead log and
//! deleted terms in the search index. Appends run in between, so that they do not wait for the whole redaction of
//! another session.

use std::time::Duration;

use sqlx::Pool;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{
    StoreSettings, checkpoint,
    connection::{DatabaseConnection, SqlRow, int},
    engine::Engine,
    erasures,
    sql::scrub as sql,
};
use crate::backoff;

/// Milliseconds before the first retry after a reader blocked the checkpoint. Doubles up to one minute.
const FIRST_PAUSE_MS: u64 = 100;
const MAX_PAUSE_MS: u64 = 60_000;

/// Interval between checks for erasures of which this process was not notified: those of a node that died before it
/// replaced the events.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// Scrubs at startup (for the erasures of an earlier process), after each committed erasure and once a minute, until
/// all senders are dropped.
pub(super) async fn run<E: Engine>(pool: Pool<E>, mut erased: mpsc::Receiver<()>, settings: StoreSettings) {
    let mut failures = 0;
    while !erased.is_closed() {
        let request = match scrub(&pool, &erased, &settings).await {
            Ok(()) => {
                failures = 0;
                timeout(CHECK_INTERVAL, erased.recv()).await.unwrap_or(Some(()))
            }
            Err(error) => {
                failures += 1;
                tracing::info!(%error, failures, "erased content may remain in the database's files; retrying later");
                let pause = Duration::from_millis(backoff::delay_ms(failures, FIRST_PAUSE_MS, MAX_PAUSE_MS));
                timeout(pause, erased.recv()).await.unwrap_or(Some(()))
            }
        };
        if request.is_none() {
            return;
        }
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
    checkpoint::truncate(pool, settings).await?;
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
