//! `POST /api/v1/executions/{execution}/pause`, `/resume` and `/cancel`: controls of an execution by its caller.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

use super::lookup;
use crate::agent::teams::{ExecutionId, ExecutionListing, ExecutionStatus};
use crate::doors::teams::caller::TeamCaller;
use crate::doors::teams::error::TeamError;
use crate::http::PathParameters;
use crate::identity::Participant;
use crate::kernel::{Command, RunId};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Response to a control of an execution.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ControlResponse {
    /// The execution.
    execution_id: ExecutionId,
    /// Seq of the control in the session's log.
    seq: u64,
}

type ControlPath = Result<PathParameters<String>, Problem>;
type ControlResult = Result<(StatusCode, Json<ControlResponse>), TeamError>;

pub(super) async fn pause(State(node): State<Arc<Node>>, who: TeamCaller, path: ControlPath) -> ControlResult {
    control(&node, &who.0, path, |run| Command::Pause { run }).await
}

pub(super) async fn resume(State(node): State<Arc<Node>>, who: TeamCaller, path: ControlPath) -> ControlResult {
    control(&node, &who.0, path, |run| Command::Resume { run }).await
}

pub(super) async fn cancel(State(node): State<Arc<Node>>, who: TeamCaller, path: ControlPath) -> ControlResult {
    control(&node, &who.0, path, |run| Command::Cancel { run, reason: None }).await
}

async fn control(
    node: &Node,
    who: &Participant,
    path: ControlPath,
    command: impl FnOnce(RunId) -> Command,
) -> ControlResult {
    let listing = lookup::execution(node, who, &path?.0).await?;
    let seq = command_run(node, who, &listing, command).await?;
    Ok((StatusCode::ACCEPTED, Json(ControlResponse { execution_id: listing.id, seq })))
}

/// Sends a command to the run of an execution.
///
/// # Errors
/// `target_over` if the execution is over.
pub(super) async fn command_run(
    node: &Node,
    who: &Participant,
    listing: &ExecutionListing,
    command: impl FnOnce(RunId) -> Command,
) -> Result<u64, Problem> {
    let (session, id) = (listing.id.session(), listing.id);
    let state = node.session_registry.state(session).await?;
    // While the execution runs, no other run of its session can be active.
    let run = state.view().active_run().filter(|_| listing.status == ExecutionStatus::Running);
    let run = run.ok_or_else(|| {
        let words = format!("execution {id} is over; execute the team again");
        Problem::new(Code::TargetOver, words)
    })?;
    let run = run.id;
    node.dispatcher.command(who, session, command(run)).await
}
