//! `POST …/confirm/`: confirms the plan, requests changes to it, or cancels the task.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::Extensions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::status::TaskStatus;
use super::task::{DOOR, find};
use crate::doors::caller::caller;
use crate::doors::error::DetailError;
use crate::http::{JsonBody, PathParameters};
use crate::kernel::gate::{Choice, GateKind};
use crate::kernel::{Command, Language, Rejection, is_blank};
use crate::node::Node;
use crate::protocol::{Code, Problem, describe};

/// Body of `POST …/confirm/`. Unknown fields are rejected.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConfirmationRequest {
    /// Approval of the plan. `false` with `user_notes` requests a new plan; without them, it cancels the task.
    approved: bool,
    /// Comment on the plan, such as `Add a step for security tests`. Default empty.
    #[serde(default)]
    user_notes: Arc<str>,
    /// Revision of the plan that the decision is about. If absent, the newest revision.
    revision: Option<u32>,
    /// Changed plan, accepted only with `approved` true.
    #[schemars(with = "Option<Map<String, Value>>")]
    execution_plan: Option<Box<RawValue>>,
}

/// Result of a decision on the plan.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ConfirmationResponse {
    /// New state of the task.
    status: TaskStatus,
    /// Description of the state, for people.
    message: &'static str,
}

pub(super) async fn confirm(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    PathParameters(id): PathParameters<String>,
    request: Request,
) -> Result<Json<ConfirmationResponse>, DetailError> {
    let who = caller(&node, &extensions, DOOR).await?;
    let session = find(&node, &who, &id).await?;
    let JsonBody(body) = JsonBody::<ConfirmationRequest>::from_request(request, &node).await?;
    node.check_text(&body.user_notes)?;
    let state = node.session_registry.state(session).await?;
    let gate = state.view().gates.iter().find(|gate| gate.kind == GateKind::Plan);
    let gate = gate.ok_or_else(|| {
        Problem::new(Code::GateClosed, "the task does not wait for a confirmation of its plan; check its status")
    })?;
    if !body.approved && body.execution_plan.is_some() {
        let text = "execution_plan requires approved true; set it, or describe in user_notes what \
                     should change";
        return Err(Problem::new(Code::InvalidArgument, text).into());
    }
    let comment = Some(body.user_notes).filter(|notes| !is_blank(notes));
    let (gate, current) = (gate.id, gate.rev);
    let rev = body.revision.unwrap_or(current);
    let command = match (body.approved, comment) {
        (true, comment) => Command::Vote {
            gate,
            rev,
            choice: Choice::Approve,
            comment,
            edit: body.execution_plan.as_deref().map(kernel_plan).transpose()?,
            standing: None,
        },
        (false, Some(notes)) => {
            Command::Vote { gate, rev, choice: Choice::Reject, comment: Some(notes), edit: None, standing: None }
        }
        // Like a vote, a cancellation must refer to the current plan.
        (false, None) if rev != current => return Err(Rejection::StaleRevision { given: rev, current }.into()),
        (false, None) => {
            let run = state.view().active_run().ok_or(Rejection::NoRun)?.id;
            Command::Cancel { run, reason: None }
        }
    };
    node.dispatcher.command(&who, session, command).await?;
    let state = node.session_registry.state(session).await?;
    let status = TaskStatus::of(state.view());
    Ok(Json(ConfirmationResponse { status, message: status_text(status, state.view().team.language) }))
}

/// Converts a plan from the format of the specification to that of the kernel, in which the steps are the plan's items.
fn kernel_plan(plan: &RawValue) -> Result<Box<RawValue>, Problem> {
    let invalid = |message: &str| Problem::new(Code::InvalidArgument, format!("execution_plan {message}"));
    let fields: Result<BTreeMap<String, Box<RawValue>>, _> = serde_json::from_str(plan.get());
    let mut fields = fields.map_err(|error| invalid(&format!("is invalid: {}", describe(&error))))?;
    let steps = fields.remove("steps").ok_or_else(|| invalid("has no steps; send the whole edited plan"))?;
    let steps: Result<Vec<BTreeMap<String, Box<RawValue>>>, _> = serde_json::from_str(steps.get());
    let mut steps = steps.map_err(|error| invalid(&format!("has invalid steps: {}", describe(&error))))?;
    for step in &mut steps {
        let state = step.remove("status");
        step.extend(state.map(|state| ("state".to_owned(), state)));
    }
    let items = serde_json::value::to_raw_value(&steps).map_err(Problem::internal)?;
    fields.insert("items".into(), items);
    serde_json::value::to_raw_value(&fields).map_err(Problem::internal)
}

fn status_text(status: TaskStatus, language: Language) -> &'static str {
    match (status, language) {
        (TaskStatus::Executing | TaskStatus::Completed, Language::Zh) => "任务已开始执行",
        (TaskStatus::Executing | TaskStatus::Completed, Language::En) => "the task is executing",
        (TaskStatus::Cancelled, Language::Zh) => "任务已取消",
        (TaskStatus::Cancelled, Language::En) => "the task was cancelled",
        (TaskStatus::Planning, Language::Zh) => "正在按您的意见重新制定计划",
        (TaskStatus::Planning, Language::En) => "a new plan is in progress",
        (_, Language::Zh) => "您的意见已记录，等待其他人",
        (_, Language::En) => "your vote was counted; others still have to vote",
    }
}
