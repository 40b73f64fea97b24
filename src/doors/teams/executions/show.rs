//! `GET /api/v1/executions/{execution}`: an execution with its input, results and errors.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::event::ExecutionEventKind;
use super::lookup;
use super::newest_entries::NewestEntries;
use super::response::ExecutionResponse;
use super::result::ExecutionResult;
use super::structured_output_history::{StructuredOutputEntry, StructuredOutputHistory};
use crate::doors::teams::caller::TeamCaller;
use crate::doors::teams::error::TeamError;
use crate::http::PathParameters;
use crate::kernel::{Fact, Phase, Timestamp};
use crate::node::Node;
use crate::protocol::Problem;

/// Maximum number of errors in a response.
const MAX_ERRORS: usize = 100;

/// An execution with its input, results and errors.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExecutionDetailsResponse {
    #[serde(flatten)]
    execution: ExecutionResponse,
    /// Current phase of the run, for example `waiting` at a gate or `paused`. Null if the run is over.
    phase: Option<Phase>,
    /// Task and context of the request.
    input: ExecutionInputResponse,
    /// The same as `result`.
    output: ExecutionResult,
    /// Errors in the order of their occurrence, up to the last 100: failed attempts, output that could not be read, and
    /// the error that ended the run. The log with `event_type=execution_error` contains all of them, in pages.
    errors: Vec<ExecutionErrorResponse>,
    /// Number of all errors, including those that `errors` leaves out.
    total_errors: u64,
    /// Requests for structured output of the results, oldest first. These are the newest 20 requests, or fewer if 20
    /// would exceed 2 MiB.
    structured_outputs: Vec<StructuredOutputEntry>,
    /// Number of all structured outputs, including those that `structured_outputs` leaves out.
    total_structured_outputs: u64,
}

/// Input of an execution.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct ExecutionInputResponse {
    /// Task of the execution.
    task: Arc<str>,
    /// Data for prompt templates.
    context: Map<String, Value>,
    /// Seconds after which the execution ends.
    timeout_seconds: Option<u32>,
}

/// Error during an execution.
#[derive(Debug, Serialize, JsonSchema)]
struct ExecutionErrorResponse {
    /// Time of the error.
    timestamp: Timestamp,
    /// Node of the error, or null.
    node_id: Option<Arc<str>>,
    /// Agent of the error, or null.
    agent_id: Option<Arc<str>>,
    /// Supervisor of the error, or null.
    supervisor_id: Option<Arc<str>>,
    /// Code of the error, such as `MODEL_UNAVAILABLE`.
    error_code: Arc<str>,
    /// Explanation for people.
    error_message: Arc<str>,
    /// True if the execution ended with this error.
    fatal: bool,
}

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
) -> Result<Json<ExecutionDetailsResponse>, TeamError> {
    let listing = lookup::execution(&node, &who, &path?.0).await?;
    let (mut projection, state) = lookup::projection(&node, &listing).await?;
    // The last errors say why the execution ended.
    let mut errors = NewestEntries::new(MAX_ERRORS);
    let (mut input, mut lines) = (None, vec![]);
    let mut outputs = StructuredOutputHistory::new(state.view().team.language);
    lookup::read_events(&node, listing.id, |event| {
        if let Fact::MessagePosted { text, request, .. } = &event.fact
            && input.is_none()
        {
            let request = request.as_deref();
            input = Some(ExecutionInputResponse {
                task: text.clone(),
                context: request.map(|request| request.context.clone()).unwrap_or_default(),
                timeout_seconds: request.and_then(|request| request.timeout_seconds),
            });
        }
        outputs.take(event);
        projection.take_event(event, &mut lines);
        for line in lines.drain(..) {
            let ExecutionEventKind::ExecutionError { error_code, error_message, fatal, .. } = line.kind else {
                continue;
            };
            let (timestamp, node_id) = (line.timestamp, line.node_id);
            let (agent_id, supervisor_id) = (line.agent_id, line.supervisor_id);
            errors.push(ExecutionErrorResponse {
                timestamp,
                node_id,
                agent_id,
                supervisor_id,
                error_code,
                error_message,
                fatal,
            });
        }
        // Continue to the end of the log, because structured output is written after the execution has ended.
        true
    })
    .await?;
    let running = projection.end().is_none();
    Ok(Json(ExecutionDetailsResponse {
        phase: state.view().active_run().filter(|_| running).map(|run| run.phase),
        output: projection.result().clone(),
        execution: ExecutionResponse::of(&projection, listing),
        input: input.unwrap_or_default(),
        errors: errors.entries,
        total_errors: errors.total,
        total_structured_outputs: outputs.total(),
        structured_outputs: outputs.into_entries(),
    }))
}
