//! The door `analyze`: investigates why a code base behaves as it does, through `POST /api/v1/analyze/stream` and
//! `…/reply` in the vocabulary of its own specification. An analysis is a run of a session whose team has the flow
//! `investigate`.

mod event;
mod projection;
mod question_id;
mod reply;
mod request;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;

use crate::node::Node;

const DOOR: &str = "analyze";

/// Returns the routes of the door.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/v1/analyze/stream", post(stream::stream))
        .route("/api/v1/analyze/reply", post(reply::reply))
}
