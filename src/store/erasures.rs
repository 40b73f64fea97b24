//! Replacement of events with their redacted form, in small slices, so that redacting a log of a hundred thousand
//! events needs no transaction that blocks all other sessions. Readers see the complete redaction once it is committed,
//! and none of it before.

use std::time::Duration;

use bytes::Bytes;
use sqlx::{Connection as _, Pool, Sqlite, SqliteConnection, pool::PoolConnection};
use tokio::time::timeout;

use super::SessionId;
use super::connection::{DatabaseConnection, SqlRow, SqlValue, int};
use super::database::{Database, is_database_error, return_connection, timeout_error};
use super::engine::Engine;
use super::sql::{self, erasures as erasing};
use crate::store_error::StoreError;

/// Maximum number of events that one transaction replaces or discards. On SQLite, the transaction blocks all other
/// writes. On PostgreSQL, a transaction that replaces events blocks the appends of the session.
const SLICE_EVENTS: u64 = 128;

impl<E: Engine> Database<E> {
    /// Replaces the events of the session's committed erasure.
    pub(super) async fn replace_erased(&self, session: SessionId) -> Result<(), StoreError> {
        // If the reply to the commit was lost, the append has not notified the background job.
        let _ = self.erased.try_send(());
        Ok(replace_of(&self.writes, session, self.settings.reply_timeout()).await?)
    }

    pub(super) async fn drop_staged(&self, session: SessionId, fence: u64) -> Result<(), StoreError> {
        let some = || vec![SqlValue::Id(session.0), int(fence), int(SLICE_EVENTS)];
        while self.writer().await?.run(erasing::DROP_STAGED, some()).await? > 0 {}
        Ok(())
    }

    pub(super) async fn stage(
        &self,
        session: SessionId,
        fence: u64,
        frames: &[(u64, Bytes)],
    ) -> Result<(), StoreError> {
        for chunk in frames.chunks(sql::MAX_ROWS) {
            let mut values = Vec::with_capacity(chunk.len() * 4);
            for (seq, frame) in chunk {
                let frame = std::str::from_utf8(frame).map_err(|error| sqlx::Error::Encode(error.into()))?;
                values.extend([SqlValue::Id(session.0), int(fence), int(*seq), SqlValue::Text(frame)]);
            }
            // A connection per chunk, so that appends run in between on SQLite.
            self.writer().await?.run(erasing::stage(chunk.len(), E::LOCK), values).await?;
        }
        Ok(())
    }
}

/// Replaces the events of all committed erasures.
pub(super) async fn replace<E: Engine>(pool: &Pool<E>, limit: Duration) -> Result<(), sqlx::Error> {
    let mut connection = pool.acquire().await?;
    let rows = timeout(limit, connection.rows(erasing::COMMITTED.into(), vec![])).await;
    let rows = finish(connection, rows.unwrap_or_else(|_| Err(timeout_error())), limit)?;
    for row in rows {
        replace_of(pool, SessionId(row.id(0)?), limit).await?;
    }
    Ok(())
}

/// Replaces the events of the committed erasure of one session.
async fn replace_of<E: Engine>(pool: &Pool<E>, session: SessionId, limit: Duration) -> Result<(), sqlx::Error> {
    loop {
        // A connection per slice, so that appends run in between on SQLite.
        let mut connection = pool.acquire().await?;
        // Without a limit, the session task would wait for an unreachable database while its lease is still renewed,
        // and its run could not be stopped.
        let more = timeout(limit, replace_slice::<E>(&mut connection, session)).await;
        if !finish(connection, more.unwrap_or_else(|_| Err(timeout_error())), limit)? {
            return Ok(());
        }
    }
}

/// Returns the connection to its pool, or closes it if a reply is missing: the connection might then still hold the
/// transaction and its locks.
fn finish<E: Engine, T>(
    mut connection: PoolConnection<E>,
    result: Result<T, sqlx::Error>,
    limit: Duration,
) -> Result<T, sqlx::Error> {
    match &result {
        Err(error) if !is_database_error(error) => connection.close_on_drop(),
        _ => return_connection(&mut connection, limit),
    }
    result
}

/// Replaces the events of all committed erasures in a copy of a database that nothing else uses. A copy from an earlier
/// version has no erasures.
pub(super) async fn replace_in_copy(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let known = "select 1 from sqlite_master where type = 'table' and name = 'erased_frames'";
    if connection.rows(known.into(), vec![]).await?.is_empty() {
        return Ok(());
    }
    for row in connection.rows(erasing::COMMITTED.into(), vec![]).await? {
        while replace_slice::<Sqlite>(connection, SessionId(row.id(0)?)).await? {}
    }
    Ok(())
}

/// Replaces one slice of events. Returns whether there might be more.
async fn replace_slice<E: Engine>(connection: &mut E::Connection, session: SessionId) -> Result<bool, sqlx::Error> {
    let mut transaction = connection.begin_with(E::BEGIN).await?;
    let id = SqlValue::Id(session.0);
    let rows = transaction.rows(erasing::fence(E::LOCK), vec![id]).await?;
    let Some(fence) = rows.first().map(|row| row.maybe_int(0)).transpose()?.flatten() else { return Ok(false) };
    let next = transaction.rows(erasing::SLICE.into(), vec![id, int(fence), int(SLICE_EVENTS)]).await?;
    let last = next.first().map(|row| row.maybe_int(0)).transpose()?.flatten();
    match last {
        Some(last) => {
            let slice = vec![id, int(fence), int(last)];
            transaction.run(erasing::REPLACE.into(), slice.clone()).await?;
            transaction.run(erasing::DROP_REPLACED.into(), slice).await?;
        }
        None => drop(transaction.run(erasing::REPLACED.into(), vec![id]).await?),
    }
    transaction.commit().await?;
    Ok(last.is_some())
}
