//! All SQL statements, each valid on both databases.

pub(super) mod audit;
pub(super) mod erasures;
pub(super) mod executions;
pub(super) mod external;
pub(super) mod identity;
pub(super) mod knowledge;
pub(super) mod quotas;
pub(super) mod redactions;
pub(super) mod scrub;
pub(super) mod teams;

use std::borrow::Cow;

use crate::clock::DAY;

/// Maximum number of rows in one statement. Each number of rows is a separate prepared statement.
pub(super) const MAX_ROWS: usize = 64;

/// Returns placeholders `($1,$2),($3,$4)…` for this number of rows and columns.
pub(super) fn rows(rows: usize, columns: usize) -> String {
    let mut text = String::with_capacity(rows * columns * 5 + rows * 3);
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ",(" });
        for column in 1..=columns {
            if column > 1 {
                text.push(',');
            }
            text.push('$');
            text.push_str(&(row * columns + column).to_string());
        }
        text.push(')');
    }
    text
}

/// Selects the sessions of a batch and locks them in the order of their ids. Two processes that lock in different
/// orders would deadlock.
///
/// Omits a session whose claim belongs to an expired lease: nothing can be appended to it.
pub(super) fn heads(sessions: usize, lock: &str, now: &str) -> Cow<'static, str> {
    let values = rows(1, sessions);
    format!(
        "select id, fence, head from sessions where id in {values} and (owner is null or {}) order by id{lock}",
        is_live("owner", now)
    )
    .into()
}

/// Returns the condition that the node in this column is live.
fn is_live(column: &str, now: &str) -> String {
    format!("exists (select 1 from nodes where nodes.id = {column} and nodes.expires_at > {now})")
}

/// Returns the condition that the node in this column can take over the sessions of a dead node.
fn may_take_over(column: &str, now: &str) -> String {
    format!(
        "exists (select 1 from nodes where nodes.id = {column} and nodes.expires_at > {now} \
         and nodes.takeover_after <= {now})"
    )
}

pub(super) fn only_heads(sessions: usize) -> Cow<'static, str> {
    format!("select id, head from sessions where id in {}", rows(1, sessions)).into()
}

pub(super) fn known_receipts(receipts: usize) -> Cow<'static, str> {
    let values = rows(receipts, 3);
    format!(
        "with requested (session, actor, command) as (values {values}) \
         select receipts.session, receipts.actor, receipts.command, receipts.seq from requested \
         join receipts on receipts.session = requested.session and receipts.actor = requested.actor \
         and receipts.command = requested.command"
    )
    .into()
}

pub(super) fn insert_events(events: usize) -> Cow<'static, str> {
    format!("insert into events (session, seq, frame) values {}", rows(events, 3)).into()
}

pub(super) fn insert_receipts(receipts: usize) -> Cow<'static, str> {
    format!("insert into receipts (session, actor, command, seq) values {}", rows(receipts, 4)).into()
}

pub(super) fn update_sessions(sessions: usize, now: &str) -> Cow<'static, str> {
    let values = rows(sessions, 12);
    format!(
        "with fresh (id, head, title, title_folded, updated_at, unfinished, waiting, summary, run_by, created_by, \
         retention_days, team) as (values {values}) \
         update sessions set head = fresh.head, title = fresh.title, title_folded = fresh.title_folded, \
         updated_at = fresh.updated_at, written_at = {now}, unfinished = fresh.unfinished, waiting = fresh.waiting, \
         summary = fresh.summary, run_by = fresh.run_by, retention_days = fresh.retention_days, team = fresh.team, \
         created_by = coalesce(sessions.created_by, fresh.created_by) from fresh where sessions.id = fresh.id"
    )
    .into()
}

pub(super) fn put_members(members: usize) -> Cow<'static, str> {
    let values = rows(members, 3);
    format!(
        "insert into members (session, participant, role) values {values} \
         on conflict (session, participant) do update set role = excluded.role"
    )
    .into()
}

pub(super) fn put_appearances(appearances: usize) -> Cow<'static, str> {
    let values = rows(appearances, 2);
    format!("insert into appearances (session, participant) values {values} on conflict do nothing").into()
}

pub(super) const REMOVE_MEMBER: &str = "delete from members where session = $1 and participant = $2";

/// Claims a session. Until the first event, `updated_at` and `written_at` are the time of the claim, so that a session
/// that was claimed but never written expires too.
///
/// A single statement, so that only one of two nodes gets the session of a dead node. It takes effect only while the
/// fence is the one that the claimer saw: otherwise, a late claim whose writer no longer waits for it would fence off
/// the claim that followed.
pub(super) fn claim(now: &str) -> Cow<'static, str> {
    format!(
        "insert into sessions (id, fence, head, title, title_folded, updated_at, written_at, unfinished, waiting, summary, \
         owner) select $1, 1, 0, '', '', {now}, {now}, $2, $2, '', $3 where ($3 is null or {}) \
         and ($4 = 0 or exists (select 1 from sessions where id = $1)) \
         on conflict (id) do update set fence = sessions.fence + 1, owner = excluded.owner \
         where sessions.fence = $4 and (sessions.owner is null or sessions.owner = excluded.owner \
         or (not {} and (excluded.owner is null or {}))) returning fence",
        is_live("$3", now),
        is_live("sessions.owner", now),
        may_take_over("excluded.owner", now)
    )
    .into()
}

/// Selects the node that prevents another node's claim. Selects nothing if the claimer's own lease is the reason.
pub(super) fn holder(now: &str) -> Cow<'static, str> {
    format!(
        "select owner from sessions where id = $1 and owner is distinct from $2 and ({} or {})",
        is_live("owner", now),
        is_live("$2", now)
    )
    .into()
}

pub(super) const RELEASE: &str = "update sessions set owner = null where id = $1 and fence = $2";

/// Starts or renews a lease. An update reads the clock again, because the statement might have waited for another
/// renewal of the same lease.
pub(super) fn renew(now: &str) -> Cow<'static, str> {
    format!(
        "insert into nodes (id, name, version, bus, expires_at, takeover_after) values ($1, $2, $3, $4, {now} + $5, {now}) \
         on conflict (id) do update set expires_at = {now} + $5, takeover_after = \
         case when nodes.expires_at > {now} then nodes.takeover_after else {now} + $5 end returning takeover_after"
    )
    .into()
}

pub(super) fn clock(now: &str) -> Cow<'static, str> {
    format!("select {now}").into()
}

pub(super) const END_LEASE: &str = "delete from nodes where id = $1";

pub(super) fn ownership(now: &str) -> Cow<'static, str> {
    format!("select head, case when {} then owner end, fence, owner from sessions where id = $1", is_live("owner", now))
        .into()
}

pub(super) fn others(now: &str) -> Cow<'static, str> {
    format!("select id, name, version, bus from nodes where id <> $1 and expires_at > {now}").into()
}

/// Deletes nodes whose lease expired more than a day ago. A day is longer than any pause from which a process resumes.
pub(super) fn remove_expired_nodes(now: &str) -> Cow<'static, str> {
    format!("delete from nodes where expires_at < {now} - {DAY}").into()
}

pub(super) const READ: &str = "\
    select events.seq, coalesce(erased_frames.frame, events.frame) \
    from events join sessions on sessions.id = events.session \
    left join erased_frames on erased_frames.session = events.session \
    and erased_frames.fence = sessions.erased_fence and erased_frames.seq = events.seq \
    where events.session = $1 and events.seq > $2 order by events.seq limit $3";
pub(super) const HEAD: &str = "select head from sessions where id = $1";
pub(super) const RECEIPT: &str = "select seq from receipts where session = $1 and actor = $2 and command = $3";
pub(super) const ROLE: &str = "select role from members where session = $1 and participant = $2";

pub(super) const SAVE_SNAPSHOT: &str = "\
    insert into snapshots (session, seq, state) values ($1, $2, $3) \
    on conflict (session) do update set seq = excluded.seq, state = excluded.state \
    where snapshots.seq <= excluded.seq";
pub(super) const SNAPSHOT: &str = "select seq, state from snapshots where session = $1";

pub(super) const LIST_MINE: &str = "\
    select sessions.id, head, role, title, updated_at, unfinished, waiting, summary, run_by, retention_days, team \
    from members join sessions on sessions.id = members.session \
    where head > 0 and title_folded like $1 escape '!' and (updated_at, sessions.id) < ($2, $3) \
    and members.participant = $5 \
    order by updated_at desc, sessions.id desc limit $4";
pub(super) const LIST_ALL: &str = "\
    select sessions.id, head, role, title, updated_at, unfinished, waiting, summary, run_by, retention_days, team from sessions \
    left join members on members.session = sessions.id and members.participant = $5 \
    where head > 0 and title_folded like $1 escape '!' and (updated_at, sessions.id) < ($2, $3) \
    order by updated_at desc, sessions.id desc limit $4";

/// Selects orphans in random order, so that nodes that search at the same time start with different ones.
pub(super) fn orphans(now: &str) -> Cow<'static, str> {
    format!(
        "select id from sessions where unfinished and head > 0 \
         and (owner is null or (not {} and ($2 is null or {}))) order by random() limit $1",
        is_live("owner", now),
        may_take_over("$2", now)
    )
    .into()
}

/// Removes sessions that are old according to both their writer's clock and the database's clock. A writer whose clock
/// is behind therefore loses nothing.
///
/// Removes a few sessions at a time, so that a sweep does not delay appends for long. The outer condition is checked
/// again on rows that another process has changed in the meantime.
pub(super) const REMOVE_EXPIRED: &str = "\
    delete from sessions where updated_at < $1 and written_at < $1 and not unfinished and not waiting and id in \
    (select id from sessions where updated_at < $1 and written_at < $1 and not unfinished and not waiting \
    order by updated_at, id limit $2)";

pub(super) fn put_content(now: &str) -> Cow<'static, str> {
    format!(
        "insert into contents (session, digest, content, at, named) values ($1, $2, $3, {now}, $4) \
         on conflict (session, digest) do update set at = excluded.at"
    )
    .into()
}
pub(super) const CONTENT_SLICE: &str = "\
    select substr(content, cast($3 as integer), cast($4 as integer)) from contents where session = $1 and digest = $2";
pub(super) const LOOSE: &str = "select distinct session from contents where at < $1 and not named";
pub(super) const LOOSE_CONTENTS: &str = "select digest from contents where session = $1 and at < $2 and not named";
pub(super) const CONTENT_IS_NAMED: &str = "update contents set named = $3 where session = $1 and digest = $2";
/// Removes unreferenced content. Checks its age again, because the content might have been stored again in the
/// meantime.
pub(super) const REMOVE_CONTENT: &str =
    "delete from contents where session = $1 and digest = $2 and at < $3 and not named";

/// Deletes content and, through foreign keys, its indexed texts and their passages.
pub(super) const ERASE_CONTENT: &str = "delete from contents where session = $1 and digest = $2";
/// Deletes only the uploads of participants named in the log. Other uploads do not belong to the session.
pub(super) const REMOVE_UPLOADS_OF_CONTENT: &str = "\
    delete from uploads where digest = $2 and owner in (select participant from appearances where session = $1)";

pub(super) fn add_upload(now: &str) -> Cow<'static, str> {
    format!("insert into uploads (id, owner, name, digest, content, at) values ($1, $2, $3, $4, $5, {now})").into()
}
pub(super) const REMOVE_OLDEST_UPLOADS: &str = "\
    delete from uploads where owner = $1 and taken = $2 and id not in \
    (select id from uploads where owner = $1 and taken = $2 order by at desc, id desc limit $3)";
pub(super) const UPLOAD_IS_TAKEN: &str = "update uploads set taken = $2 where id = $1";
pub(super) const UPLOAD: &str = "select owner, name from uploads where id = $1";
pub(super) const UPLOAD_CONTENT: &str = "select content from uploads where id = $1";
pub(super) const REMOVE_UPLOADS: &str = "delete from uploads where at < $1";
