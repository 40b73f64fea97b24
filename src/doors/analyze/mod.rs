//! The door `analyze`: why does this code base behave as it does, behind `POST /api/v1/analyze/stream` and `…/reply` in
//! the vocabulary of its own document. An analysis is a run of a session whose team has the flow `investigate`.

mod projection;
mod reply;
mod request;
mod request_id;
mod said;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;

use crate::node::Node;

const DOOR: &str = "analyze";

/// The door's paths.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/v1/analyze/stream", post(stream::stream))
        .route("/api/v1/analyze/reply", post(reply::reply))
}
