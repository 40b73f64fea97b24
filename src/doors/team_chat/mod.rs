//! The door `team_chat`: a test-case team behind `POST /api/team-chat/stream`, in the vocabulary of its own document. A
//! conversation is a session like any other: whoever watches it over a socket sees the same run.

mod conversation;
mod debug;
mod place;
mod projection;
mod refusal;
mod said;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::node::Node;

const DOOR: &str = "team_chat";

/// The door's paths.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/team-chat/stream", post(stream::stream))
        .route("/api/debug/session/{conversation}", get(debug::debug))
}
