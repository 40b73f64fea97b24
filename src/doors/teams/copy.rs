//! `POST /api/v1/teams/{team}/clone`: copies a team.

use std::sync::Arc;

use axum::extract::{FromRequest, Request, State};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use super::caller::TeamCaller;
use super::create::add;
use super::error::TeamError;
use super::lookup::{self, TeamUse};
use super::prepared_team::PreparedTeam;
use super::response::document;
use crate::agent::teams::TeamRight;
use crate::http::{JsonBody, PathParameters};
use crate::kernel::{first_chars, is_label};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Maximum number of characters in the name of a team.
const MAX_NAME_CHARS: usize = 200;
const SUFFIX: &str = " (copy)";

/// Body of a request to copy a team. It can be empty.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CopyRequest {
    /// Name of the copy, 1 to 200 characters in one line. If absent, the name of the team followed by ` (copy)`.
    team_name: Option<Arc<str>>,
}

pub(super) async fn copy(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    request: Request,
) -> Result<Response, TeamError> {
    let team = lookup::team(&node, &who, &path?.0, TeamUse::With(TeamRight::Read)).await?;
    let who = TeamCaller(who).creator()?;
    let JsonBody(CopyRequest { team_name }) = JsonBody::from_request(request, &node).await?;
    let mut document = document(&team)?;
    document.team_name = team_name.unwrap_or_else(|| {
        let beginning = first_chars(&document.team_name, MAX_NAME_CHARS - SUFFIX.len());
        format!("{beginning}{SUFFIX}").into()
    });
    // In team files, two teams with the same slug would replace each other.
    document.slug = None;
    if !is_label(&document.team_name, MAX_NAME_CHARS) {
        let message = format!(
            "team_name is invalid; use 1 to {MAX_NAME_CHARS} characters without line breaks or invisible characters"
        );
        return Err(Problem::new(Code::InvalidArgument, message).into());
    }
    Ok(add(&node, &who, &PreparedTeam::new(&document)?).await?)
}
