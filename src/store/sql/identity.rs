//! Statements about participants, their credentials and invitations.

use std::borrow::Cow;

use super::rows;

pub(in crate::store) const ADD_PARTICIPANT: &str =
    "insert into participants (id, kind, name, server_role, created_at) values ($1, $2, $3, $4, $5)";
pub(in crate::store) const PARTICIPANT: &str =
    "select id, kind, name, server_role, session_role from participants where id = $1";
pub(in crate::store) const PARTICIPANT_NAMED: &str = "\
    select id, kind, name, server_role, session_role from participants where name = $1 and kind = $2 order by created_at, id limit 1";
pub(in crate::store) const GUESTS: &str = "\
    select id from members join participants on id = members.participant \
    where session = $1 and server_role = 'guest' and kind = 'user' order by id";
pub(in crate::store) const SERVER_ROLES: &str = "\
    select id, server_role from members join participants on id = members.participant \
    where session = $1 and disabled_at is null order by id";
pub(in crate::store) fn lock_participant(lock: &str) -> Cow<'static, str> {
    format!("{PARTICIPANT}{lock}").into()
}
pub(in crate::store) const SET_SERVER_ROLE: &str = "update participants set server_role = $2 where id = $1";
pub(in crate::store) const SET_SESSION_ROLE: &str = "update participants set session_role = $2 where id = $1";
pub(in crate::store) const REVOKE_ALL: &str = "delete from credentials where participant = $1";
/// Skips disabled participants: a concurrent change must not restore an erased name.
pub(in crate::store) const RENAME: &str = "update participants set name = $2 where id = $1 and disabled_at is null";
pub(in crate::store) fn record_sign_in(now: &str) -> Cow<'static, str> {
    format!("update participants set signed_in_by = $2, signed_in_at = {now} where id = $1").into()
}
pub(in crate::store) const LAST_SIGN_IN: &str = "select signed_in_by, signed_in_at from participants where id = $1";
pub(in crate::store) const ERASE_NAME: &str = "update participants set name = $2 where id = $1";

pub(in crate::store) fn add_credential(now: &str) -> Cow<'static, str> {
    format!(
        "insert into credentials (hash, id, opens, participant, created_at, expires_at, origin, label, address, idle_ms, \
         ends_at, scope) values ($1, $2, $3, $4, {now}, {now} + $5, $6, $7, $8, $9, {now} + $10, $11)"
    )
    .into()
}

/// Returns the condition that the credential has not expired.
fn is_not_expired(now: &str) -> String {
    format!("(expires_at is null or expires_at > {now})")
}

pub(in crate::store) fn authenticate(now: &str) -> Cow<'static, str> {
    format!(
        "select participants.id, kind, name, server_role, session_role, scope, \
         case when opens = 'token' then hash else origin end from credentials \
         join participants on participants.id = credentials.participant \
         where hash = $1 and opens = $2 and disabled_at is null and {} and not exists \
         (select 1 from credentials parent where parent.hash = credentials.origin and parent.expires_at <= {now})",
        is_not_expired(now)
    )
    .into()
}

/// Selects the token with the hash `$1` or, if that is the hash of a cookie, the token from which the cookie was
/// created.
pub(in crate::store) const TOKEN_ORIGIN: &str = "\
    select hash, expires_at from credentials where opens = 'token' and (hash = $1 or hash = \
    (select cookie.origin from credentials cookie where cookie.hash = $1 and cookie.opens = 'cookie'))";

pub(in crate::store) fn redeem(now: &str) -> Cow<'static, str> {
    format!(
        "delete from credentials where hash = $1 and opens = $2 and {} and participant in \
         (select id from participants where disabled_at is null) returning participant",
        is_not_expired(now)
    )
    .into()
}

pub(in crate::store) fn administrator(now: &str) -> Cow<'static, str> {
    format!(
        "select hash from credentials join participants on participants.id = credentials.participant \
         where server_role = 'admin' and disabled_at is null and opens in ('token', 'cookie') and {} limit 1",
        is_not_expired(now)
    )
    .into()
}

/// Columns of a listed credential, after those of its participant.
const CREDENTIAL_COLUMNS: &str = "\
    participants.id, kind, name, server_role, session_role, credentials.id, opens, label, address, credentials.created_at, last_used_at, \
    expires_at, scope from credentials join participants on participants.id = credentials.participant";

pub(in crate::store) fn tokens(now: &str) -> Cow<'static, str> {
    format!(
        "select {CREDENTIAL_COLUMNS} where opens = 'token' and {} order by credentials.created_at, credentials.id",
        is_not_expired(now)
    )
    .into()
}

/// Selects the credentials of the participant `$1`, or of all participants if `$1` is null.
pub(in crate::store) fn credentials(now: &str) -> Cow<'static, str> {
    format!(
        "select {CREDENTIAL_COLUMNS} where ($1 is null or credentials.participant = $1) and {} \
         order by coalesce(last_used_at, credentials.created_at) desc, credentials.id limit $2",
        is_not_expired(now)
    )
    .into()
}

/// Records uses of credentials, which extend the expiry of one with an idle timeout. An expired credential stays
/// expired, however late its use is recorded.
pub(in crate::store) fn record_uses(uses: usize, now: &str) -> Cow<'static, str> {
    let values = rows(uses, 2);
    format!(
        "with used (hash, address) as (values {values}) \
         update credentials set last_used_at = {now}, address = coalesce(used.address, credentials.address), \
         expires_at = case when idle_ms is null then expires_at when ends_at < {now} + idle_ms then ends_at \
         else {now} + idle_ms end from used where credentials.hash = used.hash and {}",
        is_not_expired(now)
    )
    .into()
}

pub(in crate::store) const REVOKE_CREDENTIAL: &str =
    "delete from credentials where participant = $1 and id = $2 returning opens";
pub(in crate::store) const SIGN_OUT_EVERYWHERE: &str =
    "delete from credentials where participant = $1 and opens in ('cookie', 'signin')";
pub(in crate::store) const REVOKE_SIGN_INS: &str =
    "delete from credentials where opens in ('cookie', 'signin') and id like $1";

/// Disables a participant. If the participant is already disabled, keeps the earlier time.
pub(in crate::store) fn disable(now: &str) -> Cow<'static, str> {
    format!("update participants set disabled_at = coalesce(disabled_at, {now}) where id = $1").into()
}
pub(in crate::store) const ENABLE: &str = "update participants set disabled_at = null where id = $1";

/// Selects participants, newest ids first. Names are compared as the database folds them. `$5` has bit 1 for enabled
/// participants and bit 2 for disabled ones.
pub(in crate::store) const PARTICIPANTS: &str = "\
    select id, kind, name, server_role, session_role, created_at, disabled_at, \
    (select max(last_used_at) from credentials where participant = participants.id), signed_in_by, signed_in_at \
    from participants \
    where id < $1 and lower(name) like lower($2) escape '!' and server_role like $4 \
    and case when disabled_at is null then 1 else 2 end & $5 <> 0 order by id desc limit $3";
pub(in crate::store) const DISABLED: &str = "select disabled_at from participants where id = $1";

pub(in crate::store) const REVOKE_TOKENS: &str = "delete from credentials where opens = 'token' and id like $1";
pub(in crate::store) const REMOVE_CREDENTIAL: &str = "delete from credentials where hash = $1";
pub(in crate::store) const REMOVE_ENDED_CREDENTIALS: &str = "delete from credentials where expires_at <= $1";

/// Returns the statement that reads the hashes of the credentials that have ended since `$1`, and the database's clock.
/// The row without a hash contains the clock. Upper bounds read the clock in a subquery, so that PostgreSQL can use an
/// index for them.
pub(in crate::store) fn ended(now: &str) -> Cow<'static, str> {
    format!(
        "select {now}, null union all select 0, hash from revocations where at > $1 \
         union all select 0, hash from credentials where expires_at > $1 and expires_at <= (select {now}) \
         union all select 0, made.hash from credentials made join credentials parent on parent.hash = made.origin \
         where parent.expires_at > $1 and parent.expires_at <= (select {now}) \
         union all select 0, hash from participants join credentials on credentials.participant = participants.id \
         where disabled_at > $1"
    )
    .into()
}
pub(in crate::store) const FORGET_REVOCATIONS: &str = "delete from revocations where at < $1";

pub(in crate::store) fn add_invitation(now: &str) -> Cow<'static, str> {
    format!(
        "insert into invitations (hash, session, role, invited_by, expires_at, uses_left, knock) \
         values ($1, $2, $3, $4, {now} + $5, $6, $7) returning expires_at"
    )
    .into()
}

/// Returns the condition that an invitation has not expired and its author is not disabled.
fn is_open(now: &str) -> String {
    format!(
        "expires_at > {now} and not exists \
         (select 1 from participants where participants.id = invited_by and disabled_at is not null)"
    )
}

pub(in crate::store) fn invitation(now: &str) -> Cow<'static, str> {
    format!(
        "select hash, session, role, invited_by, expires_at, uses_left, knock from invitations where hash = $1 and {}",
        is_open(now)
    )
    .into()
}

pub(in crate::store) fn invitations(now: &str) -> Cow<'static, str> {
    format!(
        "select hash, session, role, invited_by, expires_at, uses_left, knock from invitations \
         where session = $1 and (uses_left is null or uses_left > 0) and {} order by expires_at, hash",
        is_open(now)
    )
    .into()
}

/// Counts a use and checks the limit in one statement: if two requests race for the last use, one of them changes no
/// row.
pub(in crate::store) fn use_invitation(now: &str) -> Cow<'static, str> {
    format!(
        "update invitations set uses_left = uses_left - 1 \
         where hash = $1 and (uses_left is null or uses_left > 0) and {}",
        is_open(now)
    )
    .into()
}
pub(in crate::store) const GIVE_USE_BACK: &str = "update invitations set uses_left = uses_left + 1 where hash = $1";

pub(in crate::store) const REMOVE_INVITATION: &str = "delete from invitations where hash = $1";
pub(in crate::store) const REMOVE_ENDED_INVITATIONS: &str = "delete from invitations where expires_at <= $1";
