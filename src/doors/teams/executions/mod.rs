//! Executions of stored teams: runs that the door starts, streams and shows. An execution is the first run of its own
//! session, so people can watch and steer it like any other run.

mod cancel_all;
mod control;
mod event;
mod execute;
mod idempotency_key;
mod latest_message;
mod list;
mod log;
mod lookup;
mod metrics;
mod newest_entries;
mod place;
mod projection;
mod response;
mod result;
mod show;
mod start;
mod stream;
mod structured_outcome;
mod structured_output;
mod structured_output_history;

pub(super) use cancel_all::cancel_all;
pub(super) use result::ExecutionResult;
pub(super) use structured_outcome::SchemaValidation;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::error::TeamError;
use crate::node::Node;
use crate::openapi::Endpoint;
use crate::protocol::Code;

/// Returns the routes of executions.
pub(super) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/v1/teams/{team}/execute", post(execute::execute))
        .route("/api/v1/teams/{team}/executions", get(list::list))
        .route("/api/v1/teams/{team}/structured-output", post(structured_output::write))
        .route("/api/v1/executions/{execution}", get(show::show))
        .route("/api/v1/executions/{execution}/events", get(stream::stream))
        .route("/api/v1/executions/{execution}/log", get(log::log))
        .route("/api/v1/executions/{execution}/metrics", get(metrics::metrics))
        .route("/api/v1/executions/{execution}/pause", post(control::pause))
        .route("/api/v1/executions/{execution}/resume", post(control::resume))
        .route("/api/v1/executions/{execution}/cancel", post(control::cancel))
}

/// Returns the operations of executions, for the OpenAPI document.
pub(super) fn endpoints() -> Vec<Endpoint> {
    let all = |endpoint: Endpoint| endpoint.error::<TeamError>();
    let of_execution = |endpoint: Endpoint| all(endpoint).fails(&[Code::UnknownExecution]);
    let controls = |endpoint: Endpoint| {
        of_execution(endpoint)
            .about("The response comes before the control takes effect; an event reports that.")
            .json::<control::ControlResponse>(202, "The control is in the log")
            .fails(&[Code::NotAMember, Code::Forbidden, Code::TargetOver, Code::AlreadyRequested])
            .fails(&[Code::SessionClosed])
    };
    vec![
        all(Endpoint::post("/api/v1/teams/{team}/execute", "Execute a team"))
            .about("Starts a run in a session of its own, and streams its events or waits for its result.")
            .request_header("idempotency-key", "Key of the caller: requests with the same key start one execution.")
            .request_header("last-event-id", "With the key of an earlier request: `id` of the last received event.")
            .body::<execute::ExecuteRequest>()
            .events::<event::ExecutionEvent>("Events of the execution")
            .header("location", "Path of the execution.")
            .json::<response::ExecutionResponse>(200, "With `stream` false: the execution when it is over")
            .header("location", "Path of the execution.")
            .empty(204, "The execution is over, and `Last-Event-ID` is its last event")
            .fails(&[Code::UnknownTeam, Code::Forbidden, Code::TeamInactive, Code::InvalidTopology])
            .fails(&[Code::QuotaExceeded, Code::ExecutionTimeout, Code::IdempotencyKeyReused, Code::NotAMember]),
        all(Endpoint::get("/api/v1/teams/{team}/executions", "List executions of a team"))
            .about("Those that you participate in, newest first. Administrators see all.")
            .query::<list::ExecutionListParameters>()
            .json::<list::ExecutionListResponse>(200, "A page of executions")
            .fails(&[Code::UnknownTeam]),
        all(Endpoint::post("/api/v1/teams/{team}/structured-output", "Get structured output of an execution"))
            .about("An agent of the team writes the results of the execution in the form of a JSON Schema.")
            .request_header("idempotency-key", "Key of the caller: requests with the same key write one output.")
            .body::<structured_output::StructuredOutputRequest>()
            .json::<structured_output::StructuredOutputResponse>(200, "The output, which matches the schema")
            .fails(&[Code::UnknownTeam, Code::UnknownExecution, Code::Forbidden, Code::ExecutionRunning])
            .fails(&[Code::QuotaExceeded, Code::IdempotencyKeyReused, Code::NotAMember])
            .fails(&[Code::SchemaGenerationFailed, Code::ModelUnavailable, Code::NoResult]),
        of_execution(Endpoint::get("/api/v1/executions/{execution}", "Get an execution"))
            .json::<show::ExecutionDetailsResponse>(200, "The execution"),
        of_execution(Endpoint::get("/api/v1/executions/{execution}/events", "Stream the events of an execution"))
            .about("From the beginning, or after the event that `Last-Event-ID` names.")
            .request_header("last-event-id", "`id` of the last event that the client has.")
            .events::<event::ExecutionEvent>("Events of the execution")
            .empty(204, "The execution is over, and `Last-Event-ID` is its last event: do not reconnect"),
        of_execution(Endpoint::get("/api/v1/executions/{execution}/log", "Get the log of an execution"))
            .query::<log::ExecutionLogParameters>()
            .json::<log::ExecutionLogResponse>(200, "A page of entries"),
        of_execution(Endpoint::get("/api/v1/executions/{execution}/metrics", "Get metrics of an execution"))
            .about("Time, tokens, cost and errors by node and agent, as JSON or in the text format of Prometheus.")
            .query::<metrics::MetricParameters>()
            .json::<metrics::ExecutionMetrics>(200, "The metrics")
            .text("text/plain", "The metrics"),
        controls(Endpoint::post("/api/v1/executions/{execution}/pause", "Pause an execution"))
            .fails(&[Code::AlreadyPaused]),
        controls(Endpoint::post("/api/v1/executions/{execution}/resume", "Resume an execution"))
            .fails(&[Code::NotPaused]),
        controls(Endpoint::post("/api/v1/executions/{execution}/cancel", "Cancel an execution")),
    ]
}
