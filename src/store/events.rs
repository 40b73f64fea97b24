//! The log, on either database.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::{sync::oneshot, time::timeout};
use uuid::Uuid;

use super::batch::fold;
use super::connection::{SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::group_commit::PendingAppend;
use super::{
    Append, AppendError, ClaimError, EventStore, Fence, Listing, SessionListing, SessionOwnership, SessionQuery,
    StoredEvent, sql,
};
use crate::kernel::{CommandId, ParticipantId, Role, SessionId, Timestamp};
use crate::node_id::NodeId;
use crate::store_error::StoreError;

/// Number of events that a read requests first. Their size determines the estimate of how many more fit.
const FIRST_PAGE_EVENTS: u64 = 64;
/// Maximum number of sessions that one statement of a sweep removes.
const SWEEP_SESSIONS: u64 = 8;

#[async_trait]
impl<E: Engine> EventStore for Database<E> {
    async fn claim_after(&self, session: SessionId, lease: Option<NodeId>, seen: Fence) -> Result<Fence, ClaimError> {
        let owner = SqlValue::MaybeId(lease.map(|node| node.0));
        let values = vec![SqlValue::Id(session.0), SqlValue::Flag(false), owner, int(seen.0)];
        let mut writer = self.writer().await?;
        let rows = match writer.rows(sql::claim(E::NOW), values).await {
            Err(error) if writer.is_in_doubt() => return Err(ClaimError::NoReply(error)),
            rows => rows?,
        };
        drop(writer);
        if let Some(row) = rows.first() {
            return Ok(Fence(row.int(0).map_err(StoreError::from)?));
        }
        Err(match self.holder(session, lease).await? {
            Some(holder) => ClaimError::Held(holder),
            None if self.ownership(session).await?.fence == seen => ClaimError::Lapsed,
            None => ClaimError::Taken,
        })
    }

    async fn release(&self, session: SessionId, fence: Fence) -> Result<(), StoreError> {
        self.writer().await?.run(sql::RELEASE, vec![SqlValue::Id(session.0), int(fence.0)]).await?;
        Ok(())
    }

    async fn append(&self, append: Append) -> Result<(), AppendError> {
        let (reply, verdict) = oneshot::channel();
        let waiting = PendingAppend { append, reply };
        let written = async {
            // During shutdown, the writer ends before its callers. If it panics, it drops their appends.
            let gone = || {
                self.refused.store(true, Relaxed);
                StoreError::unavailable("the append writer has failed or is shutting down")
            };
            self.appends.send(waiting).await.map_err(|_| gone())?;
            verdict.await.unwrap_or_else(|_| Err(gone().into()))
        };
        let late = |_| Err(StoreError::unavailable("too many appends are queued").into());
        // The previous batch can use its full timeout, and so can ours.
        timeout(self.settings.reply_timeout() * 2, written).await.unwrap_or_else(late)
    }

    async fn finish_erasure(&self, session: SessionId) -> Result<(), StoreError> {
        self.replace_erased(session).await
    }

    async fn begin_erasure(&self, session: SessionId, fence: Fence) -> Result<(), StoreError> {
        self.replace_erased(session).await?;
        self.drop_staged(session, fence.0).await
    }

    async fn stage_erasure(&self, session: SessionId, fence: Fence, frames: &[(u64, Bytes)]) -> Result<(), StoreError> {
        self.stage(session, fence.0, frames).await
    }

    async fn read(&self, session: SessionId, after: u64, limit: u32) -> Result<Vec<StoredEvent>, StoreError> {
        let mut connection = self.reader().await?;
        let (mut page, mut bytes) = (Vec::<StoredEvent>::new(), 0);
        let mut want = FIRST_PAGE_EVENTS.min(limit.into());
        while want > 0 {
            let after = page.last().map_or(after, |stored| stored.seq);
            let rows = connection.rows(sql::READ, vec![SqlValue::Id(session.0), int(after), int(want)]).await?;
            let end = (rows.len() as u64) < want;
            for row in rows {
                let frame = Bytes::from(row.text(1)?);
                if !page.is_empty() && bytes + frame.len() > self.settings.max_read_bytes {
                    return Ok(page);
                }
                bytes += frame.len();
                page.push(StoredEvent { seq: row.int(0)?, frame });
            }
            if end {
                break;
            }
            let each = (bytes / page.len().max(1)).max(1);
            let room = self.settings.max_read_bytes.saturating_sub(bytes) / each;
            want = (room as u64).min(u64::from(limit) - page.len() as u64);
        }
        Ok(page)
    }

    async fn head(&self, session: SessionId) -> Result<u64, StoreError> {
        let rows = self.reader().await?.rows(sql::HEAD, vec![SqlValue::Id(session.0)]).await?;
        Ok(rows.first().map_or(Ok(0), |row| row.int(0))?)
    }

    async fn heads(&self, sessions: &[SessionId]) -> Result<Vec<(SessionId, u64)>, StoreError> {
        let mut connection = self.reader().await?;
        let mut heads = Vec::with_capacity(sessions.len());
        for chunk in sessions.chunks(sql::MAX_ROWS) {
            let values = chunk.iter().map(|session| SqlValue::Id(session.0)).collect();
            for row in connection.rows(sql::only_heads(chunk.len()), values).await? {
                heads.push((SessionId(row.id(0)?), row.int(1)?));
            }
        }
        Ok(heads)
    }

    async fn ownership(&self, session: SessionId) -> Result<SessionOwnership, StoreError> {
        let rows = self.reader().await?.rows(sql::ownership(E::NOW), vec![SqlValue::Id(session.0)]).await?;
        let Some(row) = rows.first() else { return Ok(SessionOwnership::default()) };
        let node = |column| Ok::<_, sqlx::Error>(row.maybe_id(column)?.map(NodeId));
        Ok(SessionOwnership { head: row.int(0)?, owner: node(1)?, fence: Fence(row.int(2)?), claimer: node(3)? })
    }

    async fn receipt(&self, session: SessionId, actor: &str, command: &CommandId) -> Result<Option<u64>, StoreError> {
        let values = vec![SqlValue::Id(session.0), SqlValue::Text(actor), SqlValue::Text(command.as_str())];
        let rows = self.reader().await?.rows(sql::RECEIPT, values).await?;
        Ok(rows.first().map(|row| row.int(0)).transpose()?)
    }

    async fn save_snapshot(&self, session: SessionId, seq: u64, snapshot: Bytes) -> Result<(), StoreError> {
        let values = vec![SqlValue::Id(session.0), int(seq), SqlValue::Bytes(&snapshot)];
        self.writer().await?.run(sql::SAVE_SNAPSHOT, values).await?;
        Ok(())
    }

    async fn snapshot(&self, session: SessionId) -> Result<Option<(u64, Bytes)>, StoreError> {
        let rows = self.reader().await?.rows(sql::SNAPSHOT, vec![SqlValue::Id(session.0)]).await?;
        Ok(rows.first().map(|row| Ok::<_, sqlx::Error>((row.int(0)?, row.bytes(1)?.into()))).transpose()?)
    }

    async fn list(&self, query: SessionQuery) -> Result<Vec<SessionListing>, StoreError> {
        let pattern = like_pattern(&fold(query.search.as_deref().unwrap_or_default()));
        let end = (Timestamp::MAX.plus(1), SessionId(Uuid::max()));
        let (updated_at, session) = query.before.unwrap_or(end);
        let values = vec![
            SqlValue::Text(&pattern),
            int(updated_at.millis()),
            SqlValue::Id(session.0),
            int(query.limit.into()),
            SqlValue::Id(query.asker.0),
        ];
        let statement = if query.everybody { sql::LIST_ALL } else { sql::LIST_MINE };
        let rows = self.reader().await?.rows(statement, values).await?;
        Ok(rows.iter().map(listed_session).collect::<Result<_, _>>()?)
    }

    async fn role(&self, session: SessionId, participant: ParticipantId) -> Result<Option<Role>, StoreError> {
        let values = vec![SqlValue::Id(session.0), SqlValue::Id(participant.0)];
        let rows = self.reader().await?.rows(sql::ROLE, values).await?;
        Ok(rows.first().map(|row| parse_role(&row.text(0)?)).transpose()?)
    }

    async fn orphans(&self, lease: Option<NodeId>, limit: u32) -> Result<Vec<SessionId>, StoreError> {
        let values = vec![int(limit.into()), SqlValue::MaybeId(lease.map(|node| node.0))];
        let rows = self.reader().await?.rows(sql::orphans(E::NOW), values).await?;
        Ok(rows.iter().map(|row| row.id(0).map(SessionId)).collect::<Result<_, _>>()?)
    }

    async fn remove_expired(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let some =
                self.writer().await?.run(sql::REMOVE_EXPIRED, vec![int(before.millis()), int(SWEEP_SESSIONS)]).await?;
            if some == 0 {
                return Ok(removed);
            }
            removed += some;
        }
    }
}

impl<E: Engine> Database<E> {
    /// Returns the node whose claim caused another claim to fail. `None` if there is no such node.
    async fn holder(&self, session: SessionId, lease: Option<NodeId>) -> Result<Option<NodeId>, StoreError> {
        let values = vec![SqlValue::Id(session.0), SqlValue::MaybeId(lease.map(|node| node.0))];
        let rows = self.reader().await?.rows(sql::holder(E::NOW), values).await?;
        let owner = rows.first().map(|row| row.maybe_id(0)).transpose()?;
        Ok(owner.flatten().map(NodeId))
    }
}

fn listed_session<R: SqlRow>(row: &R) -> Result<SessionListing, sqlx::Error> {
    Ok(SessionListing {
        session: SessionId(row.id(0)?),
        head: row.int(1)?,
        role: row.maybe_text(2)?.map(|word| parse_role(&word)).transpose()?,
        listing: Listing {
            title: row.text(3)?.into(),
            updated_at: Timestamp::from_millis(row.int(4)?),
            unfinished: row.flag(5)?,
            waiting: row.flag(6)?,
            summary: Arc::from(row.text(7)?),
            run_by: row.maybe_id(8)?.map(ParticipantId),
            retention_days: row.maybe_int(9)?.and_then(|days| u32::try_from(days).ok()),
            team: row.maybe_id(10)?,
        },
    })
}

/// Parses a stored role.
pub(super) fn parse_role(word: &str) -> Result<Role, sqlx::Error> {
    Role::parse(word).ok_or_else(|| unreadable("a role"))
}

/// Returns a pattern for `like … escape '!'` that matches every string that contains `text`.
pub(super) fn like_pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_search_for_a_wildcard_finds_the_wildcard() {
        assert_eq!(super::like_pattern("50%_!"), "%50!%!_!!%");
    }
}
