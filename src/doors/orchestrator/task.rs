//! Creation and display of tasks.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::{Extensions, StatusCode, request::Parts};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::history::{self, Line, history};
use super::status::Status;
use crate::doors::NewSession;
use crate::doors::caller::{caller, may_begin};
use crate::doors::detail::Detail;
use crate::doors::files;
use crate::doors::wording::told;
use crate::http::{Body, Path};
use crate::identity::Participant;
use crate::kernel::plan::Plan;
use crate::kernel::{SessionId, State as Session, View};
use crate::node::Node;
use crate::protocol::{Code, Problem};

pub(super) const DOOR: &str = "orchestrator";

/// Body of `POST /api/orchestrator/tasks/`. Unknown fields are rejected.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewTask {
    /// Task, such as `Write test cases for the refund endpoint`. Required.
    requirement: Arc<str>,
    /// Ids of the knowledge bases to search, as numbers or strings. Default none.
    #[serde(default)]
    knowledge_base_ids: Vec<Value>,
    /// Ids of uploaded files: see [`crate::doors::uploads`]. Default none.
    #[serde(default)]
    file_ids: Vec<String>,
}

/// A task in responses.
#[derive(Debug, Serialize)]
struct Shown {
    /// Id of the task, which is the id of its session.
    id: String,
    /// State, such as `waiting_confirmation`.
    status: Status,
    /// Text of the task.
    requirement: Arc<str>,
    /// Number of the current or last step; 0 before the first.
    current_step: u32,
    /// Event that the task waits for: `user_confirmation`, `user_input`, `agent_result` or an empty string.
    waiting_for: &'static str,
    /// Plan with its steps, or null before there is one.
    execution_plan: Option<Value>,
}

pub(super) async fn create(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    request: Request,
) -> Result<(StatusCode, Json<Value>), Detail> {
    let who = caller(&node, &extensions, DOOR).await?;
    may_begin(&node, &who)?;
    let Body(task) = Body::<NewTask>::from_request(request, &node).await?;
    if task.requirement.trim().is_empty() {
        return Err(Problem::new(Code::InvalidArgument, "requirement is empty; set it to the task").into());
    }
    // The specification has numbers, a session's settings have strings. Creating the session checks that the knowledge
    // bases exist and are readable.
    let named = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let knowledge: Vec<String> = task.knowledge_base_ids.iter().map(named).collect();
    let settings = Some(Map::from_iter([("knowledge".to_owned(), json!(knowledge))]));
    let words = task.requirement.clone();
    let wanted =
        NewSession { message: Some(words.clone()), flow: Some("brain".into()), settings, ..NewSession::default() };
    let files = files::find(&node, &who, None, &task.file_ids).await?;
    let begun = node.begin(&who, &wanted).await?;
    let files = files::attach(&node, &who, begun.session, &files).await?;
    node.first_run(&who, begun.session, words, files, vec![]).await?;
    let state = node.orchestrators.state(begun.session).await?;
    Ok((StatusCode::CREATED, Json(json!(shown(state.view())))))
}

pub(super) async fn show(State(node): State<Arc<Node>>, Seen(state): Seen) -> Result<Json<Value>, Detail> {
    let view = state.view();
    let lines = history(&*node.events, view).await?;
    let mut task = json!(shown(view));
    // The specification has a separate field for the result of each of its three agents.
    let fields = [("requirement", "requirement_analysis"), ("knowledge", "knowledge_docs"), ("testcase", "testcases")];
    for (agent, field) in fields {
        task[field] = history::result_of(&lines, agent);
    }
    task["execution_history"] = json!(lines);
    let error = view.run.as_ref().and_then(|run| run.error.as_ref());
    task["error"] = json!(error.map(|error| told(error, view.team.language)));
    Ok(Json(task))
}

pub(super) async fn plan(Seen(state): Seen) -> Json<Value> {
    let view = state.view();
    let run = view.run.as_ref();
    Json(json!({
        "status": Status::of(view),
        "execution_plan": run.and_then(|run| run.plan.as_ref()).map(written),
        "revision": run.and_then(|run| run.plan.as_ref()).map_or(0, |plan| plan.rev),
    }))
}

pub(super) async fn progress(State(node): State<Arc<Node>>, Seen(state): Seen) -> Result<Json<Value>, Detail> {
    let view = state.view();
    let lines: Vec<Line> = history(&*node.events, view).await?;
    let run = view.run.as_ref();
    Ok(Json(json!({
        "status": Status::of(view),
        "current_step": run.map_or(0, history::current),
        "total_steps": run.and_then(|run| run.plan.as_ref()).map_or(0, |plan| plan.steps.len()),
        "execution_history": lines,
    })))
}

fn unknown() -> Problem {
    Problem::new(Code::UnknownSession, "no task has this id, or you have no access to it; check the id")
}

/// Returns the session of a task, if it exists and the participant can see it.
pub(super) async fn find(node: &Node, who: &Participant, id: &str) -> Result<SessionId, Problem> {
    let session = id.parse().map_err(|_| unknown())?;
    node.access.role(who, session).await?;
    Ok(session)
}

/// Current state of the task in the request's path.
pub(super) struct Seen(Arc<Session>);

impl FromRequestParts<Arc<Node>> for Seen {
    type Rejection = Detail;

    async fn from_request_parts(parts: &mut Parts, node: &Arc<Node>) -> Result<Self, Detail> {
        let Path(id) = Path::<String>::from_request_parts(parts, node).await.map_err(|_| unknown())?;
        let who = caller(node, &parts.extensions, DOOR).await?;
        let session = find(node, &who, &id).await?;
        Ok(Self(node.orchestrators.state(session).await?))
    }
}

fn shown(view: &View) -> Shown {
    let run = view.run.as_ref();
    let input = run.and_then(|run| view.message(run.input));
    Shown {
        id: view.session.to_string(),
        status: Status::of(view),
        requirement: input.map_or_else(|| view.title.clone(), |input| input.text.clone()),
        current_step: run.map_or(0, history::current),
        waiting_for: Status::waiting_for(view),
        execution_plan: run.and_then(|run| run.plan.as_ref()).map(written),
    }
}

/// Returns the plan in the format of the specification.
fn written(plan: &Plan) -> Value {
    let steps = plan
        .steps
        .iter()
        .map(|step| json!({ "agent": step.agent, "action": step.action, "reason": step.reason, "status": step.state }));
    json!({
        "steps": steps.collect::<Vec<_>>(),
        "estimated_time": plan.estimated_time,
        "risks": plan.risks,
    })
}
