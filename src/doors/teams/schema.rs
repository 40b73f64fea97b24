//! `GET /api/v1/teams/schema`: the JSON Schema of a document.

use axum::Json;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::caller::TeamCaller;
use crate::agent::teams::topology::document_schema;

/// JSON Schema (2020-12) of the document of a team.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct TeamSchemaResponse(#[schemars(with = "serde_json::Map<String, Value>")] Value);

pub(super) async fn schema(_: TeamCaller) -> Json<TeamSchemaResponse> {
    Json(TeamSchemaResponse(document_schema()))
}
