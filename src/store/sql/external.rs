//! Statements about accounts at an identity provider and sign-ins through it.

use std::borrow::Cow;

pub(in crate::store) const LINKED_PARTICIPANT: &str = "\
    select id, kind, name, server_role, session_role, disabled_at from external_accounts \
    join participants on participants.id = external_accounts.participant where account = $1";

/// Changes no row if the account has a participant.
pub(in crate::store) const LINK: &str =
    "insert into external_accounts (account, participant) values ($1, $2) on conflict (account) do nothing";
pub(in crate::store) const OWNER: &str = "select participant from external_accounts where account = $1";

pub(in crate::store) fn begin(now: &str) -> Cow<'static, str> {
    format!("insert into external_sign_ins (attempt, return_to, expires_at) values ($1, $2, {now} + $3)").into()
}

/// The delete decides: if two uses race, one of them finds nothing to delete.
pub(in crate::store) fn finish(now: &str) -> Cow<'static, str> {
    format!("delete from external_sign_ins where attempt = $1 and expires_at > {now} returning return_to").into()
}

pub(in crate::store) const REMOVE_EXPIRED: &str = "delete from external_sign_ins where expires_at <= $1";
