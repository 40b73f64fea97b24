//! Participants and their credentials, for SQLite and PostgreSQL.

use std::{borrow::Cow, sync::Arc, time::Duration};

use async_trait::async_trait;
use uuid::Uuid;

use super::connection::{SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::events::like_pattern;
use super::identity_rows::{
    grant, hash, last_sign_in, listing, open_invitation, parse_server_role, participant, participant_listing, scope,
};
use super::sql as statements;
use super::sql::identity as sql;
use crate::store_error::StoreError;
use crate::{
    clock,
    identity::{
        Credential, CredentialKind, CredentialUse, EndedCredentials, IdentityStore, Invitation, LastSignIn,
        NewCredential, NewInvitation, Participant, ParticipantQuery, ParticipantRow, SecretHash, ServerRole,
        SignInMethod, TokenOrigin,
    },
    kernel::{ActorKind, ParticipantId, Role, SessionId, Timestamp},
};

/// Retention of revocations, in milliseconds. Much longer than the interval between two reads on any node.
const REVOCATION_RETENTION_MS: u64 = clock::DAY;

#[async_trait]
impl<E: Engine> IdentityStore for Database<E> {
    async fn add_participant(&self, participant: &Participant, at: Timestamp) -> Result<(), StoreError> {
        self.writer().await?.run(sql::ADD_PARTICIPANT, add_participant_values(participant, at)?).await?;
        Ok(())
    }

    async fn participant(&self, id: ParticipantId) -> Result<Option<Participant>, StoreError> {
        self.one_participant(sql::PARTICIPANT, vec![SqlValue::Id(id.0)]).await
    }

    async fn participant_named(&self, name: &str, kind: ActorKind) -> Result<Option<Participant>, StoreError> {
        self.one_participant(sql::PARTICIPANT_NAMED, vec![SqlValue::Text(name), SqlValue::Text(kind_name(kind)?)]).await
    }

    async fn guests(&self, session: SessionId) -> Result<Vec<ParticipantId>, StoreError> {
        let rows = self.reader().await?.rows(sql::GUESTS, vec![SqlValue::Id(session.0)]).await?;
        Ok(rows.iter().map(|row| row.id(0).map(ParticipantId)).collect::<Result<_, _>>()?)
    }

    async fn server_roles(&self, session: SessionId) -> Result<Vec<(ParticipantId, ServerRole)>, StoreError> {
        let rows = self.reader().await?.rows(sql::SERVER_ROLES, vec![SqlValue::Id(session.0)]).await?;
        let server_role =
            |row: &_| Ok((ParticipantId(SqlRow::id(row, 0)?), parse_server_role(&SqlRow::text(row, 1)?)?));
        Ok(rows.iter().map(server_role).collect::<Result<_, sqlx::Error>>()?)
    }

    async fn set_server_role(
        &self,
        id: ParticipantId,
        server_role: ServerRole,
    ) -> Result<Option<ServerRole>, StoreError> {
        let mut connection = self.writer().await?;
        connection.begin().await?;
        let rows = connection.rows(sql::lock_participant(E::LOCK), vec![SqlValue::Id(id.0)]).await?;
        let old = rows.first().map(participant).transpose()?.map(|participant| participant.server_role);
        if let Some(old) = old.filter(|old| *old != server_role) {
            let values = vec![SqlValue::Id(id.0), SqlValue::Text(server_role.as_str())];
            connection.run(sql::SET_SERVER_ROLE, values).await?;
            let ended = if old.is_above(server_role) { sql::REVOKE_ALL } else { sql::SIGN_OUT_EVERYWHERE };
            connection.run(ended, vec![SqlValue::Id(id.0)]).await?;
        }
        connection.commit().await?;
        Ok(old)
    }

    async fn set_session_role(&self, id: ParticipantId, role: Option<Role>) -> Result<bool, StoreError> {
        let mut connection = self.writer().await?;
        connection.begin().await?;
        let rows = connection.rows(sql::lock_participant(E::LOCK), vec![SqlValue::Id(id.0)]).await?;
        let old = rows.first().map(participant).transpose()?.and_then(|participant| participant.session_role);
        if old != role {
            let values = vec![SqlValue::Id(id.0), SqlValue::MaybeText(role.map(Role::as_str))];
            connection.run(sql::SET_SESSION_ROLE, values).await?;
            let is_raised = role.is_some_and(|role| old.is_none_or(|old| role.covers(old)));
            let ended = if is_raised { sql::SIGN_OUT_EVERYWHERE } else { sql::REVOKE_ALL };
            connection.run(ended, vec![SqlValue::Id(id.0)]).await?;
        }
        connection.commit().await?;
        Ok(old != role)
    }

    async fn rename(&self, id: ParticipantId, name: &str) -> Result<bool, StoreError> {
        Ok(self.writer().await?.run(sql::RENAME, vec![SqlValue::Id(id.0), SqlValue::Text(name)]).await? > 0)
    }

    async fn record_sign_in(&self, id: ParticipantId, method: SignInMethod) -> Result<(), StoreError> {
        let values = vec![SqlValue::Id(id.0), SqlValue::Text(method.as_str())];
        self.writer().await?.run(sql::record_sign_in(E::NOW), values).await?;
        Ok(())
    }

    async fn last_sign_in(&self, id: ParticipantId) -> Result<Option<LastSignIn>, StoreError> {
        let rows = self.reader().await?.rows(sql::LAST_SIGN_IN, vec![SqlValue::Id(id.0)]).await?;
        Ok(rows.first().map(|row| last_sign_in(row, 0)).transpose()?.flatten())
    }

    async fn add_credential(&self, credential: &NewCredential) -> Result<(), StoreError> {
        let id = credential.hash.id();
        let address = credential.address.map(|address| address.to_string());
        let scope = credential.scope.as_ref().map(serde_json::to_string).transpose();
        let scope = scope.map_err(|_| StoreError::misuse("a scope serializes"))?;
        let (lasts, idle) = (credential.lasts.map(lifetime_ms), credential.idle.map(lifetime_ms));
        let values = vec![
            SqlValue::Bytes(&credential.hash.0),
            SqlValue::Text(&id),
            SqlValue::Text(credential.grant.as_str()),
            SqlValue::Id(credential.participant.0),
            SqlValue::MaybeInt(lasts.into_iter().chain(idle).min()),
            SqlValue::MaybeBytes(credential.origin.as_ref().map(|origin| &origin.0[..])),
            SqlValue::MaybeText(credential.label.as_deref()),
            SqlValue::MaybeText(address.as_deref()),
            SqlValue::MaybeInt(idle),
            SqlValue::MaybeInt(lasts),
            SqlValue::MaybeText(scope.as_deref()),
        ];
        self.writer().await?.run(sql::add_credential(E::NOW), values).await?;
        Ok(())
    }

    async fn authenticate(&self, hash: SecretHash, grant: CredentialKind) -> Result<Option<Participant>, StoreError> {
        let values = vec![SqlValue::Bytes(&hash.0), SqlValue::Text(grant.as_str())];
        let rows = self.reader().await?.rows(sql::authenticate(E::NOW), values).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let (scope, token) = (scope(row, 5)?.map(Arc::new), row.maybe_bytes(6)?.map(self::hash).transpose()?);
        Ok(Some(Participant { scope, token, ..participant(row)? }))
    }

    async fn token_origin(&self, hash: SecretHash) -> Result<Option<TokenOrigin>, StoreError> {
        let rows = self.reader().await?.rows(sql::TOKEN_ORIGIN, vec![SqlValue::Bytes(&hash.0)]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let expires_at = row.maybe_int(1)?.map(Timestamp::from_millis);
        Ok(Some(TokenOrigin { hash: self::hash(row.bytes(0)?)?, expires_at }))
    }

    async fn redeem(&self, hash: SecretHash, grant: CredentialKind) -> Result<Option<Participant>, StoreError> {
        let values = vec![SqlValue::Bytes(&hash.0), SqlValue::Text(grant.as_str())];
        // The delete decides: if two requests race, one of them finds nothing to delete.
        let rows = self.writer().await?.rows(sql::redeem(E::NOW), values).await?;
        match rows.first() {
            Some(row) => self.participant(ParticipantId(row.id(0)?)).await,
            None => Ok(None),
        }
    }

    async fn has_administrator(&self) -> Result<bool, StoreError> {
        let rows = self.reader().await?.rows(sql::administrator(E::NOW), vec![]).await?;
        Ok(!rows.is_empty())
    }

    async fn tokens(&self) -> Result<Vec<Credential>, StoreError> {
        let rows = self.reader().await?.rows(sql::tokens(E::NOW), vec![]).await?;
        Ok(rows.iter().map(listing).collect::<Result<_, _>>()?)
    }

    async fn revoke_tokens(&self, id_prefix: &str) -> Result<u64, StoreError> {
        let Some(pattern) = prefix_pattern(id_prefix) else { return Ok(0) };
        self.writer().await?.run(sql::REVOKE_TOKENS, vec![SqlValue::Text(&pattern)]).await
    }

    async fn credentials(&self, of: Option<ParticipantId>, limit: u32) -> Result<Vec<Credential>, StoreError> {
        let values = vec![SqlValue::MaybeId(of.map(|of| of.0)), int(limit.into())];
        let rows = self.reader().await?.rows(sql::credentials(E::NOW), values).await?;
        Ok(rows.iter().map(listing).collect::<Result<_, _>>()?)
    }

    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError> {
        for uses in uses.chunks(statements::MAX_ROWS) {
            let addresses: Vec<_> = uses.iter().map(|one| one.address.map(|address| address.to_string())).collect();
            let values = uses.iter().zip(&addresses);
            let values = values
                .flat_map(|(one, address)| [SqlValue::Bytes(&one.hash.0), SqlValue::MaybeText(address.as_deref())])
                .collect();
            self.writer().await?.run(sql::record_uses(uses.len(), E::NOW), values).await?;
        }
        Ok(())
    }

    async fn revoke_credential(&self, of: ParticipantId, id: &str) -> Result<Option<CredentialKind>, StoreError> {
        let rows =
            self.writer().await?.rows(sql::REVOKE_CREDENTIAL, vec![SqlValue::Id(of.0), SqlValue::Text(id)]).await?;
        Ok(rows.first().map(|row| grant(&row.text(0)?)).transpose()?)
    }

    async fn sign_out_everywhere(&self, of: ParticipantId) -> Result<u64, StoreError> {
        self.writer().await?.run(sql::SIGN_OUT_EVERYWHERE, vec![SqlValue::Id(of.0)]).await
    }

    async fn revoke_sign_ins(&self, id_prefix: &str) -> Result<u64, StoreError> {
        let Some(pattern) = prefix_pattern(id_prefix) else { return Ok(0) };
        self.writer().await?.run(sql::REVOKE_SIGN_INS, vec![SqlValue::Text(&pattern)]).await
    }

    async fn set_disabled(&self, id: ParticipantId, disabled: bool) -> Result<bool, StoreError> {
        let statement = if disabled { sql::disable(E::NOW) } else { sql::ENABLE.into() };
        Ok(self.writer().await?.run(statement, vec![SqlValue::Id(id.0)]).await? > 0)
    }

    async fn is_disabled(&self, id: ParticipantId) -> Result<bool, StoreError> {
        let rows = self.reader().await?.rows(sql::DISABLED, vec![SqlValue::Id(id.0)]).await?;
        Ok(rows.first().map(|row| row.maybe_int(0)).transpose()?.flatten().is_some())
    }

    async fn participants(&self, query: &ParticipantQuery) -> Result<Vec<ParticipantRow>, StoreError> {
        let before = query.before.map_or(Uuid::max(), |id| id.0);
        let pattern = like_pattern(&query.search);
        let role = query.server_role.map_or("%", ServerRole::as_str);
        let states = query.disabled.map_or(3, |disabled| if disabled { 2 } else { 1 });
        let limit = int(query.limit.into());
        let values = vec![SqlValue::Id(before), SqlValue::Text(&pattern), limit, SqlValue::Text(role), int(states)];
        let rows = self.reader().await?.rows(sql::PARTICIPANTS, values).await?;
        Ok(rows.iter().map(participant_listing).collect::<Result<_, _>>()?)
    }

    async fn remove_credential(&self, hash: SecretHash) -> Result<(), StoreError> {
        self.writer().await?.run(sql::REMOVE_CREDENTIAL, vec![SqlValue::Bytes(&hash.0)]).await?;
        Ok(())
    }

    async fn ended(&self, since: Timestamp) -> Result<EndedCredentials, StoreError> {
        let rows = self.reader().await?.rows(sql::ended(E::NOW), vec![int(since.millis())]).await?;
        let mut ended = EndedCredentials { credentials: vec![], now: Timestamp::default() };
        for row in &rows {
            match row.maybe_bytes(1)? {
                Some(bytes) => ended.credentials.push(hash(bytes)?),
                None => ended.now = Timestamp::from_millis(row.int(0)?),
            }
        }
        Ok(ended)
    }

    async fn add_invitation(&self, invitation: &NewInvitation) -> Result<Timestamp, StoreError> {
        let values = vec![
            SqlValue::Bytes(&invitation.hash.0),
            SqlValue::Id(invitation.session.0),
            SqlValue::Text(invitation.role.as_str()),
            SqlValue::Id(invitation.by.0),
            SqlValue::Int(lifetime_ms(invitation.lasts)),
            SqlValue::MaybeInt(invitation.max_uses.map(i64::from)),
            SqlValue::Flag(invitation.knock),
        ];
        let rows = self.writer().await?.rows(sql::add_invitation(E::NOW), values).await?;
        Ok(rows.first().map_or_else(|| Err(unreadable("no time")), |row| row.int(0)).map(Timestamp::from_millis)?)
    }

    async fn use_invitation(&self, hash: SecretHash) -> Result<bool, StoreError> {
        Ok(self.writer().await?.run(sql::use_invitation(E::NOW), vec![SqlValue::Bytes(&hash.0)]).await? > 0)
    }

    async fn give_use_back(&self, hash: SecretHash) -> Result<(), StoreError> {
        self.writer().await?.run(sql::GIVE_USE_BACK, vec![SqlValue::Bytes(&hash.0)]).await?;
        Ok(())
    }

    async fn invitation(&self, hash: SecretHash) -> Result<Option<Invitation>, StoreError> {
        let rows = self.reader().await?.rows(sql::invitation(E::NOW), vec![SqlValue::Bytes(&hash.0)]).await?;
        Ok(rows.first().map(open_invitation).transpose()?)
    }

    async fn invitations(&self, session: SessionId) -> Result<Vec<Invitation>, StoreError> {
        let rows = self.reader().await?.rows(sql::invitations(E::NOW), vec![SqlValue::Id(session.0)]).await?;
        Ok(rows.iter().map(open_invitation).collect::<Result<_, _>>()?)
    }

    async fn remove_invitation(&self, hash: SecretHash) -> Result<(), StoreError> {
        self.writer().await?.run(sql::REMOVE_INVITATION, vec![SqlValue::Bytes(&hash.0)]).await?;
        Ok(())
    }

    async fn remove_ended(&self, now: Timestamp) -> Result<(), StoreError> {
        let mut connection = self.writer().await?;
        connection.run(sql::REMOVE_ENDED_CREDENTIALS, vec![int(now.millis())]).await?;
        connection.run(sql::REMOVE_ENDED_INVITATIONS, vec![int(now.millis())]).await?;
        connection
            .run(sql::FORGET_REVOCATIONS, vec![int(now.millis().saturating_sub(REVOCATION_RETENTION_MS))])
            .await?;
        Ok(())
    }
}

impl<E: Engine> Database<E> {
    async fn one_participant(
        &self,
        sql: impl Into<Cow<'static, str>> + Send,
        values: Vec<SqlValue<'_>>,
    ) -> Result<Option<Participant>, StoreError> {
        let rows = self.reader().await?.rows(sql, values).await?;
        Ok(rows.first().map(participant).transpose()?)
    }
}

/// Returns the values of the statement that adds a participant.
pub(super) fn add_participant_values(
    participant: &Participant,
    at: Timestamp,
) -> Result<Vec<SqlValue<'_>>, StoreError> {
    Ok(vec![
        SqlValue::Id(participant.id.0),
        SqlValue::Text(kind_name(participant.kind)?),
        SqlValue::Text(&participant.name),
        SqlValue::Text(participant.server_role.as_str()),
        int(at.millis()),
    ])
}

/// Returns the pattern for ids with this prefix. `None` if the prefix is empty or contains anything but hexadecimal
/// digits: a wildcard would match more than intended.
fn prefix_pattern(id_prefix: &str) -> Option<String> {
    let is_id = !id_prefix.is_empty() && id_prefix.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| format!("{}%", id_prefix.to_ascii_lowercase()))
}

/// Converts a lifetime to milliseconds, limited to what the database can add to its clock.
pub(super) fn lifetime_ms(lasts: Duration) -> i64 {
    let limit = Timestamp::MAX.millis();
    u64::try_from(lasts.as_millis()).map_or(limit, |ms| ms.min(limit)).cast_signed()
}

fn kind_name(kind: ActorKind) -> Result<&'static str, StoreError> {
    match kind {
        ActorKind::User => Ok("user"),
        ActorKind::Bot => Ok("bot"),
        ActorKind::Agent | ActorKind::System => Err(StoreError::misuse("only users and bots can be participants")),
    }
}
