//! Statements about redaction requests.

use std::borrow::Cow;

use crate::clock::DAY;

pub(in crate::store) fn request(now: &str) -> Cow<'static, str> {
    format!("insert into redactions (kind, target, content, actor, at) values ($1, $2, $3, $4, {now}) returning id")
        .into()
}

pub(in crate::store) const REQUESTS: &str =
    "select id, kind, target, content, actor from redactions where id > $1 order by id limit $2";
pub(in crate::store) const COMPLETE: &str = "delete from redactions where id = $1";
pub(in crate::store) const REMOVE_CREDENTIALS: &str = "delete from credentials where participant = $1";
pub(in crate::store) const REMOVE_UPLOADS: &str = "delete from uploads where owner = $1";
pub(in crate::store) const REMOVE_TEAMS: &str = "delete from teams where owner = $1";
pub(in crate::store) const REMOVE_TEAM_ACCESS: &str = "delete from team_access where participant = $1";
pub(in crate::store) const SESSIONS_AFTER: &str =
    "select session from appearances where participant = $1 and session > $2 order by session limit $3";
pub(in crate::store) const HAS_APPEARED: &str =
    "select session from appearances where participant = $1 and session = $2";

/// Selects sessions that are old according to both their writer's clock and the database's clock.
pub(in crate::store) fn past_retention() -> Cow<'static, str> {
    format!(
        "select id, updated_at from sessions where retention_days is not null and not unfinished and not waiting and head > 0 \
         and updated_at < $1 - retention_days * {DAY} and written_at < $1 - retention_days * {DAY} \
         and (updated_at, id) > ($2, $3) order by updated_at, id limit $4"
    )
    .into()
}
