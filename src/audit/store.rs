//! Interface of the store for the audit log.

use std::sync::Arc;

use async_trait::async_trait;

use super::{AuditAction, AuditEntry, AuditOutcome, NewAuditEntry};
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::store_error::StoreError;

/// Filter and page of a list of entries. An absent filter matches every entry.
#[derive(Debug, Clone, Default)]
pub struct AuditQuery {
    /// Action to match.
    pub action: Option<AuditAction>,
    /// Outcome to match.
    pub outcome: Option<AuditOutcome>,
    /// Actor to match.
    pub actor: Option<ParticipantId>,
    /// Session to match.
    pub session: Option<SessionId>,
    /// Subject to match.
    pub subject: Option<Arc<str>>,
    /// Earliest time, inclusive.
    pub since: Option<Timestamp>,
    /// Latest time, exclusive.
    pub until: Option<Timestamp>,
    /// Upper bound on the ids, exclusive: the last id of the previous page.
    pub before: Option<u64>,
    /// Maximum number of entries, newest first.
    pub limit: u32,
}

/// Store of the audit log. Entries can only be added and swept; the database itself rejects changes to an entry.
#[async_trait]
pub trait AuditStore: Send + Sync + 'static {
    /// Adds either all of these entries or none, in this order, with the current time of the database's clock.
    async fn add_audit_entries(&self, entries: &[NewAuditEntry]) -> Result<(), StoreError>;

    /// Returns the entries that match the query, newest first.
    async fn audit_entries(&self, query: &AuditQuery) -> Result<Vec<AuditEntry>, StoreError>;

    /// Deletes the entries from before `before`, and the oldest denials beyond `max_denials`. Returns the number of
    /// deleted entries.
    async fn remove_audit_entries(&self, before: Timestamp, max_denials: u64) -> Result<u64, StoreError>;
}
