//! `/api/v1/teams/{team}/access`: the participants with whom a team is shared.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::caller::TeamCaller;
use super::error::TeamError;
use super::lookup::{self, TeamUse};
use super::response::TeamParticipant;
use crate::agent::teams::{TeamAccess, TeamId, TeamRight};
use crate::audit::{AuditAction, NewAuditEntry};
use crate::http::{JsonBody, PathParameters};
use crate::identity::{Participant, ServerRole};
use crate::kernel::{ParticipantId, first_chars};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Maximum number of participants with whom a team can be shared.
const MAX_SHARES: u32 = 100;

/// Participants who can use a team, in addition to its owner.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AccessListResponse {
    /// Participants with their rights, ordered by name.
    access: Vec<AccessResponse>,
}

/// Right of a participant to a team.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AccessResponse {
    /// The participant.
    participant: TeamParticipant,
    /// Right of the participant.
    right: TeamRight,
}

/// Body of a request to share a team.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AccessRequest {
    /// Right of the participant from now on.
    right: TeamRight,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
) -> Result<Json<AccessListResponse>, TeamError> {
    let id = lookup::listing(&node, &who, &path?.0, TeamUse::Manage).await?.id;
    let access = node.stored_teams.team_access(id).await?.into_iter();
    let response = |TeamAccess { participant, name, right }| AccessResponse {
        participant: TeamParticipant { id: participant, name },
        right,
    };
    Ok(Json(AccessListResponse { access: access.map(response).collect() }))
}

pub(super) async fn share(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<(String, String)>, Problem>,
    request: Request,
) -> Result<Json<AccessResponse>, TeamError> {
    let (team, participant) = path?.0;
    let listing = lookup::listing(&node, &who, &team, TeamUse::Manage).await?;
    let JsonBody(AccessRequest { right }) = JsonBody::from_request(request, &node).await?;
    let member = match participant.parse() {
        Ok(id) => node.identities.participant(id).await?,
        Err(_) => None,
    };
    // A guest counts as unknown, because nothing can be shared with guests.
    let member = member.filter(|member| member.server_role != ServerRole::Guest);
    let member = member.ok_or_else(|| {
        let message = format!("the server has no member with the id {}; check it", first_chars(&participant, 64));
        Problem::new(Code::UnknownParticipant, message)
    })?;
    if member.id == listing.owner {
        let message = format!("{} owns the team and has every right; name somebody else", listing.owner_name);
        return Err(Problem::new(Code::InvalidArgument, message).into());
    }
    if !node.stored_teams.share_team(listing.id, member.id, right, MAX_SHARES).await? {
        let message = format!("the team is shared with {MAX_SHARES} participants, the maximum; remove one first");
        return Err(Problem::new(Code::QuotaExceeded, message).into());
    }
    record(&node, &who, listing.id, member.id, right.as_str());
    Ok(Json(AccessResponse { participant: TeamParticipant { id: member.id, name: member.name }, right }))
}

pub(super) async fn unshare(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<(String, String)>, Problem>,
) -> Result<StatusCode, TeamError> {
    let (team, participant) = path?.0;
    let id = lookup::listing(&node, &who, &team, TeamUse::Manage).await?.id;
    let known: ParticipantId = participant.parse().map_err(|_| unknown_participant(&participant))?;
    if !node.stored_teams.unshare_team(id, known).await? {
        return Err(unknown_participant(&participant).into());
    }
    record(&node, &who, id, known, "none");
    Ok(StatusCode::NO_CONTENT)
}

fn record(node: &Node, who: &Participant, team: TeamId, participant: ParticipantId, right: &str) {
    let entry = NewAuditEntry::new(AuditAction::TeamShared).by(who).subject(team);
    node.audit.record(entry.detail("participant", participant.to_string()).detail("right", right));
}

fn unknown_participant(id: &str) -> Problem {
    let message = format!("the team is not shared with {}; check the id", first_chars(id, 64));
    Problem::new(Code::UnknownParticipant, message)
}
