//! `GET /api/v1/teams/{team}/export`: a team as a file.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;

use super::caller::TeamCaller;
use super::error::TeamError;
use super::lookup::{self, TeamUse};
use super::response::document;
use crate::agent::teams::TeamRight;
use crate::agent::teams::topology::write_team_file;
use crate::http::{PathParameters, QueryParameters};
use crate::node::Node;
use crate::protocol::Problem;

/// Query of an export.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ExportParameters {
    /// Format of the file. Default `json`.
    format: ExportFormat,
}

/// Format of an exported team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ExportFormat {
    /// The document, as in a request that creates a team.
    #[default]
    Json,
    /// A team file, as in an operator's folder of team files.
    Toml,
}

pub(super) async fn export(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    parameters: Result<QueryParameters<ExportParameters>, Problem>,
    headers: HeaderMap,
) -> Result<Response, TeamError> {
    let team = lookup::team(&node, &who, &path?.0, TeamUse::With(TeamRight::Read)).await?;
    let format = parameters?.0.format;
    let tag = format!("\"{}-{format:?}\"", team.listing.version);
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let document = document(&team)?;
    let (media_type, extension, text) = match format {
        ExportFormat::Json => {
            let text = serde_json::to_string_pretty(&document).map_err(Problem::internal)?;
            ("application/json", "json", text)
        }
        ExportFormat::Toml => ("application/toml", "toml", write_team_file(&document).map_err(Problem::internal)?),
    };
    let name = format!("attachment; filename=\"team-{}.{extension}\"", team.listing.id);
    let headers =
        [(header::CONTENT_TYPE, media_type.to_owned()), (header::CONTENT_DISPOSITION, name), (header::ETAG, tag)];
    Ok((headers, text).into_response())
}
