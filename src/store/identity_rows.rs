//! Rows of participants, credentials and invitations.

use super::connection::{SqlRow, unreadable};
use super::events::parse_role;
use crate::identity::{
    Credential, CredentialKind, Invitation, LastSignIn, Participant, ParticipantRow, SecretHash, ServerRole,
    SignInMethod, TokenScope,
};
use crate::kernel::{ActorKind, ParticipantId, SessionId, Timestamp};

pub(super) fn listing<R: SqlRow>(row: &R) -> Result<Credential, sqlx::Error> {
    Ok(Credential {
        participant: participant(row)?,
        id: row.text(5)?,
        grant: grant(&row.text(6)?)?,
        label: row.maybe_text(7)?.map(Into::into),
        address: row.maybe_text(8)?.map(Into::into),
        created_at: Timestamp::from_millis(row.int(9)?),
        last_used_at: row.maybe_int(10)?.map(Timestamp::from_millis),
        expires_at: row.maybe_int(11)?.map(Timestamp::from_millis),
        scope: scope(row, 12)?,
    })
}

pub(super) fn participant_listing<R: SqlRow>(row: &R) -> Result<ParticipantRow, sqlx::Error> {
    Ok(ParticipantRow {
        participant: participant(row)?,
        created_at: Timestamp::from_millis(row.int(5)?),
        disabled_at: row.maybe_int(6)?.map(Timestamp::from_millis),
        last_used_at: row.maybe_int(7)?.map(Timestamp::from_millis),
        last_sign_in: last_sign_in(row, 8)?,
    })
}

/// Reads the method and time of a sign-in from two columns.
pub(super) fn last_sign_in<R: SqlRow>(row: &R, at: usize) -> Result<Option<LastSignIn>, sqlx::Error> {
    let (Some(method), Some(time)) = (row.maybe_text(at)?, row.maybe_int(at + 1)?) else { return Ok(None) };
    let method = SignInMethod::parse(&method).ok_or_else(|| unreadable("the way of a sign-in"))?;
    Ok(Some(LastSignIn { method, at: Timestamp::from_millis(time) }))
}

pub(super) fn open_invitation<R: SqlRow>(row: &R) -> Result<Invitation, sqlx::Error> {
    Ok(Invitation {
        hash: hash(row.bytes(0)?)?,
        session: SessionId(row.id(1)?),
        role: parse_role(&row.text(2)?)?,
        by: ParticipantId(row.id(3)?),
        expires_at: Timestamp::from_millis(row.int(4)?),
        uses_left: row.maybe_int(5)?,
        knock: row.flag(6)?,
    })
}

pub(super) fn hash(bytes: Vec<u8>) -> Result<SecretHash, sqlx::Error> {
    bytes.try_into().map(SecretHash).map_err(|_| unreadable("a hash"))
}

/// Reads a scope. A scope that this version does not understand must not be treated as absent.
pub(super) fn scope<R: SqlRow>(row: &R, column: usize) -> Result<Option<TokenScope>, sqlx::Error> {
    let text = row.maybe_text(column)?;
    text.map(|text| serde_json::from_str(&text)).transpose().map_err(|_| unreadable("the scope of a token"))
}

pub(super) fn grant(word: &str) -> Result<CredentialKind, sqlx::Error> {
    CredentialKind::parse(word).ok_or_else(|| unreadable("a kind of credential"))
}

pub(super) fn parse_server_role(word: &str) -> Result<ServerRole, sqlx::Error> {
    ServerRole::parse(word).ok_or_else(|| unreadable("a server role"))
}

pub(super) fn participant<R: SqlRow>(row: &R) -> Result<Participant, sqlx::Error> {
    let kind = match row.text(1)?.as_str() {
        "user" => ActorKind::User,
        "bot" => ActorKind::Bot,
        _ => return Err(unreadable("a kind of participant")),
    };
    Ok(Participant {
        id: ParticipantId(row.id(0)?),
        kind,
        name: row.text(2)?.into(),
        server_role: parse_server_role(&row.text(3)?)?,
        session_role: row.maybe_text(4)?.map(|word| parse_role(&word)).transpose()?,
        scope: None,
        token: None,
    })
}
