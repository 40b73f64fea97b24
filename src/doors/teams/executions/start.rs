//! Start of an execution: a session with a copy of the team, and its first run.

use std::sync::Arc;

use axum::http::HeaderMap;
use uuid::Uuid;

use super::execute::ExecuteRequest;
use super::idempotency_key::{IdempotencyKey, reused};
use crate::agent::teams::topology::{TeamDocument, read_document};
use crate::agent::teams::{ExecutionId, StoredTeam};
use crate::doors::teams::error::invalid_topology;
use crate::identity::Participant;
use crate::kernel::topology::Topology;
use crate::kernel::{
    Command, CommandId, Fact, MessageRequest, SessionId, Settings, Team, TeamOrigin, flow, is_blank, title_of,
};
use crate::node::{Node, SessionPlan};
use crate::protocol::{Code, Problem, check_request};
use crate::store;

/// Session of a request: a new one, or that of all requests with the same key.
pub(super) struct ExecutionSession {
    session: SessionId,
    is_keyed: bool,
}

impl ExecutionSession {
    /// Returns the session for the `Idempotency-Key` of a participant's request, or a new session if there is no key.
    pub(super) fn of(headers: &HeaderMap, who: &Participant, team: &StoredTeam) -> Result<Self, Problem> {
        Ok(match IdempotencyKey::of(headers)? {
            None => Self { session: SessionId(Uuid::now_v7()), is_keyed: false },
            Some(key) => Self { session: SessionId(key.id([who.id.0, team.listing.id.0])), is_keyed: true },
        })
    }

    /// Returns the id that the execution has or will have.
    pub(super) fn id(&self) -> ExecutionId {
        self.session.into()
    }

    /// Returns whether a later request with the same key can continue the execution.
    pub(super) fn is_keyed(&self) -> bool {
        self.is_keyed
    }

    fn command(&self, id: &str) -> Result<Option<CommandId>, Problem> {
        self.is_keyed.then(|| id.parse()).transpose().map_err(Problem::internal)
    }
}

/// Starts an execution, unless a request with the same key already did.
///
/// # Errors
/// `idempotency_key_reused` if the key was used for a different request, `team_inactive` if the team is switched off,
/// `invalid_topology` if the team refers to something that no longer exists, and the errors of creating a session and
/// starting a run.
pub(super) async fn start(
    node: &Node,
    who: &Participant,
    team: &StoredTeam,
    body: &ExecuteRequest,
    place: ExecutionSession,
) -> Result<ExecutionId, Problem> {
    let session = place.session;
    // This comes before the checks of the team, because the team might have changed since the first request.
    if place.is_keyed
        && let Some((text, request)) = first_message(node, session).await?
    {
        if body.is(&text, request.as_deref()) {
            return Ok(session.into());
        }
        return Err(reused());
    }
    let (plan, request) = plan(node, who, team, body).await?;
    let task = body.input.task.clone();
    node.dispatcher.check_new_run(who, session, plan.team.account()).await?;
    node.create_session(who, session, place.command("execution-create")?, plan).await?;
    let start = Command::Start { flow: None, input: task, files: vec![], earlier: vec![], request: Some(request) };
    node.dispatcher.submit_counted(who, session, place.command("execution-start")?, start).await?;
    Ok(session.into())
}

impl ExecuteRequest {
    /// Returns whether `task` and `request`, which started a run, are those of this request. If this request has no
    /// time limit, any time limit matches.
    fn is(&self, task: &str, request: Option<&MessageRequest>) -> bool {
        let is_same_limit = |limit: Option<u32>| self.timeout_seconds.is_none_or(|body| limit == Some(body));
        *self.input.task == *task
            && request
                .is_some_and(|request| request.context == self.input.context && is_same_limit(request.timeout_seconds))
    }
}

/// Returns the plan of an execution's session, and the request that its first message carries.
async fn plan(
    node: &Node,
    who: &Participant,
    team: &StoredTeam,
    body: &ExecuteRequest,
) -> Result<(SessionPlan, Arc<MessageRequest>), Problem> {
    let listing = &team.listing;
    if !listing.active {
        let message = match listing.is_managed_by(who) {
            true => "the team is switched off; switch it on with PATCH".to_owned(),
            false => format!("the team is switched off; ask {}, its owner, to switch it on", listing.owner_name),
        };
        return Err(Problem::new(Code::TeamInactive, message));
    }
    if is_blank(&body.input.task) {
        return Err(Problem::new(Code::InvalidArgument, "input.task is empty; describe the task"));
    }
    node.check_text(&body.input.task)?;
    let document = checked_document(node, team).await?;
    let timeout_seconds = body.timeout_seconds.unwrap_or(document.timeout_seconds);
    if !(1..=Topology::MAX_TIMEOUT_SECONDS).contains(&timeout_seconds) {
        let message = format!("timeout_seconds is {timeout_seconds}; use 1 to {}", Topology::MAX_TIMEOUT_SECONDS);
        return Err(Problem::new(Code::InvalidArgument, message));
    }
    let context = body.input.context.clone();
    let request = MessageRequest { context, output_schema: None, timeout_seconds: Some(timeout_seconds) };
    check_request(&request)?;
    let origin = Some(TeamOrigin { team: listing.id.0, version: listing.version });
    let team = Team { origin, ..document.to_team().map_err(Problem::internal)? };
    flow::topology::check_templates(&team, &body.input.task, Some(&request))?;
    let usual = node.usual_settings(who, &team);
    let days = node.config.teams.execution_retention_days;
    let retention_days = Some(usual.retention_days.map_or(days, |usual| usual.min(days)));
    let settings = Settings { retention_days, ..usual };
    let title = title_of(&body.input.task).unwrap_or_else(|| team.title.clone());
    Ok((SessionPlan { title, team, settings }, Arc::new(request)))
}

/// Returns the document of a team.
///
/// # Errors
/// `invalid_topology` if it refers to something that no longer exists.
async fn checked_document(node: &Node, team: &StoredTeam) -> Result<TeamDocument, Problem> {
    let catalog = node.references();
    let (are_known, text) = (team.listing.entry.references.are_known(&catalog), team.document.clone());
    let read = move || match are_known {
        true => serde_json::from_str(&text).map_err(Problem::internal),
        false => {
            let value = serde_json::from_str(&text).map_err(Problem::internal)?;
            read_document(&value, &catalog).map_err(|report| invalid_topology(&report))
        }
    };
    // Checking megabytes would block the executor for too long.
    tokio::task::spawn_blocking(read).await.map_err(Problem::internal)?
}

/// Returns the message that started the first run of a session, or `None` if the session has no message.
async fn first_message(
    node: &Node,
    session: SessionId,
) -> Result<Option<(Arc<str>, Option<Arc<MessageRequest>>)>, Problem> {
    let page = store::page(&*node.events, session, 0).await?;
    Ok(page.into_iter().find_map(|recorded| match recorded.event.fact {
        Fact::MessagePosted { text, request, .. } => Some((text, request)),
        _ => None,
    }))
}
