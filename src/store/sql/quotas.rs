//! Statements about quotas.

use std::borrow::Cow;

pub(in crate::store) const SESSIONS: &str = "select count(*) from sessions where created_by = $1 and head > 0";
pub(in crate::store) const RUNS: &str = "select count(*) from sessions where run_by = $1";
pub(in crate::store) const FILE_BYTES: &str =
    "select cast(coalesce(sum(bytes), 0) as bigint) from contents where brought_by = $1";
pub(in crate::store) const CHARGE_FILE: &str = "\
    update contents set brought_by = $3, bytes = length(content) \
    where session = $1 and digest = $2 and brought_by is null";
pub(in crate::store) const KNOWLEDGE_BYTES: &str = "\
    select cast(coalesce(sum(documents.bytes), 0) as bigint) from bases \
    join documents on documents.base = bases.id where bases.owner = $1";

pub(in crate::store) fn reserve_python(now: &str) -> Cow<'static, str> {
    format!("insert into python_use (id, session, participant, at, ms) values ($1, $2, $3, {now}, $4)").into()
}

pub(in crate::store) fn python_ms(column: &str, now: &str) -> Cow<'static, str> {
    format!(
        "select cast(coalesce(sum(ms), 0) as bigint), min(at) from python_use \
         where {column} = $1 and at > {now} - $2 and id <> $3 and ms > 0"
    )
    .into()
}

pub(in crate::store) const END_PYTHON: &str = "update python_use set ms = $2 where id = $1 and ms > $2";
pub(in crate::store) const REMOVE_PYTHON: &str = "delete from python_use where at < $1";
