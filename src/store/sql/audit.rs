//! Statements of the audit log.

use std::borrow::Cow;

/// Number of columns that the writer of an entry provides.
const COLUMNS: usize = 10;
/// Maximum number of entries that one statement removes, so that a sweep does not delay other writes for long.
pub(in crate::store) const REMOVED_AT_ONCE: u64 = 1000;

pub(in crate::store) fn add_entries(entries: usize, now: &str) -> Cow<'static, str> {
    let row = |row: usize| {
        let values = (1..=COLUMNS).map(|column| format!("${}", row * COLUMNS + column));
        format!("({now},{})", values.collect::<Vec<_>>().join(","))
    };
    let rows = (0..entries).map(row).collect::<Vec<_>>().join(",");
    format!(
        "insert into audit (at, action, outcome, actor, actor_kind, actor_name, address, session, subject, request, \
         detail) values {rows}"
    )
    .into()
}

/// Selects the entries that meet these conditions. The last placeholder is the limit.
pub(in crate::store) fn entries(conditions: &[String]) -> Cow<'static, str> {
    let filter = if conditions.is_empty() { String::new() } else { format!("where {} ", conditions.join(" and ")) };
    let limit = conditions.len() + 1;
    format!(
        "select id, at, action, outcome, actor, actor_kind, actor_name, address, session, subject, request, detail \
         from audit {filter}order by id desc limit ${limit}"
    )
    .into()
}

pub(in crate::store) const REMOVE_OLD: &str =
    "delete from audit where id in (select id from audit where at < $1 order by at limit $2)";
pub(in crate::store) const REMOVE_DENIALS: &str = "\
    delete from audit where id in \
    (select id from audit where outcome = 'denied' order by id desc limit $2 offset $1)";
