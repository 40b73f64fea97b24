//! `DELETE /api/v1/teams/{team}`: deletes a team.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::caller::TeamCaller;
use super::error::TeamError;
use super::executions;
use super::if_match::IfMatch;
use super::lookup::{self, TeamUse, gone};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::http::{PathParameters, QueryParameters};
use crate::node::Node;
use crate::protocol::Problem;

/// Query of a request that deletes a team.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RemoveParameters {
    /// True to cancel executions that are in progress. Default false.
    cancel: bool,
}

pub(super) async fn remove(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    parameters: Result<QueryParameters<RemoveParameters>, Problem>,
    expected: Result<IfMatch, Problem>,
) -> Result<StatusCode, TeamError> {
    let (path, RemoveParameters { cancel }) = (path?.0, parameters?.0);
    let expected = expected?;
    let listing = lookup::listing(&node, &who, &path, TeamUse::Manage).await?;
    expected.check(&listing)?;
    let id = listing.id;
    // An execution that starts in the meantime keeps its copy of the team.
    executions::cancel_all(&node, &who, id, cancel).await?;
    if !node.stored_teams.remove_team(id).await? {
        return Err(gone(id).into());
    }
    node.audit.record(NewAuditEntry::new(AuditAction::TeamDeleted).by(&who).subject(id));
    Ok(StatusCode::NO_CONTENT)
}
