//! `PUT /api/v1/teams/{team}`: replaces a team by another version.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use serde_json::json;

use super::body::{self, DocumentFormat};
use super::caller::TeamCaller;
use super::create::{CreateParameters, too_large};
use super::error::TeamError;
use super::lookup::{self, TeamUse, gone};
use super::response::{team_response, valid};
use crate::agent::teams::{TeamContent, TeamEntry, TeamReplacement, TeamRight};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::http::{PathParameters, QueryParameters};
use crate::node::Node;
use crate::protocol::{Code, Problem};

pub(super) async fn replace(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    parameters: Result<QueryParameters<CreateParameters>, Problem>,
    request: Request,
) -> Result<Response, TeamError> {
    let (path, parameters) = (path?.0, parameters?.0);
    let id = lookup::listing(&node, &who, &path, TeamUse::With(TeamRight::Edit)).await?.id;
    let expected = expected_version(request.headers())?;
    let document = body::read(&node, request, DocumentFormat::Json).await?;
    if parameters.dry_run {
        return Ok(valid(&document));
    }
    let json = serde_json::to_string(&document).map_err(Problem::internal)?;
    let entry = TeamEntry { summary: document.summary(), references: document.references() };
    let (name, description) = (&*document.team_name, &*document.description);
    let content = TeamContent { name, description, document: &json, entry: &entry };
    let max_bytes = node.config.teams.max_bytes_per_person;
    let version = match node.made_teams.replace_team(id, expected, &content, max_bytes).await? {
        TeamReplacement::Replaced(version) => version,
        TeamReplacement::Full => return Err(too_large(max_bytes).into()),
        TeamReplacement::Unknown => return Err(gone(id).into()),
        TeamReplacement::Conflict(current) => {
            let words = format!("the team has version {current} now; read it, then replace it again");
            let problem = Problem::new(Code::StaleRevision, words);
            return Err(problem.details(json!({ "current": { "version": current } })).into());
        }
    };
    let audited = NewAuditEntry::new(AuditAction::TeamReplaced).by(&who).subject(id).detail("version", version);
    node.audit.record(audited);
    let team = node.made_teams.team(id, who.id).await?.ok_or_else(|| gone(id))?;
    Ok(team_response(team, &who, &node.references())?)
}

/// Returns the version that `If-Match` names; `None` if any will do.
fn expected_version(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).and_then(|text| text.parse().ok());
    version.map(Some).ok_or_else(|| {
        let words = "If-Match is invalid; send the ETag of GET /api/v1/teams/{team}, such as \"3\" in quotes";
        Problem::new(Code::InvalidArgument, words)
    })
}
