//! Statements about teams that participants created.

use std::borrow::Cow;

/// Columns of a team without its document, for the participant `$1`.
const LISTING: &str = "teams.id, teams.owner, participants.name, teams.name, teams.description, teams.entry, \
                       teams.version, teams.active, teams.created_at, teams.updated_at, teams.bytes, team_access.access";
const SOURCE: &str = "from teams join participants on participants.id = teams.owner \
                      left join team_access on team_access.team = teams.id and team_access.participant = $1";
/// Teams that the participant `$1` can see, or all of them if `$2` is set. If `$3` is set, only those that are active
/// or inactive, as given by `$4`.
const VISIBLE: &str = "(teams.owner = $1 or team_access.participant is not null or $2) \
                       and (not $3 or teams.active = $4)";

/// Adds a team, and checks the limits in the same statement. The caller holds a lock on the owner's row.
pub(in crate::store) fn add_team(now: &str) -> Cow<'static, str> {
    format!(
        "insert into teams (id, owner, name, description, document, entry, version, active, created_at, updated_at, \
         bytes) select $1, $2, $3, $4, $5, $6, 1, $7, moment.at, moment.at, cast($8 as bigint) \
         from (select {now} as at) moment where (select count(*) from teams where owner = $2) < $9 \
         and (select coalesce(sum(bytes), 0) from teams where owner = $2) + $8 <= $10 returning created_at"
    )
    .into()
}

pub(in crate::store) fn team() -> Cow<'static, str> {
    format!("select {LISTING}, teams.document {SOURCE} where teams.id = $2").into()
}

pub(in crate::store) fn team_listing() -> Cow<'static, str> {
    format!("select {LISTING} {SOURCE} where teams.id = $2").into()
}

pub(in crate::store) fn teams() -> Cow<'static, str> {
    format!(
        "select {LISTING} {SOURCE} where {VISIBLE} order by teams.created_at desc, teams.id desc limit $5 offset $6"
    )
    .into()
}

pub(in crate::store) fn count_teams() -> Cow<'static, str> {
    format!("select count(*) {SOURCE} where {VISIBLE}").into()
}

pub(in crate::store) const COUNT_OF_OWNER: &str = "select count(*) from teams where owner = $1";
pub(in crate::store) const OWNER: &str = "select owner from teams where id = $1";

pub(in crate::store) fn lock_team(lock: &str) -> Cow<'static, str> {
    format!("select version from teams where id = $1{lock}").into()
}

/// Replaces a team unless that exceeds the size limit. The caller holds locks on the owner's row and the team's row.
pub(in crate::store) fn replace_team(now: &str) -> Cow<'static, str> {
    format!(
        "update teams set name = $2, description = $3, document = $4, entry = $5, version = version + 1, \
         updated_at = {now}, bytes = $6 where id = $1 \
         and (select coalesce(sum(others.bytes), 0) from teams others where others.owner = teams.owner \
         and others.id <> $1) + $6 <= $7 returning version"
    )
    .into()
}

pub(in crate::store) const SET_ACTIVE: &str = "update teams set active = $2 where id = $1";
pub(in crate::store) const REMOVE: &str = "delete from teams where id = $1";

/// Gives a participant access to a team unless that exceeds the limit. The caller holds a lock on the team's row.
pub(in crate::store) const SHARE: &str = "\
    insert into team_access (team, participant, access) select $1, $2, $3 \
    where (select count(*) from team_access where team = $1 and participant <> $2) < $4 \
    on conflict (team, participant) do update set access = excluded.access";
pub(in crate::store) const UNSHARE: &str = "delete from team_access where team = $1 and participant = $2";
pub(in crate::store) const ACCESS: &str = "\
    select team_access.participant, participants.name, team_access.access from team_access \
    join participants on participants.id = team_access.participant where team_access.team = $1 \
    order by participants.name, team_access.participant";
