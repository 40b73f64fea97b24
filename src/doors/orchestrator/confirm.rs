//! `POST …/confirm/`: people confirm the plan, send it back with what should change, or end the task.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::Extensions;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::status::Status;
use super::task::{DOOR, find};
use crate::doors::caller::caller;
use crate::doors::detail::Detail;
use crate::http::{Body, Path};
use crate::kernel::gate::{Choice, GateKind};
use crate::kernel::{Command, Language, Rejection};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// What people say about the plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Confirmation {
    approved: bool,
    #[serde(default)]
    user_notes: Arc<str>,
    /// The revision that was looked at; absent: the newest.
    revision: Option<u32>,
    /// The plan as it should be.
    execution_plan: Option<Box<RawValue>>,
}

pub(super) async fn confirm(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    Path(id): Path<String>,
    request: Request,
) -> Result<Json<Value>, Detail> {
    let who = caller(&node, &extensions, DOOR).await?;
    let session = find(&node, &who, &id).await?;
    let Body(said) = Body::<Confirmation>::from_request(request, &node).await?;
    node.check_text(&said.user_notes)?;
    let state = node.orchestrators.state(session).await?;
    let gate = state.view().gates.iter().find(|gate| gate.kind == GateKind::Plan);
    let gate = gate.ok_or_else(|| {
        Problem::new(Code::InvalidArgument, "the task does not wait for its plan to be confirmed; look at its status")
    })?;
    if !said.approved && said.execution_plan.is_some() {
        let words = "an execution_plan is the plan as you confirm it; send it with approved true, or say in user_notes what \
                     should change";
        return Err(Problem::new(Code::InvalidArgument, words).into());
    }
    let comment = Some(said.user_notes).filter(|notes| !notes.trim().is_empty());
    let (gate, current) = (gate.id, gate.rev);
    let rev = said.revision.unwrap_or(current);
    let command = match (said.approved, comment) {
        (true, comment) => Command::Vote { gate, rev, choice: Choice::Approve, comment, edit: said.execution_plan },
        (false, Some(notes)) => Command::Vote { gate, rev, choice: Choice::Reject, comment: Some(notes), edit: None },
        // Whoever ends the task has looked at a plan as well.
        (false, None) if rev != current => return Err(Rejection::StaleRevision { given: rev, current }.into()),
        (false, None) => {
            let run = state.view().active_run().ok_or(Rejection::NoRun)?.id;
            Command::Cancel { run, reason: None }
        }
    };
    node.reception.command(&who, session, command).await?;
    let state = node.orchestrators.state(session).await?;
    let status = Status::of(state.view());
    Ok(Json(json!({ "status": status, "message": words(status, state.view().team.language) })))
}

fn words(status: Status, language: Language) -> &'static str {
    match (status, language) {
        (Status::Executing | Status::Completed, Language::Zh) => "任务已开始执行",
        (Status::Executing | Status::Completed, Language::En) => "the task is being carried out",
        (Status::Cancelled, Language::Zh) => "任务已取消",
        (Status::Cancelled, Language::En) => "the task is cancelled",
        (Status::Planning, Language::Zh) => "正在按您的意见重新制定计划",
        (Status::Planning, Language::En) => "a new plan is being made",
        (_, Language::Zh) => "您的意见已记录，等待其他人",
        (_, Language::En) => "your vote is counted; others are still to vote",
    }
}
