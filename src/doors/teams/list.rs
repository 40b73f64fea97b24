//! `GET /api/v1/teams`: a page of teams.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use super::caller::TeamCaller;
use super::error::TeamError;
use super::page::PageNumber;
use super::response::{TeamListResponse, TeamListingResponse, TeamStatus};
use crate::agent::teams::topology::ReferenceCatalog;
use crate::agent::teams::{TeamListing, TeamPage, TeamQuery};
use crate::http::QueryParameters;
use crate::identity::ServerRole;
use crate::node::Node;
use crate::protocol::Problem;

/// Number of teams read per statement, to find those with a status that the store does not know. `MAX_SCANNED_TEAMS`
/// limits the total.
const BATCH_TEAMS: u32 = 500;
const MAX_SCANNED_TEAMS: u64 = 20_000;

/// Query of a page of teams.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListParameters {
    /// Number of the page, from 1. Default 1.
    #[schemars(range(min = 1))]
    page: Option<u32>,
    /// Maximum number of teams on a page, 1 to 100. Default 20.
    #[schemars(range(min = 1, max = PageNumber::MAX_SIZE))]
    size: Option<u32>,
    /// Status of the teams: `active`, `inactive` or `error`. If absent, any status.
    status: Option<TeamStatusFilter>,
}

/// Status that a list can be filtered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TeamStatusFilter {
    /// Teams that can be executed.
    Active,
    /// Teams that their owner switched off.
    Inactive,
    /// Teams that refer to something that no longer exists.
    Error,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    parameters: Result<QueryParameters<ListParameters>, Problem>,
) -> Result<Json<TeamListResponse>, TeamError> {
    let ListParameters { page, size, status } = parameters?.0;
    let number = PageNumber::new(page, size)?;
    let catalog = node.references();
    let query = TeamQuery {
        reader: who.id,
        all: who.server_role == ServerRole::Admin,
        active: status.map(|status| status != TeamStatusFilter::Inactive),
        offset: number.offset(),
        limit: number.size,
    };
    let found = match status {
        // Guests cannot create teams, and nothing can be shared with them.
        _ if who.server_role == ServerRole::Guest => TeamPage { teams: vec![], total: 0 },
        Some(TeamStatusFilter::Active) => filtered(&node, query, |team| is(team, &catalog, TeamStatus::Active)).await?,
        Some(TeamStatusFilter::Error) => filtered(&node, query, |team| is(team, &catalog, TeamStatus::Error)).await?,
        Some(TeamStatusFilter::Inactive) | None => node.stored_teams.teams(&query).await?,
    };
    let teams = found.teams.into_iter().map(|team| TeamListingResponse::new(team, &who, &catalog)).collect();
    Ok(Json(TeamListResponse { teams, page: number.page, size: number.size, total: found.total }))
}

fn is(team: &TeamListing, catalog: &ReferenceCatalog, status: TeamStatus) -> bool {
    TeamStatus::of(team, catalog) == status
}

/// Returns a page of the matching teams. Only this server knows whether a team refers to something that no longer
/// exists, so the store cannot filter by it.
async fn filtered(node: &Node, query: TeamQuery, fits: impl Fn(&TeamListing) -> bool) -> Result<TeamPage, Problem> {
    let (mut page, mut scanned) = (TeamPage { teams: vec![], total: 0 }, 0);
    loop {
        let batch = node.stored_teams.teams(&TeamQuery { offset: scanned, limit: BATCH_TEAMS, ..query }).await?;
        scanned += batch.teams.len() as u64;
        let is_last = batch.teams.len() < BATCH_TEAMS as usize || scanned >= MAX_SCANNED_TEAMS;
        for team in batch.teams.into_iter().filter(|team| fits(team)) {
            if page.total >= query.offset && page.teams.len() < query.limit as usize {
                page.teams.push(team);
            }
            page.total += 1;
        }
        if is_last {
            return Ok(page);
        }
    }
}
