//! Ways in: what comes through any door, the project's own or another vocabulary's, becomes a command to a session, and
//! what a door shows is a projection of the session's log.

pub(crate) mod analyze;
pub(crate) mod auto_agent;
mod begin;
mod caller;
mod detail;
mod files;
mod guests;
mod lines;
pub(crate) mod orchestrator;
mod question;
pub(crate) mod team_chat;
mod wording;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;

use crate::node::Node;

/// Where files for all doors are brought.
pub(crate) fn uploads() -> Router<Arc<Node>> {
    Router::new().route("/api/v1/uploads", post(files::upload))
}

pub use begin::{Begun, NewSession};
pub use guests::GuestDoors;
