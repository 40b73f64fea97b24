//! Doors: endpoints in the vocabulary of older services. A door turns each request into a command to a session, and its
//! response is a projection of the session's log.

mod analyze;
mod attachments;
mod auto_agent;
mod caller;
mod error;
mod orchestrator;
mod position;
mod question;
mod sse;
mod team_chat;
mod wording;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;

use crate::node::Node;

/// Returns the routes of all doors.
pub fn routes() -> Router<Arc<Node>> {
    let doors = team_chat::routes().merge(orchestrator::routes()).merge(analyze::routes()).merge(auto_agent::routes());
    doors.merge(uploads())
}

/// Returns the route for uploads, which all doors share.
fn uploads() -> Router<Arc<Node>> {
    Router::new().route("/api/v1/uploads", post(attachments::upload))
}
