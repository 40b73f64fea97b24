//! The door `auto_agent`: a task for a requested kind of team, through `POST /AutoAgent` in the vocabulary of its own
//! specification. A request is a run of a session.

mod download;
mod message;
mod projection;
mod request;
mod resume;
mod stream;
mod wording;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::node::Node;

const DOOR: &str = "auto_agent";

/// Returns the routes of the door.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/AutoAgent", post(stream::stream))
        .route("/AutoAgent/files/{session}/{name}", get(download::download))
}
