//! The audit log, for SQLite and PostgreSQL.

use async_trait::async_trait;

use super::connection::{DatabaseConnection, SqlRow, SqlValue, int, unreadable};
use super::database::Database;
use super::engine::Engine;
use super::sql::{MAX_ROWS, audit as sql};
use crate::store_error::StoreError;
use crate::{
    audit::{AuditAction, AuditActor, AuditActorKind, AuditEntry, AuditOutcome, AuditQuery, AuditStore, NewAuditEntry},
    kernel::{ParticipantId, SessionId, Timestamp},
};

#[async_trait]
impl<E: Engine> AuditStore for Database<E> {
    async fn add_audit_entries(&self, entries: &[NewAuditEntry]) -> Result<(), StoreError> {
        for entries in entries.chunks(MAX_ROWS) {
            let texts = texts(entries);
            let values = values(entries, &texts);
            self.writer().await?.run(sql::add_entries(entries.len(), E::NOW), values).await?;
        }
        Ok(())
    }

    async fn audit_entries(&self, query: &AuditQuery) -> Result<Vec<AuditEntry>, StoreError> {
        let filters = [
            ("action = ", query.action.map(|action| SqlValue::Text(action.as_str()))),
            ("outcome = ", query.outcome.map(|outcome| SqlValue::Text(outcome.as_str()))),
            ("actor = ", query.actor.map(|actor| SqlValue::Id(actor.0))),
            ("session = ", query.session.map(|session| SqlValue::Id(session.0))),
            ("subject = ", query.subject.as_deref().map(SqlValue::Text)),
            ("at >= ", query.since.map(|since| int(since.millis()))),
            ("at < ", query.until.map(|until| int(until.millis()))),
            ("id < ", query.before.map(int)),
        ];
        let (mut conditions, mut values) = (vec![], vec![]);
        for (condition, value) in filters.into_iter().filter_map(|(condition, value)| Some((condition, value?))) {
            values.push(value);
            conditions.push(format!("{condition}${}", values.len()));
        }
        values.push(SqlValue::Int(query.limit.into()));
        let rows = self.reader().await?.rows(sql::entries(&conditions), values).await?;
        Ok(rows.iter().map(entry).collect::<Result<_, _>>()?)
    }

    async fn remove_audit_entries(&self, before: Timestamp, max_denials: u64) -> Result<u64, StoreError> {
        let mut removed = 0;
        for (statement, first) in [(sql::REMOVE_OLD, before.millis()), (sql::REMOVE_DENIALS, max_denials)] {
            loop {
                let count = self.writer().await?.run(statement, vec![int(first), int(sql::REMOVED_AT_ONCE)]).await?;
                removed += count;
                if count < sql::REMOVED_AT_ONCE {
                    break;
                }
            }
        }
        Ok(removed)
    }
}

/// Adds one entry over a connection that does not belong to a store.
pub(super) async fn add<E: Engine>(connection: &mut E::Connection, entry: &NewAuditEntry) -> Result<(), sqlx::Error> {
    let entries = std::slice::from_ref(entry);
    let texts = texts(entries);
    let values = values(entries, &texts);
    connection.run(sql::add_entries(entries.len(), E::NOW), values).await.map(drop)
}

/// Address and detail of an entry, as stored.
type EntryTexts = (Option<String>, Option<String>);

fn texts(entries: &[NewAuditEntry]) -> Vec<EntryTexts> {
    entries.iter().map(|entry| (entry.origin.address.map(|one| one.to_string()), entry.detail_json())).collect()
}

fn values<'a>(entries: &'a [NewAuditEntry], texts: &'a [EntryTexts]) -> Vec<SqlValue<'a>> {
    let values = entries.iter().zip(texts).flat_map(|(entry, (address, detail))| {
        let actor = entry.actor.as_ref();
        [
            SqlValue::Text(entry.action.as_str()),
            SqlValue::Text(entry.outcome.as_str()),
            SqlValue::MaybeId(actor.and_then(|actor| Some(actor.id?.0))),
            SqlValue::MaybeText(actor.map(|actor| actor.kind.as_str())),
            SqlValue::MaybeText(actor.map(|actor| &*actor.name)),
            SqlValue::MaybeText(address.as_deref()),
            SqlValue::MaybeId(entry.session.map(|session| session.0)),
            SqlValue::MaybeText(entry.subject.as_deref()),
            SqlValue::MaybeText(entry.origin.request.as_deref()),
            SqlValue::MaybeText(detail.as_deref()),
        ]
    });
    values.collect()
}

fn entry<R: SqlRow>(row: &R) -> Result<AuditEntry, sqlx::Error> {
    let actor = match (row.maybe_text(5)?, row.maybe_text(6)?) {
        (Some(kind), Some(name)) => Some(AuditActor {
            id: row.maybe_id(4)?.map(ParticipantId),
            kind: AuditActorKind::parse(&kind).ok_or_else(|| unreadable("a kind of actor"))?,
            name: name.into(),
        }),
        _ => None,
    };
    let detail = row.maybe_text(11)?.map(|json| serde_json::from_str(&json));
    Ok(AuditEntry {
        id: row.int(0)?,
        at: Timestamp::from_millis(row.int(1)?),
        action: AuditAction::parse(&row.text(2)?).ok_or_else(|| unreadable("an audited action"))?,
        outcome: AuditOutcome::parse(&row.text(3)?).ok_or_else(|| unreadable("an audited outcome"))?,
        actor,
        address: row.maybe_text(7)?.and_then(|address| address.parse().ok()),
        session: row.maybe_id(8)?.map(SessionId),
        subject: row.maybe_text(9)?.map(Into::into),
        request: row.maybe_text(10)?.map(Into::into),
        detail: detail.transpose().map_err(|_| unreadable("an audited detail"))?,
    })
}
