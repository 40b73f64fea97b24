//! `POST /api/v1/executions/{execution}/pause`, `/resume` and `/cancel`: controls of an execution by its caller.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

use super::lookup;
use crate::agent::teams::{ExecutionId, ExecutionStatus};
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
    /// Id of the execution.
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
    let run = active_run(node, listing.id).await?;
    let seq = node.dispatcher.command(who, listing.id.session(), command(run)).await?;
    Ok((StatusCode::ACCEPTED, Json(ControlResponse { execution_id: listing.id, seq })))
}

/// Returns the active run of an execution.
///
/// # Errors
/// `target_over` if the execution is over.
pub(super) async fn active_run(node: &Node, id: ExecutionId) -> Result<RunId, Problem> {
    let state = node.session_registry.state(id.session()).await?;
    // Read after the state: if the execution still runs, the run that was active before is its own. In the opposite
    // order, the execution could end in between, and the control would stop a run that was started after it.
    let running = node.executions.execution(id).await?.is_some_and(|now| now.status == ExecutionStatus::Running);
    let run = state.view().active_run().filter(|_| running).map(|run| run.id);
    run.ok_or_else(|| {
        let message = format!("execution {id} is over; execute the team again");
        Problem::new(Code::TargetOver, message)
    })
}
