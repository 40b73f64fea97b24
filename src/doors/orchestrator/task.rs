//! Creation and display of tasks.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::{Extensions, StatusCode, request::Parts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::history::{self, HistoryEntry, history};
use super::status::TaskStatus;
use crate::doors::attachments;
use crate::doors::caller::{caller, check_may_create};
use crate::doors::error::DetailError;
use crate::doors::wording::localized_error;
use crate::http::{JsonBody, PathParameters};
use crate::identity::Participant;
use crate::kernel::plan::{Plan, PlanItem, PlanItemState};
use crate::kernel::{AgentId, AttemptError, SessionId, State as Session, View, is_blank};
use crate::node::{FirstRun, NewSession, Node};
use crate::protocol::{Code, Problem};

pub(super) const DOOR: &str = "orchestrator";

/// Body of `POST /api/orchestrator/tasks/`. Unknown fields are rejected.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewTaskRequest {
    /// Task, such as `Write test cases for the refund endpoint`. Required.
    requirement: Arc<str>,
    /// Ids of the knowledge bases to search, as numbers or strings. Default none.
    #[serde(default)]
    knowledge_base_ids: Vec<Value>,
    /// Ids of uploaded files, as `POST /api/v1/uploads` returns them in `file_id`. Default none.
    #[serde(default)]
    file_ids: Vec<String>,
}

/// A task in responses.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TaskResponse {
    /// Id of the task, which is the id of its session.
    id: String,
    /// State, such as `waiting_confirmation`.
    status: TaskStatus,
    /// Text of the task.
    requirement: Arc<str>,
    /// Number of the current or last step, or 0 before the first step.
    current_step: u32,
    /// Event that the task waits for: `user_confirmation`, `user_input` or `agent_result`. An empty string if the task
    /// waits for none.
    waiting_for: &'static str,
    /// Plan with its steps, or null before there is a plan.
    execution_plan: Option<TaskPlan>,
}

/// A plan, in the format of the specification.
#[derive(Debug, Serialize, JsonSchema)]
struct TaskPlan {
    /// Steps in order.
    steps: Vec<TaskStep>,
    /// Estimated duration as free text; can be empty.
    estimated_time: Arc<str>,
    /// Risks that the planner sees.
    risks: Vec<Arc<str>>,
}

/// A step of a plan.
#[derive(Debug, Serialize, JsonSchema)]
struct TaskStep {
    /// Id of the agent that executes the step, or null if the team decides.
    agent: Option<AgentId>,
    /// Description of the step.
    action: Arc<str>,
    /// Reason for the step; can be empty.
    reason: Arc<str>,
    /// State of the step.
    status: PlanItemState,
}

/// A task with its results.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TaskDetailsResponse {
    #[serde(flatten)]
    task: TaskResponse,
    /// Result of the `requirement` agent: text, JSON, a list of both, or null.
    requirement_analysis: Value,
    /// Result of the `knowledge` agent, in the same form as `requirement_analysis`.
    knowledge_docs: Value,
    /// Result of the `testcase` agent, in the same form as `requirement_analysis`.
    testcases: Value,
    /// All attempts at steps, in order.
    execution_history: Vec<HistoryEntry>,
    /// Error of a failed task, or null.
    error: Option<AttemptError>,
}

/// Plan of a task.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TaskPlanResponse {
    /// State of the task.
    status: TaskStatus,
    /// Plan with its steps, or null before there is a plan.
    execution_plan: Option<TaskPlan>,
    /// Revision of the plan, from 1, or 0 before there is a plan.
    revision: u32,
}

/// Progress of a task.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TaskProgressResponse {
    /// State of the task.
    status: TaskStatus,
    /// Number of the current or last step, or 0 before the first step.
    current_step: u32,
    /// Number of the plan's steps, or 0 before there is a plan.
    total_steps: usize,
    /// All attempts at steps, in order.
    execution_history: Vec<HistoryEntry>,
}

pub(super) async fn create(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    request: Request,
) -> Result<(StatusCode, Json<TaskResponse>), DetailError> {
    let who = caller(&node, &extensions, DOOR).await?;
    check_may_create(&node, &who)?;
    let JsonBody(task) = JsonBody::<NewTaskRequest>::from_request(request, &node).await?;
    if is_blank(&task.requirement) {
        return Err(Problem::new(Code::InvalidArgument, "requirement is empty; set it to the task").into());
    }
    // The specification uses numbers, but a session's settings use strings. Creating the session checks that the
    // knowledge bases exist and are readable.
    let named = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let knowledge: Vec<String> = task.knowledge_base_ids.iter().map(named).collect();
    let settings = Some(Map::from_iter([("knowledge".to_owned(), json!(knowledge))]));
    let text = task.requirement.clone();
    let request =
        NewSession { message: Some(text.clone()), flow: Some("brain".into()), settings, ..NewSession::default() };
    let files = attachments::find_attachments(&node, &who, None, &task.file_ids).await?;
    let started = node.begin(&who, &request).await?;
    let files = attachments::attach(&node, &who, started.session, &files).await?;
    node.first_run(&who, started.session, FirstRun { files, ..FirstRun::new(text) }).await?;
    let state = node.session_registry.state(started.session).await?;
    Ok((StatusCode::CREATED, Json(task_response(state.view()))))
}

pub(super) async fn show(
    State(node): State<Arc<Node>>,
    TaskSession(state): TaskSession,
) -> Result<Json<TaskDetailsResponse>, DetailError> {
    let view = state.view();
    let lines = history(&*node.events, view).await?;
    let error = view.run.as_ref().and_then(|run| run.error.as_ref());
    Ok(Json(TaskDetailsResponse {
        task: task_response(view),
        requirement_analysis: history::agent_result(&lines, "requirement"),
        knowledge_docs: history::agent_result(&lines, "knowledge"),
        testcases: history::agent_result(&lines, "testcase"),
        execution_history: lines,
        error: error.map(|error| localized_error(error, view.team.language)),
    }))
}

pub(super) async fn plan(TaskSession(state): TaskSession) -> Json<TaskPlanResponse> {
    let view = state.view();
    let plan = view.run.as_ref().and_then(|run| run.plan.as_ref());
    Json(TaskPlanResponse {
        status: TaskStatus::of(view),
        execution_plan: plan.map(task_plan),
        revision: plan.map_or(0, |plan| plan.rev),
    })
}

pub(super) async fn progress(
    State(node): State<Arc<Node>>,
    TaskSession(state): TaskSession,
) -> Result<Json<TaskProgressResponse>, DetailError> {
    let view = state.view();
    let run = view.run.as_ref();
    Ok(Json(TaskProgressResponse {
        status: TaskStatus::of(view),
        current_step: run.map_or(0, history::current_step),
        total_steps: run.and_then(|run| run.plan.as_ref()).map_or(0, |plan| plan.items.len()),
        execution_history: history(&*node.events, view).await?,
    }))
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
pub(super) struct TaskSession(Arc<Session>);

impl FromRequestParts<Arc<Node>> for TaskSession {
    type Rejection = DetailError;

    async fn from_request_parts(parts: &mut Parts, node: &Arc<Node>) -> Result<Self, DetailError> {
        let PathParameters(id) =
            PathParameters::<String>::from_request_parts(parts, node).await.map_err(|_| unknown())?;
        let who = caller(node, &parts.extensions, DOOR).await?;
        let session = find(node, &who, &id).await?;
        Ok(Self(node.session_registry.state(session).await?))
    }
}

fn task_response(view: &View) -> TaskResponse {
    let run = view.run.as_ref();
    let input = run.and_then(|run| view.message(run.input));
    TaskResponse {
        id: view.session.to_string(),
        status: TaskStatus::of(view),
        requirement: input.map_or_else(|| view.title.clone(), |input| input.text.clone()),
        current_step: run.map_or(0, history::current_step),
        waiting_for: TaskStatus::waiting_for(view),
        execution_plan: run.and_then(|run| run.plan.as_ref()).map(task_plan),
    }
}

/// Returns the plan in the format of the specification.
fn task_plan(plan: &Plan) -> TaskPlan {
    let step = |item: &PlanItem| TaskStep {
        agent: item.agent.clone(),
        action: item.action.clone(),
        reason: item.reason.clone(),
        status: item.state,
    };
    TaskPlan {
        steps: plan.items.iter().map(step).collect(),
        estimated_time: plan.estimated_time.clone(),
        risks: plan.risks.clone(),
    }
}
