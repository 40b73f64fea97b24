//! Redaction requests, for SQLite and PostgreSQL.

use async_trait::async_trait;
use uuid::Uuid;

use super::connection::{SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::sql::{self, redactions as statements};
use crate::kernel::{Actor, ParticipantId, SessionId, Timestamp};
use crate::redactions::{RedactionRequest, RedactionRequestTarget, RedactionStore, RetentionRow};
use crate::store_error::StoreError;

/// Maximum number of requests per page.
const REQUESTS_PER_PAGE: u64 = 100;
/// Maximum number of sessions per page.
const SESSIONS_PER_PAGE: u64 = 100;
/// Maximum number of sessions per page of a sweep.
const SWEEP_SESSIONS: u64 = 100;

#[async_trait]
impl<E: Engine> RedactionStore for Database<E> {
    async fn request_redaction(&self, target: RedactionRequestTarget, by: &Actor) -> Result<u64, StoreError> {
        let (kind, id, content) = match target {
            RedactionRequestTarget::Session(session) => ("session", session.0, false),
            RedactionRequestTarget::Participant { participant, content } => ("participant", participant.0, content),
        };
        let by = serde_json::to_string(by).expect("an actor serializes: its keys are strings");
        let values = vec![SqlValue::Text(kind), SqlValue::Id(id), SqlValue::Flag(content), SqlValue::Text(&by)];
        let rows = self.writer().await?.rows(statements::request(E::NOW), values).await?;
        Ok(rows.first().map_or_else(|| Err(unreadable("no number")), |row| row.int(0))?)
    }

    async fn redaction_requests(&self, after: u64) -> Result<Vec<RedactionRequest>, StoreError> {
        let rows = self.reader().await?.rows(statements::REQUESTS, vec![int(after), int(REQUESTS_PER_PAGE)]).await?;
        Ok(rows.iter().map(request).collect::<Result<_, _>>()?)
    }

    async fn complete_redaction(&self, id: u64) -> Result<(), StoreError> {
        self.writer().await?.run(statements::COMPLETE, vec![int(id)]).await?;
        Ok(())
    }

    async fn erase_identity(&self, participant: ParticipantId, name: &str, content: bool) -> Result<bool, StoreError> {
        let id = SqlValue::Id(participant.0);
        let mut connection = self.writer().await?;
        if connection.run(sql::identity::disable(E::NOW), vec![id]).await? == 0 {
            return Ok(false);
        }
        connection.run(sql::identity::ERASE_NAME, vec![id, SqlValue::Text(name)]).await?;
        connection.run(statements::REMOVE_CREDENTIALS, vec![id]).await?;
        connection.run(statements::REMOVE_TEAM_ACCESS, vec![id]).await?;
        if content {
            connection.run(statements::REMOVE_UPLOADS, vec![id]).await?;
            connection.run(statements::REMOVE_TEAMS, vec![id]).await?;
        }
        if E::SCRUBS {
            connection.run(sql::scrub::NOTE, vec![SqlValue::Flag(false)]).await?;
            let _ = self.erased.try_send(());
        }
        Ok(true)
    }

    async fn sessions_after(
        &self,
        after: Option<SessionId>,
        participant: ParticipantId,
    ) -> Result<Vec<SessionId>, StoreError> {
        let after = after.map_or(Uuid::nil(), |session| session.0);
        let values = vec![SqlValue::Id(participant.0), SqlValue::Id(after), int(SESSIONS_PER_PAGE)];
        let rows = self.reader().await?.rows(statements::SESSIONS_AFTER, values).await?;
        Ok(rows.iter().map(|row| row.id(0).map(SessionId)).collect::<Result<_, _>>()?)
    }

    async fn has_appeared(&self, session: SessionId, participant: ParticipantId) -> Result<bool, StoreError> {
        let values = vec![SqlValue::Id(participant.0), SqlValue::Id(session.0)];
        Ok(!self.reader().await?.rows(statements::HAS_APPEARED, values).await?.is_empty())
    }

    async fn past_retention(
        &self,
        now: Timestamp,
        after: Option<RetentionRow>,
    ) -> Result<Vec<RetentionRow>, StoreError> {
        let (updated_at, session) = after.map_or((0, Uuid::nil()), |last| (last.updated_at.millis(), last.session.0));
        let values = vec![int(now.millis()), int(updated_at), SqlValue::Id(session), int(SWEEP_SESSIONS)];
        let rows = self.reader().await?.rows(statements::past_retention(), values).await?;
        Ok(rows.iter().map(past_retention).collect::<Result<_, _>>()?)
    }
}

fn past_retention<R: SqlRow>(row: &R) -> Result<RetentionRow, sqlx::Error> {
    Ok(RetentionRow { session: SessionId(row.id(0)?), updated_at: Timestamp::from_millis(row.int(1)?) })
}

fn request<R: SqlRow>(row: &R) -> Result<RedactionRequest, sqlx::Error> {
    let id = row.id(2)?;
    let target = match &*row.text(1)? {
        "session" => RedactionRequestTarget::Session(SessionId(id)),
        "participant" => RedactionRequestTarget::Participant { participant: ParticipantId(id), content: row.flag(3)? },
        _ => return Err(unreadable("a redaction request")),
    };
    let by = serde_json::from_str(&row.text(4)?).map_err(|_| unreadable("the requester of a redaction"))?;
    Ok(RedactionRequest { id: row.int(0)?, target, by })
}
