//! Accounts of participants at an identity provider, for SQLite and PostgreSQL.

use std::time::Duration;

use async_trait::async_trait;

use super::connection::{SqlRow, SqlValue, int};
use super::database::Database;
use super::engine::Engine;
use super::identity::{add_participant_values, lifetime_ms};
use super::identity_rows::participant;
use super::sql::{external as sql, identity};
use crate::identity::{ExternalAccount, ExternalIdentityStore, LinkedParticipant, Participant, SecretHash};
use crate::kernel::{ParticipantId, Timestamp};
use crate::store_error::StoreError;

#[async_trait]
impl<E: Engine> ExternalIdentityStore for Database<E> {
    async fn linked_participant(&self, account: ExternalAccount) -> Result<Option<LinkedParticipant>, StoreError> {
        let rows = self.reader().await?.rows(sql::LINKED_PARTICIPANT, vec![SqlValue::Bytes(&account.0)]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let disabled = row.maybe_int(5)?.is_some();
        Ok(Some(LinkedParticipant { participant: participant(row)?, disabled }))
    }

    async fn add_linked_participant(
        &self,
        account: ExternalAccount,
        participant: &Participant,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut connection = self.writer().await?;
        connection.begin().await?;
        connection.run(identity::ADD_PARTICIPANT, add_participant_values(participant, at)?).await?;
        let link = vec![SqlValue::Bytes(&account.0), SqlValue::Id(participant.id.0)];
        if connection.run(sql::LINK, link).await? == 0 {
            // The connection is closed without a commit, so the participant is not added either.
            return Ok(false);
        }
        connection.commit().await?;
        Ok(true)
    }

    async fn link_participant(&self, account: ExternalAccount, id: ParticipantId) -> Result<bool, StoreError> {
        let mut connection = self.writer().await?;
        connection.run(sql::LINK, vec![SqlValue::Bytes(&account.0), SqlValue::Id(id.0)]).await?;
        let rows = connection.rows(sql::OWNER, vec![SqlValue::Bytes(&account.0)]).await?;
        Ok(rows.first().map(|row| row.id(0)).transpose()? == Some(id.0))
    }

    async fn begin_sign_in(&self, attempt: SecretHash, return_to: &str, lasts: Duration) -> Result<(), StoreError> {
        let values = vec![SqlValue::Bytes(&attempt.0), SqlValue::Text(return_to), SqlValue::Int(lifetime_ms(lasts))];
        self.writer().await?.run(sql::begin(E::NOW), values).await?;
        Ok(())
    }

    async fn finish_sign_in(&self, attempt: SecretHash) -> Result<Option<String>, StoreError> {
        let rows = self.writer().await?.rows(sql::finish(E::NOW), vec![SqlValue::Bytes(&attempt.0)]).await?;
        Ok(rows.first().map(|row| row.text(0)).transpose()?)
    }

    async fn remove_expired_sign_ins(&self, now: Timestamp) -> Result<(), StoreError> {
        self.writer().await?.run(sql::REMOVE_EXPIRED, vec![int(now.millis())]).await?;
        Ok(())
    }
}
