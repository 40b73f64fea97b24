//! The door `orchestrator`: agents plan a task, people confirm the plan, and agents execute it, through
//! `/api/orchestrator/tasks/` in the vocabulary of its own specification. A task is a session whose team has the flow
//! `brain`.

mod confirm;
mod history;
mod status;
mod task;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::node::Node;

/// Returns the routes of the door.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/orchestrator/tasks/", post(task::create))
        .route("/api/orchestrator/tasks/{id}/", get(task::show))
        .route("/api/orchestrator/tasks/{id}/plan/", get(task::plan))
        .route("/api/orchestrator/tasks/{id}/progress/", get(task::progress))
        .route("/api/orchestrator/tasks/{id}/confirm/", post(confirm::confirm))
}
