//! `GET /api/v1/teams/{team}/executions`: a page of a team's executions.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::response::ExecutionListingResponse;
use crate::agent::teams::{ExecutionPage, ExecutionQuery, ExecutionStatus, TeamRight};
use crate::doors::teams::caller::TeamCaller;
use crate::doors::teams::error::TeamError;
use crate::doors::teams::lookup::{TeamUse, listing};
use crate::doors::teams::page::PageNumber;
use crate::http::{PathParameters, QueryParameters};
use crate::identity::ServerRole;
use crate::node::Node;
use crate::protocol::Problem;

/// Query of a page of executions.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ExecutionListParameters {
    /// Number of the page, from 1. Default 1.
    #[schemars(range(min = 1))]
    page: Option<u32>,
    /// Maximum number of executions on a page, 1 to 100. Default 20.
    #[schemars(range(min = 1, max = PageNumber::MAX_SIZE))]
    size: Option<u32>,
    /// Status of the executions. If absent, any status.
    status: Option<ExecutionStatus>,
}

/// Page of a list of executions.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExecutionListResponse {
    /// Executions, newest first.
    executions: Vec<ExecutionListingResponse>,
    /// Number of the page, from 1.
    page: u32,
    /// Maximum number of executions on a page.
    size: u32,
    /// Number of executions on all pages.
    total: u64,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    parameters: Result<QueryParameters<ExecutionListParameters>, Problem>,
) -> Result<Json<ExecutionListResponse>, TeamError> {
    let team = listing(&node, &who, &path?.0, TeamUse::With(TeamRight::Read)).await?;
    let ExecutionListParameters { page, size, status } = parameters?.0;
    let number = PageNumber::new(page, size)?;
    let query = ExecutionQuery {
        team: team.id,
        reader: who.id,
        all: who.server_role == ServerRole::Admin,
        status,
        offset: number.offset(),
        limit: number.size,
    };
    let ExecutionPage { executions, total } = node.executions.executions(&query).await?;
    let executions = executions.into_iter().map(ExecutionListingResponse::from).collect();
    Ok(Json(ExecutionListResponse { executions, page: number.page, size: number.size, total }))
}
