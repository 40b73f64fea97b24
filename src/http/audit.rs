//! Audit log over REST, for administrators.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::auth::Caller;
use super::extract::QueryParameters;
use super::pagination::truncate_page;
use crate::audit::{AuditAction, AuditEntry, AuditOutcome, AuditQuery};
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::node::Node;
use crate::protocol::Problem;

/// Query of the audit log.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditParameters {
    /// Action to match, for example `sign_in`.
    action: Option<AuditAction>,
    /// Outcome to match: `ok` or `denied`.
    outcome: Option<AuditOutcome>,
    /// Id of the actor to match.
    actor: Option<ParticipantId>,
    /// Id of the session to match.
    session: Option<SessionId>,
    /// Subject to match, an id or a name.
    subject: Option<Arc<str>>,
    /// Earliest time, inclusive, for example `2026-11-21T10:00:00.000Z`.
    since: Option<Timestamp>,
    /// Latest time, exclusive.
    until: Option<Timestamp>,
    /// `next` of the previous page. If absent, the first page.
    before: Option<u64>,
    /// Maximum number of entries. Default `http.default_page_size`, at most `http.max_page_size`.
    limit: Option<u32>,
}

/// Page of the audit log.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AuditPage {
    /// Entries, newest first.
    entries: Vec<AuditEntry>,
    /// Value of `before` for the next page. Null on the last page.
    next: Option<u64>,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    who: Caller,
    QueryParameters(parameters): QueryParameters<AuditParameters>,
) -> Result<Json<AuditPage>, Problem> {
    who.administrator("read the audit log")?;
    let AuditParameters { action, outcome, actor, session, subject, since, until, before, limit } = parameters;
    let limit = node.page(limit)?;
    let query = AuditQuery { action, outcome, actor, session, subject, since, until, before, limit: limit + 1 };
    let mut entries = node.audit.store().audit_entries(&query).await?;
    let next = truncate_page(&mut entries, limit).map(|last| last.id);
    Ok(Json(AuditPage { entries, next }))
}
