//! `POST /api/v1/teams` and `POST /api/v1/teams/import`: create a team.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;

use super::body::{self, DocumentFormat};
use super::caller::TeamCaller;
use super::error::TeamError;
use super::prepared_team::PreparedTeam;
use super::response::{CreatedTeamResponse, TeamStatus, valid};
use crate::agent::teams::{NewTeam, TeamId, TeamLimits};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::http::QueryParameters;
use crate::identity::Participant;
use crate::node::Node;
use crate::protocol::Problem;
use crate::quotas::QuotaError;

/// Query of a request that creates or replaces a team.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CreateParameters {
    /// True to only check the document. Default false.
    pub(super) dry_run: bool,
}

pub(super) async fn create(
    State(node): State<Arc<Node>>,
    caller: TeamCaller,
    parameters: Result<QueryParameters<CreateParameters>, Problem>,
    request: Request,
) -> Result<Response, TeamError> {
    let who = caller.creator()?;
    make(&node, &who, parameters?.0, request, DocumentFormat::Json).await
}

pub(super) async fn import(
    State(node): State<Arc<Node>>,
    caller: TeamCaller,
    parameters: Result<QueryParameters<CreateParameters>, Problem>,
    request: Request,
) -> Result<Response, TeamError> {
    let who = caller.creator()?;
    let format = DocumentFormat::of(&request);
    make(&node, &who, parameters?.0, request, format).await
}

async fn make(
    node: &Arc<Node>,
    who: &Participant,
    parameters: CreateParameters,
    request: Request,
    format: DocumentFormat,
) -> Result<Response, TeamError> {
    let team = body::read(node, request, format).await?;
    if parameters.dry_run {
        return Ok(valid(team.summary()));
    }
    Ok(add(node, who, &team).await?)
}

/// Adds a team that belongs to this participant.
pub(super) async fn add(node: &Node, who: &Participant, team: &PreparedTeam) -> Result<Response, Problem> {
    let settings = &node.config.teams;
    let limits = TeamLimits { teams: settings.max_per_participant, bytes: settings.max_bytes_per_participant };
    let id = TeamId::fresh();
    let added = node.stored_teams.add_team(&NewTeam { id, owner: who.id, content: team.content() }, limits).await?;
    let Some(created_at) = added else {
        let is_number = node.stored_teams.count_teams_of(who.id).await? >= u64::from(limits.teams);
        return Err(if is_number { too_many(limits.teams) } else { too_large(limits.bytes) });
    };
    node.audit.record(NewAuditEntry::new(AuditAction::TeamCreated).by(who).subject(id));
    let created = CreatedTeamResponse {
        team_id: id,
        status: TeamStatus::Created,
        created_at,
        topology_summary: team.summary(),
        version: 1,
    };
    let mut response = (StatusCode::CREATED, Json(created)).into_response();
    if let Ok(path) = HeaderValue::try_from(format!("/api/v1/teams/{id}")) {
        response.headers_mut().insert(header::LOCATION, path);
    }
    Ok(response)
}

/// Returns the error for an owner who has the maximum number of teams.
fn too_many(limit: u32) -> Problem {
    let message = format!("the owner has {limit} teams, the maximum of teams.max_per_participant; delete one first");
    QuotaError { quota: "teams.max_per_participant", limit: limit.into(), frees_at: None, message }.into()
}

/// Returns the error for an owner whose teams would be too large in total.
pub(super) fn too_large(limit: u64) -> Problem {
    let message = format!(
        "the owner's teams would be larger than {limit} bytes together, the maximum of teams.max_bytes_per_participant; \
         delete one, or make this one smaller"
    );
    QuotaError { quota: "teams.max_bytes_per_participant", limit, frees_at: None, message }.into()
}
