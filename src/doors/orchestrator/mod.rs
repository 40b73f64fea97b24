//! The door `orchestrator`: a task is planned, people confirm the plan, and agents carry it out, behind
//! `/api/orchestrator/tasks/` in the vocabulary of its own document. A task is a session of a team of flow `brain`.

mod confirm;
mod history;
mod status;
mod task;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::node::Node;

/// The door's paths.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/orchestrator/tasks/", post(task::create))
        .route("/api/orchestrator/tasks/{id}/", get(task::show))
        .route("/api/orchestrator/tasks/{id}/plan/", get(task::plan))
        .route("/api/orchestrator/tasks/{id}/progress/", get(task::progress))
        .route("/api/orchestrator/tasks/{id}/confirm/", post(confirm::confirm))
}
