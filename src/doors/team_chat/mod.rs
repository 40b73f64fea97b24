//! The door `team_chat`: a test-case team, through `POST /api/team-chat/stream` in the vocabulary of its own
//! specification. A conversation is an ordinary session: viewers on a WebSocket see the same run.

mod conversation_id;
mod debug;
mod error;
mod event;
mod projection;
mod resume;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::node::Node;

const DOOR: &str = "team_chat";

/// Returns the routes of the door.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/team-chat/stream", post(stream::stream))
        .route("/api/debug/session/{conversation}", get(debug::debug))
}
