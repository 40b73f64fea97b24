//! `DELETE /api/v1/teams/{team}`: deletes a team.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;

use super::caller::TeamCaller;
use super::error::TeamError;
use super::lookup::{self, TeamUse, gone};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::http::PathParameters;
use crate::node::Node;
use crate::protocol::Problem;

pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
) -> Result<StatusCode, TeamError> {
    let path = path?.0;
    let id = lookup::listing(&node, &who, &path, TeamUse::Manage).await?.id;
    if !node.made_teams.remove_team(id).await? {
        return Err(gone(id).into());
    }
    node.audit.record(NewAuditEntry::new(AuditAction::TeamDeleted).by(&who).subject(id));
    Ok(StatusCode::NO_CONTENT)
}
