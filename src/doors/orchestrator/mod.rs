//! The `orchestrator` door: agents plan a task, people confirm the plan, and agents execute it, through
//! `/api/orchestrator/tasks/` in the vocabulary of its own specification. A task is a session whose team has the
//! `brain` flow.

mod confirm;
mod history;
mod status;
mod task;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::doors::at_door;
use crate::node::Node;
use crate::openapi::Endpoint;
use crate::protocol::Code;

/// Returns the routes of the door.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/orchestrator/tasks/", post(task::create))
        .route("/api/orchestrator/tasks/{id}/", get(task::show))
        .route("/api/orchestrator/tasks/{id}/plan/", get(task::plan))
        .route("/api/orchestrator/tasks/{id}/progress/", get(task::progress))
        .route("/api/orchestrator/tasks/{id}/confirm/", post(confirm::confirm))
}

/// Returns the operations of the door, for the OpenAPI document.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    let created = [Code::UnknownFile, Code::UnknownKnowledge, Code::QuotaExceeded, Code::FilesFull];
    let confirmed = [Code::AlreadyDecided, Code::GateClosed, Code::StaleRevision, Code::NoRun, Code::SessionClosed];
    let of_task = |endpoint: Endpoint| at_door(endpoint).fails(&[Code::UnknownSession]);
    vec![
        at_door(Endpoint::post("/api/orchestrator/tasks/", "Create a task"))
            .body::<task::NewTaskRequest>()
            .json::<task::TaskResponse>(201, "The task")
            .fails(&created),
        of_task(Endpoint::get("/api/orchestrator/tasks/{id}/", "Get a task"))
            .json::<task::TaskDetailsResponse>(200, "The task, with its results"),
        of_task(Endpoint::get("/api/orchestrator/tasks/{id}/plan/", "Get the plan of a task"))
            .json::<task::TaskPlanResponse>(200, "The plan"),
        of_task(Endpoint::get("/api/orchestrator/tasks/{id}/progress/", "Get the progress of a task"))
            .json::<task::TaskProgressResponse>(200, "The progress"),
        of_task(Endpoint::post("/api/orchestrator/tasks/{id}/confirm/", "Decide on the plan of a task"))
            .about("Confirms the plan, requests another one, or cancels the task.")
            .body::<confirm::ConfirmationRequest>()
            .json::<confirm::ConfirmationResponse>(200, "The decision counts")
            .fails(&confirmed),
    ]
}
