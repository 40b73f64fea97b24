//! `PATCH /api/v1/teams/{team}`: switches a team on or off.

use std::sync::Arc;

use axum::extract::{FromRequest, Request, State};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use super::caller::TeamCaller;
use super::error::TeamError;
use super::if_match::IfMatch;
use super::lookup::{self, TeamUse, gone};
use super::response::team_response;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::http::{JsonBody, PathParameters};
use crate::node::Node;
use crate::protocol::Problem;

/// Body of a request that switches a team on or off.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusRequest {
    /// Status of the team from now on. An inactive team cannot be executed; executions in progress continue.
    status: TeamSwitch,
}

/// State of the switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TeamSwitch {
    /// The team can be executed.
    Active,
    /// The team cannot be executed.
    Inactive,
}

pub(super) async fn change(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    expected: Result<IfMatch, Problem>,
    request: Request,
) -> Result<Response, TeamError> {
    let (path, expected) = (path?.0, expected?);
    let listing = lookup::listing(&node, &who, &path, TeamUse::Manage).await?;
    expected.check(&listing)?;
    let id = listing.id;
    let JsonBody(StatusRequest { status }) = JsonBody::from_request(request, &node).await?;
    let active = status == TeamSwitch::Active;
    if !node.stored_teams.set_team_active(id, active).await? {
        return Err(gone(id).into());
    }
    node.audit.record(NewAuditEntry::new(AuditAction::TeamReplaced).by(&who).subject(id).detail("active", active));
    let team = node.stored_teams.team(id, who.id).await?.ok_or_else(|| gone(id))?;
    Ok(team_response(team, &who, &node.references())?)
}
