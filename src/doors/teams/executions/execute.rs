//! `POST /api/v1/teams/{team}/execute`: starts an execution, and streams its events or waits for its result.

use std::sync::Arc;

use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::lookup;
use super::projection::ExecutionProjection;
use super::response::{self, ExecutionResponse};
use super::start::{ExecutionSession, start};
use crate::agent::teams::topology::read_optional_whole;
use crate::agent::teams::{ExecutionId, TeamRight};
use crate::doors::caller::stream_lifetime;
use crate::doors::projection::Projection;
use crate::doors::sse;
use crate::doors::teams::caller::TeamCaller;
use crate::doors::teams::error::TeamError;
use crate::doors::teams::lookup::{TeamUse, team};
use crate::feed::JsonViewer;
use crate::http::{JsonBody, PathParameters, admit, last_event_id};
use crate::identity::{CredentialProof, RevocationGuard};
use crate::kernel::strict_json;
use crate::kernel::topology::Topology;
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Body of a request that executes a team.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecuteRequest {
    /// Task and context of the execution.
    pub(super) input: ExecutionInput,
    /// Seconds after which the execution ends, 1 to 1800, including pauses and questions to people. If absent, the
    /// team's limit applies.
    #[schemars(range(min = 1, max = Topology::MAX_TIMEOUT_SECONDS))]
    #[serde(default, deserialize_with = "read_optional_whole")]
    pub(super) timeout_seconds: Option<u32>,
    /// True to stream events, false to wait for the result. Default true.
    #[serde(default = "yes")]
    stream: bool,
}

fn yes() -> bool {
    true
}

/// Input of an execution.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecutionInput {
    /// Task, such as `Find the cause of the failed payments`.
    pub(super) task: Arc<str>,
    /// Data that prompt templates insert with `{context.KEY}`. Default none.
    #[serde(default, deserialize_with = "strict_json::object")]
    pub(super) context: Map<String, Value>,
}

pub(super) async fn execute(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    proof: Option<Extension<CredentialProof>>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, TeamError> {
    let team = team(&node, &who, &path?.0, TeamUse::With(TeamRight::Execute)).await?;
    let session = ExecutionSession::of(&headers, &who, &team)?;
    if last_event_id::<u64>(&headers)?.is_some() && !session.is_keyed() {
        let message = "Last-Event-ID continues the stream of an earlier request; send its Idempotency-Key too, or continue \
                     with GET /api/v1/executions/{execution}/events";
        return Err(Problem::new(Code::InvalidArgument, message).into());
    }
    let known = lookup::position(&node, session.id(), &headers).await?;
    let JsonBody(body) = JsonBody::<ExecuteRequest>::from_request(request, &node).await?;
    let counted = admit(&node, &who).await?;
    let id = start(&node, &who, &team, &body, session).await?;
    let listing = lookup::execution(&node, &who, &id.to_string()).await?;
    let (projection, _) = lookup::projection(&node, &listing).await?;
    let watch = sse::watch(&node, &who, id.session(), 0).await?;
    let held = stream_lifetime(&node, proof);
    let headers = AppendHeaders([
        (header::LOCATION, format!("/api/v1/executions/{id}")),
        (HeaderName::from_static("x-session-id"), id.session().to_string()),
    ]);
    if body.stream && lookup::has_end(&node, &listing, known).await? {
        return Ok((StatusCode::NO_CONTENT, headers).into_response());
    }
    if body.stream {
        return Ok((headers, sse::respond(&node, projection, watch, (held, counted), known)).into_response());
    }
    let ended = wait(projection, watch, &held, id).await?;
    match response::timed_out(&ended) {
        Some(error) => Ok((headers, error).into_response()),
        None => Ok((headers, Json(ExecutionResponse::of(&ended, listing))).into_response()),
    }
}

/// Waits for the end of an execution. If the caller disconnects, the execution continues.
async fn wait(
    mut projection: ExecutionProjection,
    mut watch: JsonViewer,
    held: &RevocationGuard,
    id: ExecutionId,
) -> Result<ExecutionProjection, Problem> {
    let mut lines = vec![];
    while !projection.is_over() {
        let frame = tokio::select! {
            frame = watch.next() => frame.map_err(Some),
            () = held.over().cancelled() => Err(None),
        };
        let frame = frame.map_err(|end| {
            let message = format!(
                "the server cannot wait for the execution; GET /api/v1/executions/{id} shows it, and the same request \
                 continues it only with an Idempotency-Key"
            );
            lookup::wait_ended_problem(end, held, message)
        })?;
        projection.take(serde_json::from_slice(&frame).map_err(Problem::internal)?, &mut lines);
        lines.clear();
    }
    Ok(projection)
}
