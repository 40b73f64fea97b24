//! `GET /api/v1/teams/{team}`: a team with its topology.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::caller::TeamCaller;
use super::error::TeamError;
use super::lookup::{self, TeamUse};
use super::response::team_response;
use crate::agent::teams::TeamRight;
use crate::http::PathParameters;
use crate::node::Node;
use crate::protocol::Problem;

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
) -> Result<Response, TeamError> {
    let team = lookup::team(&node, &who, &path?.0, TeamUse::With(TeamRight::Read)).await?;
    Ok(team_response(team, &who, &node.references())?)
}
