//! Doors: endpoints in the vocabulary of older services. A door turns each request into a command to a session, and its
//! response is a projection of the session's log.

pub(crate) mod analyze;
mod attachments;
pub(crate) mod auto_agent;
mod caller;
mod error;
mod guests;
mod new_session;
pub(crate) mod orchestrator;
mod position;
mod question;
mod sse;
pub(crate) mod team_chat;
mod wording;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;

use crate::node::Node;

/// Returns the route for uploads, which all doors share.
pub(crate) fn uploads() -> Router<Arc<Node>> {
    Router::new().route("/api/v1/uploads", post(attachments::upload))
}

pub use guests::GuestDoors;
pub use new_session::{NewSession, StartedSession};
