//! Executions in responses.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::projection::{ExecutionEnd, ExecutionProjection, error_code};
use super::result::ExecutionResult;
use crate::agent::teams::{ExecutionId, ExecutionListing, ExecutionStatus, TeamId};
use crate::doors::teams::error::{ExecutionErrorData, TeamError};
use crate::kernel::{SessionId, Timestamp};
use crate::protocol::{Code, Problem};

/// An execution in lists.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExecutionListingResponse {
    /// Id of the execution.
    id: ExecutionId,
    /// The same as `id`.
    execution_id: ExecutionId,
    /// Team that is executed.
    team_id: TeamId,
    /// Version of the team that the execution began with.
    team_version: u64,
    /// Session in which people can watch and steer the execution.
    session_id: SessionId,
    /// Title of the session.
    title: Arc<str>,
    /// Status of the execution.
    status: ExecutionStatus,
    /// Time at which the run started.
    started_at: Timestamp,
    /// Time at which the run ended, or null while it runs.
    completed_at: Option<Timestamp>,
    /// Duration in milliseconds, or null while the run is not over.
    duration_ms: Option<u64>,
    /// Tokens in requests to models and in their responses, until the run ended; null while it is not over.
    tokens: Option<u64>,
    /// Cost of these tokens in millionths of the configured currency; null while the run is not over. Example: 1500.
    cost_micros: Option<u64>,
    /// Code of the error that ended the run, or null.
    error_code: Option<Arc<str>>,
    /// Message of the error that ended the run, or null.
    error_message: Option<Arc<str>>,
}

impl From<ExecutionListing> for ExecutionListingResponse {
    fn from(listing: ExecutionListing) -> Self {
        let ExecutionListing { id, team, team_version, status, started_at, completed_at, error, usage, title } =
            listing;
        let duration = |end: Timestamp| end.millis().saturating_sub(started_at.millis());
        Self {
            id,
            execution_id: id,
            team_id: team,
            team_version,
            session_id: id.session(),
            title,
            status,
            started_at,
            completed_at,
            duration_ms: completed_at.map(duration),
            tokens: usage.map(|usage| usage.tokens),
            cost_micros: usage.map(|usage| usage.cost_micros),
            error_code: error.as_ref().map(error_code),
            error_message: error.map(|error| error.message),
        }
    }
}

/// An execution with its result.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExecutionResponse {
    #[serde(flatten)]
    listing: ExecutionListingResponse,
    /// Results so far. Complete if `status` is `success`.
    result: ExecutionResult,
}

impl ExecutionResponse {
    /// Returns the response for an execution. If the log contains its end, that replaces the end in the listing, which
    /// can be older.
    pub(super) fn of(projection: &ExecutionProjection, listing: ExecutionListing) -> Self {
        let listing = match projection.end() {
            Some(ExecutionEnd { status, error, usage, at }) => ExecutionListing {
                status: *status,
                completed_at: Some(*at),
                error: error.clone(),
                usage: Some(*usage),
                ..listing
            },
            None => listing,
        };
        Self { listing: listing.into(), result: projection.result().clone() }
    }
}

/// Returns the error for an execution that exceeded its time limit, or `None` for any other execution.
pub(super) fn timed_out(projection: &ExecutionProjection) -> Option<TeamError> {
    let end = projection.end().filter(|end| end.status == ExecutionStatus::Timeout)?;
    let message = end.error.as_ref().map_or_else(|| "".into(), |error| error.message.clone());
    let data = ExecutionErrorData {
        execution_id: Some(projection.execution_id()),
        partial_result: Some(projection.result().clone()),
        ..ExecutionErrorData::default()
    };
    Some(TeamError::of_execution(Problem::new(Code::ExecutionTimeout, message), data))
}
