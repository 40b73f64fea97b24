//! Teams in responses.

use std::sync::Arc;

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent::teams::topology::{ReferenceCatalog, TeamDocument, TopologyDocument, TopologySummary};
use crate::agent::teams::{StoredTeam, TeamId, TeamListing, TeamRight};
use crate::identity::Participant;
use crate::kernel::{Language, ParticipantId, Timestamp};
use crate::protocol::Problem;

/// Status of a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TeamStatus {
    /// The team was just created.
    Created,
    /// The team can be executed.
    Active,
    /// The owner switched the team off.
    Inactive,
    /// A provider, model or tool that the team refers to no longer exists.
    Error,
}

impl TeamStatus {
    pub(super) fn of(listing: &TeamListing, catalog: &ReferenceCatalog) -> Self {
        match listing.active {
            false => Self::Inactive,
            true if listing.entry.references.are_known(catalog) => Self::Active,
            true => Self::Error,
        }
    }
}

/// Response to a request that created a team.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CreatedTeamResponse {
    /// Id of the team.
    pub(super) team_id: TeamId,
    /// Always `created`.
    pub(super) status: TeamStatus,
    /// Time of the creation.
    pub(super) created_at: Timestamp,
    /// Size of the topology.
    pub(super) topology_summary: TopologySummary,
    /// Number of the version, always 1.
    pub(super) version: u64,
}

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ValidityStatus {
    /// The document has no errors.
    Valid,
}

/// Response to a request that only checked a document.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ValidTeamResponse {
    /// Always `valid`.
    pub(super) status: ValidityStatus,
    /// Size of the topology.
    pub(super) topology_summary: TopologySummary,
}

/// Returns the response to a request that only checked a document.
pub(super) fn valid(topology_summary: TopologySummary) -> Response {
    Json(ValidTeamResponse { status: ValidityStatus::Valid, topology_summary }).into_response()
}

/// Participant with their name.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TeamParticipant {
    /// Id of the participant.
    pub(super) id: ParticipantId,
    /// Name of the participant.
    pub(super) name: Arc<str>,
}

/// A team in lists.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TeamListingResponse {
    /// Id of the team.
    id: TeamId,
    /// The same as `id`, with the name that the response to the creation of the team uses.
    team_id: TeamId,
    /// Name of the team.
    name: Arc<str>,
    /// Description of the team.
    description: Arc<str>,
    /// Status of the team: `active`, `inactive` or `error`.
    status: TeamStatus,
    /// Providers, models and tools that the team refers to and that no longer exist, at most 100. Absent if there are
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_references: Vec<Arc<str>>,
    /// Time of the creation.
    created_at: Timestamp,
    /// Time of the newest version.
    updated_at: Timestamp,
    /// Number of the newest version, from 1.
    version: u64,
    /// Owner of the team.
    owner: TeamParticipant,
    /// Right of the caller: `read`, `execute` or `edit`.
    right: TeamRight,
    /// True if the caller can delete the team, switch it on or off, and share it.
    manages: bool,
    /// Size of the topology.
    topology_summary: TopologySummary,
}

impl TeamListingResponse {
    pub(super) fn new(listing: TeamListing, who: &Participant, catalog: &ReferenceCatalog) -> Self {
        Self {
            id: listing.id,
            team_id: listing.id,
            status: TeamStatus::of(&listing, catalog),
            missing_references: listing.entry.references.missing(catalog),
            right: listing.right_of(who).unwrap_or(TeamRight::Read),
            manages: listing.is_managed_by(who),
            name: listing.name,
            description: listing.description,
            created_at: listing.created_at,
            updated_at: listing.updated_at,
            version: listing.version,
            owner: TeamParticipant { id: listing.owner, name: listing.owner_name },
            topology_summary: listing.entry.summary,
        }
    }
}

/// Page of a list of teams.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TeamListResponse {
    /// Teams, newest first.
    pub(super) teams: Vec<TeamListingResponse>,
    /// Number of the page, from 1.
    pub(super) page: u32,
    /// Maximum number of teams on a page.
    pub(super) size: u32,
    /// Number of teams on all pages.
    pub(super) total: u64,
}

/// A team with its topology.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TeamResponse {
    #[serde(flatten)]
    listing: TeamListingResponse,
    /// Topology of the team, as in the request that created the newest version.
    topology_config: TopologyDocument,
    /// Seconds after which an execution ends, unless its request sets another limit.
    timeout_seconds: u32,
    /// Maximum number of times that the supervisor of a node with the `adaptive` strategy picks an agent.
    max_iterations: u32,
    /// Language of the server's own texts, `en` or `zh`. Absent if the document has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<Language>,
    /// Name of the team in team files. Absent if the document has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    slug: Option<Arc<str>>,
    /// Tasks that people can choose from. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    starters: Vec<Arc<str>>,
}

/// Response to a request that replaced a team, or only checked its new version.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum ReplacedTeamResponse {
    /// The new version.
    Team(Box<TeamResponse>),
    /// With `dry_run`: the document is valid.
    Valid(ValidTeamResponse),
}

/// Returns the response with a team. Its `ETag` is the version of the team.
pub(super) fn team_response(
    team: StoredTeam,
    who: &Participant,
    catalog: &ReferenceCatalog,
) -> Result<Response, Problem> {
    let document = document(&team)?;
    let version = team.listing.version;
    let body = TeamResponse {
        listing: TeamListingResponse::new(team.listing, who, catalog),
        topology_config: document.topology,
        timeout_seconds: document.timeout_seconds,
        max_iterations: document.max_iterations,
        language: document.language,
        slug: document.slug,
        starters: document.starters,
    };
    let mut response = Json(body).into_response();
    if let Ok(tag) = HeaderValue::try_from(format!("\"{version}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}

/// Returns the document of a stored team.
pub(super) fn document(team: &StoredTeam) -> Result<TeamDocument, Problem> {
    serde_json::from_str(&team.document).map_err(Problem::internal)
}
