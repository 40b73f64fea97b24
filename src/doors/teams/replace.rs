//! `PUT /api/v1/teams/{team}`: replaces a team with another version.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use super::body::{self, DocumentFormat};
use super::caller::TeamCaller;
use super::create::{CreateParameters, too_large};
use super::error::TeamError;
use super::if_match::{IfMatch, conflict};
use super::lookup::{self, TeamUse, gone};
use super::response::{team_response, valid};
use crate::agent::teams::{TeamReplacement, TeamRight};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::http::{PathParameters, QueryParameters};
use crate::node::Node;
use crate::protocol::Problem;

pub(super) async fn replace(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    parameters: Result<QueryParameters<CreateParameters>, Problem>,
    expected: Result<IfMatch, Problem>,
    request: Request,
) -> Result<Response, TeamError> {
    let (path, parameters) = (path?.0, parameters?.0);
    let expected = expected?;
    let listing = lookup::listing(&node, &who, &path, TeamUse::With(TeamRight::Edit)).await?;
    expected.check(&listing)?;
    let id = listing.id;
    let team = body::read(&node, request, DocumentFormat::Json).await?;
    if parameters.dry_run {
        return Ok(valid(team.summary()));
    }
    let max_bytes = node.config.teams.max_bytes_per_participant;
    let version = match node.stored_teams.replace_team(id, expected.0, &team.content(), max_bytes).await? {
        TeamReplacement::Replaced(version) => version,
        TeamReplacement::Full => return Err(too_large(max_bytes).into()),
        TeamReplacement::Unknown => return Err(gone(id).into()),
        TeamReplacement::Conflict(current) => return Err(conflict(current).into()),
    };
    let audited = NewAuditEntry::new(AuditAction::TeamReplaced).by(&who).subject(id).detail("version", version);
    node.audit.record(audited);
    let team = node.stored_teams.team(id, who.id).await?.ok_or_else(|| gone(id))?;
    Ok(team_response(team, &who, &node.references())?)
}
