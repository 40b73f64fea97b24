//! `POST /api/v1/teams/{team}/structured-output`: an agent writes the results of an execution in the form of a schema.

use std::sync::Arc;

use axum::extract::{FromRequest, Request, State};
use axum::http::HeaderMap;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::idempotency_key::{IdempotencyKey, reused};
use super::lookup;
use super::structured_outcome::{SchemaValidation, StructuredOutcome, StructuredOutputVersion};
use crate::agent::teams::{ExecutionId, ExecutionListing, ExecutionQuery, ExecutionStatus, TeamId, TeamRight};
use crate::doors::caller::stream_lifetime;
use crate::doors::sse;
use crate::doors::teams::caller::TeamCaller;
use crate::doors::teams::error::{ExecutionErrorData, TeamError};
use crate::doors::teams::lookup::{TeamUse, listing};
use crate::doors::wording::either;
use crate::feed::JsonViewer;
use crate::http::{JsonBody, PathParameters, admit};
use crate::identity::{CredentialProof, Participant, RevocationGuard};
use crate::kernel::flow::STRUCTURE;
use crate::kernel::schema::output_schema::OutputSchema;
use crate::kernel::{Command, CommandId, Fact, MessageRequest, SessionId, View, strict_json};
use crate::node::Node;
use crate::openapi::any_json;
use crate::protocol::{Code, Problem, ServerFrame, check_request};
use crate::store;

/// Maximum number of events of the command that starts the run.
const MAX_START_EVENTS: u64 = 16;

/// Body of a request for structured output.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StructuredOutputRequest {
    /// Id of the execution. If absent, the team's newest execution in which you participate. Required with an
    /// `Idempotency-Key`.
    execution_id: Option<String>,
    /// JSON Schema (2020-12) of the output, at most 65536 bytes in at most 32 levels.
    #[serde(deserialize_with = "strict_json::object")]
    output_schema: Map<String, Value>,
    /// True to include the text that the agent wrote. Default false.
    #[serde(default)]
    include_raw_output: bool,
}

/// Structured output of an execution.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StructuredOutputResponse {
    /// Team of the execution.
    team_id: TeamId,
    /// Id of the execution.
    execution_id: ExecutionId,
    /// Status of the execution. If it did not complete, the agent read only the results so far.
    execution_status: ExecutionStatus,
    /// Output, which matches the schema.
    #[schemars(schema_with = "any_json")]
    structured_output: Value,
    /// Result of the check.
    schema_validation: SchemaValidation,
    /// File with the output, in the execution's session. Null if the session had no room for it.
    file: Option<StructuredOutputVersion>,
    /// Text that the agent wrote. Present only with `include_raw_output`.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_output: Option<Arc<str>>,
}

pub(super) async fn write(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    proof: Option<Extension<CredentialProof>>,
    headers: HeaderMap,
    request: Request,
) -> Result<Json<StructuredOutputResponse>, TeamError> {
    let team = listing(&node, &who, &path?.0, TeamUse::With(TeamRight::Execute)).await?;
    let JsonBody(body) = JsonBody::<StructuredOutputRequest>::from_request(request, &node).await?;
    let schema = Value::Object(body.output_schema);
    let request = MessageRequest { output_schema: Some(schema.clone()), ..MessageRequest::default() };
    check_request(&request)?;
    OutputSchema::compile(&schema)
        .map_err(|message| Problem::new(Code::InvalidArgument, format!("output_schema: {message}")))?;
    let key = IdempotencyKey::of(&headers)?;
    if key.is_some() && body.execution_id.is_none() {
        return Err(no_execution_named().into());
    }
    let execution = find(&node, &who, team.id, body.execution_id.as_deref()).await?;
    if execution.status == ExecutionStatus::Running {
        return Err(running().into());
    }
    let command = key.map(|key| format!("structured-output-{}", key.id([execution.id.0])).parse()).transpose();
    let command: Option<CommandId> = command.map_err(Problem::internal)?;
    let counted = admit(&node, &who).await?;
    let session = execution.id.session();
    let state = node.session_registry.state(session).await?;
    let is_repeated = command.as_ref().is_some_and(|command| state.receipt(&who.actor(), command).is_some());
    if !is_repeated && !has_own_results(&node, state.view()).await? {
        return Err(superseded().into());
    }
    let zh = "按给定的 JSON Schema 输出以上结果。";
    let input = either(state.view().team.language, zh, "Write the results in the form of the JSON Schema.").into();
    let request = Some(Arc::new(request));
    let start = Command::Start { flow: Some(STRUCTURE.into()), input, files: vec![], earlier: vec![], request };
    node.dispatcher.count(&who, &start).await?;
    let started = node.dispatcher.submit_counted(&who, session, command.clone(), start).await;
    let seq = started.map_err(|problem| match problem.code() {
        Code::RunActive => busy(),
        // The request itself was checked before.
        Code::InvalidArgument => Problem::new(Code::NoResult, problem.0.message.clone()),
        _ => problem,
    })?;
    if command.is_some() && schema_of_run(&node, session, seq).await? != Some(schema) {
        return Err(reused().into());
    }
    // If an earlier request with the same key started the run, its events are already in the log.
    let watch = sse::watch(&node, &who, session, seq).await?;
    let held = stream_lifetime(&node, proof);
    let outcome = wait(watch, &held).await?;
    drop(counted);
    if let Some(structured_output) = outcome.output {
        return Ok(Json(StructuredOutputResponse {
            team_id: team.id,
            execution_id: execution.id,
            execution_status: execution.status,
            structured_output,
            schema_validation: SchemaValidation { valid: true, errors: vec![] },
            file: outcome.file,
            raw_output: outcome.text.filter(|_| body.include_raw_output),
        }));
    }
    Err(failure(outcome, command.is_some()))
}

/// Returns whether the newest results in the session of an execution are those of the execution. People can start
/// further runs there, whose results are not those of the execution.
async fn has_own_results(node: &Node, view: &View) -> Result<bool, Problem> {
    let newest = view.run.as_ref().map(|run| run.results_of.unwrap_or(run.id));
    let page = store::page(&*node.events, view.session, 0).await?;
    let first = page.into_iter().find_map(|recorded| match recorded.event.fact {
        Fact::RunStarted { run, .. } => Some(run),
        _ => None,
    });
    Ok(newest == first)
}

/// Returns the error for an execution whose session has had another run since.
fn superseded() -> Problem {
    let message = "another run followed in the execution's session, which keeps only the results of the newest one; \
                   execute the team again, or start the flow structure in the session";
    Problem::new(Code::NoResult, message)
}

/// Returns the output schema of the run that was started by the command whose last event has the seq `seq`.
async fn schema_of_run(node: &Node, session: SessionId, seq: u64) -> Result<Option<Value>, Problem> {
    let page = store::page(&*node.events, session, seq.saturating_sub(MAX_START_EVENTS)).await?;
    let of_start = page.into_iter().take_while(|recorded| recorded.event.seq <= seq);
    let requests = of_start.filter_map(|recorded| match recorded.event.fact {
        Fact::MessagePosted { request, .. } => Some(request),
        _ => None,
    });
    Ok(requests.last().flatten().and_then(|request| request.output_schema.clone()))
}

/// Returns the error for a request with an `Idempotency-Key` that names no execution. If it were accepted, repeating it
/// after a newer execution would return the output of that execution.
fn no_execution_named() -> Problem {
    let message = "a request with an Idempotency-Key must name the execution; set execution_id";
    Problem::new(Code::InvalidArgument, message)
}

fn running() -> Problem {
    Problem::new(Code::ExecutionRunning, "the execution is not over; wait until it is, or cancel it")
}

/// Returns the error for an execution in whose session a later run is active.
fn busy() -> Problem {
    let message =
        "another run in the execution's session is active, such as another structured output; wait until it is over";
    Problem::new(Code::RunActive, message)
}

/// Returns the execution of a request: the one with this id or, without an id, the newest.
async fn find(node: &Node, who: &Participant, team: TeamId, id: Option<&str>) -> Result<ExecutionListing, Problem> {
    if let Some(id) = id {
        let execution = lookup::execution(node, who, id).await?;
        return if execution.team == team { Ok(execution) } else { Err(lookup::unknown(id)) };
    }
    // Even administrators need a role in the session to start a run.
    let query = ExecutionQuery { team, reader: who.id, all: false, status: None, offset: 0, limit: 1 };
    let page = node.executions.executions(&query).await?;
    page.executions.into_iter().next().ok_or_else(|| {
        Problem::new(Code::UnknownExecution, "the team has no execution in which you participate; execute it first")
    })
}

/// Waits for the end of the run whose events a watch shows.
async fn wait(mut watch: JsonViewer, held: &RevocationGuard) -> Result<StructuredOutcome, Problem> {
    let mut outcome = StructuredOutcome::default();
    while !outcome.is_over {
        let frame = tokio::select! {
            frame = watch.next() => frame.map_err(Some),
            () = held.over().cancelled() => Err(None),
        };
        let frame = frame.map_err(|end| {
            let message = "the server cannot wait for the output; its session shows it when it is written";
            lookup::wait_ended_problem(end, held, message)
        })?;
        if let ServerFrame::Event { event, .. } = serde_json::from_slice(&frame).map_err(Problem::internal)? {
            outcome.take(&event);
        }
    }
    Ok(outcome)
}

/// Returns the error of a run without output. `has_key` is true if the request had an `Idempotency-Key`.
fn failure(outcome: StructuredOutcome, has_key: bool) -> TeamError {
    let invalid = outcome.is_invalid();
    if let Some(error) = outcome.error.as_ref().filter(|_| !invalid) {
        if has_key {
            // The command takes effect only once, so the same request would get this failed run again.
            let reason = format!("{}; to try again, use a new Idempotency-Key", error.message);
            return Problem::new(Code::NoResult, reason).into();
        }
        let of_model = outcome.failed_attempt.filter(|(attempt, permanent)| attempt.code == error.code && !permanent);
        let code = if of_model.is_some() { Code::ModelUnavailable } else { Code::NoResult };
        return Problem::new(code, error.message.clone()).into();
    }
    let reason = "Unable to generate output matching the provided schema; simplify the schema, or ask again";
    let problem = Problem::new(Code::SchemaGenerationFailed, reason);
    let partial_output = outcome.partial_output();
    let schema_validation = Some(SchemaValidation { valid: false, errors: outcome.violations });
    let data = ExecutionErrorData { schema_validation, partial_output, ..ExecutionErrorData::default() };
    TeamError::of_execution(problem, data)
}
