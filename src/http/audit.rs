//! The audit log, for administrators.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::auth::Signed;
use super::extract::Parameters;
use super::page::last_before_more;
use crate::audit::{AuditAction, AuditEntry, AuditOutcome, AuditQuery};
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::node::Node;
use crate::protocol::Problem;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditParameters {
    action: Option<AuditAction>,
    outcome: Option<AuditOutcome>,
    actor: Option<ParticipantId>,
    session: Option<SessionId>,
    subject: Option<Arc<str>>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    before: Option<u64>,
    limit: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(super) struct AuditPage {
    /// Newest first.
    entries: Vec<AuditEntry>,
    /// `before` of the next page; absent on the last.
    next: Option<u64>,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    who: Signed,
    Parameters(asked): Parameters<AuditParameters>,
) -> Result<Json<AuditPage>, Problem> {
    who.administrator("read the audit log")?;
    let AuditParameters { action, outcome, actor, session, subject, since, until, before, limit } = asked;
    let limit = node.page(limit)?;
    let query = AuditQuery { action, outcome, actor, session, subject, since, until, before, limit: limit + 1 };
    let mut entries = node.audit.store().audit_entries(&query).await?;
    let next = last_before_more(&mut entries, limit).map(|last| last.id);
    Ok(Json(AuditPage { entries, next }))
}
