//! Storage of the audit log.

use std::sync::Arc;

use async_trait::async_trait;

use super::{AuditAction, AuditEntry, AuditOutcome, NewAuditEntry};
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::store::StoreError;

/// Filter and page of a list of entries; an absent filter lets every entry through.
#[derive(Debug, Clone, Default)]
pub struct AuditQuery {
    /// Only this action.
    pub action: Option<AuditAction>,
    /// Only this outcome.
    pub outcome: Option<AuditOutcome>,
    /// Only this actor.
    pub actor: Option<ParticipantId>,
    /// Only this session.
    pub session: Option<SessionId>,
    /// Only this subject.
    pub subject: Option<Arc<str>>,
    /// Only from this moment on.
    pub since: Option<Timestamp>,
    /// Only before this moment.
    pub until: Option<Timestamp>,
    /// Only entries with a lower id: the next page.
    pub before: Option<u64>,
    /// At most this many, newest first.
    pub limit: u32,
}

/// The audit log. Entries are added and swept, and nothing else: the database itself refuses to change one.
#[async_trait]
pub trait AuditStore: Send + Sync + 'static {
    /// Add entries in this order, all or none, at this moment by the database's clock.
    async fn add_audit_entries(&self, entries: &[NewAuditEntry]) -> Result<(), StoreError>;

    /// Entries that the query lets through, newest first.
    async fn audit_entries(&self, query: &AuditQuery) -> Result<Vec<AuditEntry>, StoreError>;

    /// Remove entries from before that moment, and the oldest refusals beyond `max_refusals`; how many.
    async fn remove_audit_entries(&self, before: Timestamp, max_refusals: u64) -> Result<u64, StoreError>;
}
