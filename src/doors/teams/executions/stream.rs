//! `GET /api/v1/executions/{execution}/events`: the stream of an execution, from the beginning or from where it was
//! interrupted.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use super::lookup;
use crate::doors::caller::stream_lifetime;
use crate::doors::sse;
use crate::doors::teams::caller::TeamCaller;
use crate::doors::teams::error::TeamError;
use crate::http::{PathParameters, admit};
use crate::identity::CredentialProof;
use crate::node::Node;
use crate::protocol::Problem;

pub(super) async fn stream(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    proof: Option<Extension<CredentialProof>>,
    headers: HeaderMap,
) -> Result<Response, TeamError> {
    let listing = lookup::execution(&node, &who, &path?.0).await?;
    let known = lookup::position(&node, listing.id, &headers).await?;
    let counted = admit(&node, &who).await?;
    // Otherwise, a browser that has all events would reconnect forever: it stops only at this status.
    if lookup::has_end(&node, &listing, known).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let (projection, _) = lookup::projection(&node, &listing).await?;
    // Watch from the start of the log, because an event can depend on any earlier one.
    let watch = sse::watch(&node, &who, listing.id.session(), 0).await?;
    Ok(sse::respond(&node, projection, watch, (stream_lifetime(&node, proof), counted), known))
}
