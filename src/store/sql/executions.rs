//! Statements about executions of stored teams.

use std::borrow::Cow;

const LISTING: &str = "executions.session, executions.team, executions.team_version, executions.status, \
                       executions.started_at, executions.completed_at, executions.error, sessions.title, \
                       executions.tokens, executions.cost_micros";
/// Executions of the team `$1` that the participant `$2` can see, or all of them if `$3` is set. If `$4` is set, only
/// those with the status `$5`.
const VISIBLE: &str = "from executions join sessions on sessions.id = executions.session where executions.team = $1 \
                       and ($3 or exists (select 1 from members where members.session = executions.session \
                       and members.participant = $2)) and (not $4 or executions.status = $5)";

/// Does nothing if the session already has an execution: a later run of the session is not an execution.
pub(in crate::store) const START: &str = "\
    insert into executions (session, team, team_version, status, started_at) values ($1, $2, $3, $4, $5) \
    on conflict (session) do nothing";
pub(in crate::store) const END: &str = "\
    update executions set status = $3, completed_at = $4, error = $5, tokens = $6, cost_micros = $7 \
    where session = $1 and status = $2";
pub(in crate::store) const ERASE: &str = "delete from executions where session = $1";

pub(in crate::store) fn execution() -> Cow<'static, str> {
    format!("select {LISTING} from executions join sessions on sessions.id = executions.session where session = $1")
        .into()
}

pub(in crate::store) fn executions() -> Cow<'static, str> {
    format!(
        "select {LISTING} {VISIBLE} order by executions.started_at desc, executions.session desc limit $6 offset $7"
    )
    .into()
}

pub(in crate::store) fn count_executions() -> Cow<'static, str> {
    format!("select count(*) {VISIBLE}").into()
}
