//! `GET /api/v1/executions/{execution}/events`: the stream of an execution, from the beginning or where it ended before.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;

use super::lookup;
use crate::doors::caller::stream_lifetime;
use crate::doors::sse;
use crate::doors::teams::caller::TeamCaller;
use crate::doors::teams::error::TeamError;
use crate::http::{PathParameters, admit, last_event_id};
use crate::identity::CredentialProof;
use crate::node::Node;
use crate::protocol::{Code, Problem};

pub(super) async fn events(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    proof: Option<Extension<CredentialProof>>,
    headers: HeaderMap,
) -> Result<Response, TeamError> {
    let listing = lookup::execution(&node, &who, &path?.0).await?;
    let known: u64 = last_event_id(&headers)?.unwrap_or(0);
    let head = node.events.head(listing.id.session()).await?;
    if known > head {
        let words = format!("the log ends at {head}; send a lower Last-Event-ID, or none for all events");
        return Err(Problem::new(Code::InvalidArgument, words).into());
    }
    let counted = admit(&node, who.id).await?;
    let (projection, _) = lookup::projection(&node, &listing).await?;
    let watch = sse::watch(&node, &who, listing.id.session(), 0).await?;
    Ok(sse::respond(&node, projection, watch, (stream_lifetime(&node, proof), counted), known))
}
