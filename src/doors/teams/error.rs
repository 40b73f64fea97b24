//! Error response of the door, in the form of its specification.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::executions::{ExecutionResult, SchemaValidation};
use crate::agent::teams::ExecutionId;
use crate::agent::teams::topology::TopologyReport;
use crate::openapi::{ErrorFormat, any_json};
use crate::protocol::{Code, Problem};

/// Error response to a request.
#[derive(Debug)]
pub(super) struct TeamError {
    problem: Problem,
    execution: Option<Box<ExecutionErrorData>>,
}

/// Results in an error response about an execution.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct ExecutionErrorData {
    /// Id of the execution. Present only with `EXECUTION_TIMEOUT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) execution_id: Option<ExecutionId>,
    /// Results so far. Present only with `EXECUTION_TIMEOUT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) partial_result: Option<ExecutionResult>,
    /// Violations of the schema. Present only with `SCHEMA_GENERATION_FAILED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) schema_validation: Option<SchemaValidation>,
    /// Last output that did not match the schema. Present only with `SCHEMA_GENERATION_FAILED`. A string if the output
    /// contained no JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "any_json")]
    pub(super) partial_output: Option<Value>,
}

/// Body of an error response.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TeamErrorBody {
    /// Always `failed`.
    status: &'static str,
    /// Error code of the specification, for example `INVALID_TOPOLOGY` or `TEAM_NOT_FOUND`.
    error_code: Cow<'static, str>,
    /// Explanation for people: what happened, then what to do.
    error_message: Arc<str>,
    /// Additional data. With `INVALID_TOPOLOGY`: `invalid_nodes`, `missing_references` and `errors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
    /// Error code of the server, for example `unknown_team`.
    code: Code,
    /// True if the same request can succeed later.
    retryable: bool,
    #[serde(flatten)]
    execution: Option<Box<ExecutionErrorData>>,
}

impl<T: Into<Problem>> From<T> for TeamError {
    fn from(problem: T) -> Self {
        Self { problem: problem.into(), execution: None }
    }
}

impl TeamError {
    /// Creates an error about an execution, with its results.
    pub(super) fn of_execution(problem: Problem, data: ExecutionErrorData) -> Self {
        Self { problem, execution: Some(Box::new(data)) }
    }
}

/// Returns the error for a team with errors.
pub(super) fn invalid_topology(report: &TopologyReport) -> Problem {
    let details = serde_json::to_value(report).expect("a report serializes: its keys are strings");
    Problem::new(Code::InvalidTopology, report.summary()).details(details)
}

/// Returns the specification's code for an error code of the server.
fn error_code(code: Code) -> Cow<'static, str> {
    match code {
        Code::UnknownTeam => "TEAM_NOT_FOUND".into(),
        Code::UnknownExecution => "EXECUTION_NOT_FOUND".into(),
        Code::BadFrame | Code::InvalidArgument => "INVALID_REQUEST".into(),
        Code::StaleRevision => "VERSION_CONFLICT".into(),
        other => other.as_str().to_uppercase().into(),
    }
}

impl IntoResponse for TeamError {
    fn into_response(self) -> Response {
        let problem = &*self.problem.0;
        let body = TeamErrorBody {
            status: "failed",
            error_code: error_code(problem.code),
            error_message: problem.message.clone(),
            details: problem.details.clone(),
            code: problem.code,
            retryable: problem.retryable,
            execution: self.execution,
        };
        self.problem.response_with(Json(body))
    }
}

impl ErrorFormat for TeamError {
    type Body = TeamErrorBody;
}
