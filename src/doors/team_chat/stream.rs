//! `POST /api/team-chat/stream`: accepts a message and streams the lines of its effects.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{FromRequest, Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;

use super::error::TeamChatError;
use super::projection::TeamChatProjection;
use super::resume::{LogRange, TeamChatPosition};
use super::{DOOR, conversation_id};
use crate::doors::attachments;
use crate::doors::caller::{caller, check_may_create, stream_lifetime};
use crate::doors::sse;
use crate::feed::JsonViewer;
use crate::http::{JsonBody, admit, last_event_id};
use crate::identity::{CredentialProof, Participant};
use crate::kernel::gate::Gate;
use crate::kernel::mention::{self, Addressee, RouteReason};
use crate::kernel::{Command, Mode, Phase, SessionId, Target, View, is_blank};
use crate::node::{FirstRun, NewSession, Node};
use crate::protocol::check_addressees;

/// Body of `POST /api/team-chat/stream`. Unknown fields are rejected.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TeamChatRequest {
    /// Text of the message. It can be empty only to approve at an open gate.
    #[serde(default)]
    message: Arc<str>,
    /// Ids of uploaded files, as `POST /api/v1/uploads` returns them in `file_id`. If absent, no files.
    file_ids: Option<Vec<String>>,
    /// True to continue `conversation_id`, which is then required; false to start a new conversation. Default false.
    #[serde(default)]
    is_feedback: bool,
    /// Id of the conversation, such as `team_session_…`, from the `x-conversation-id` response header.
    conversation_id: Option<String>,
    /// Id of the agent that the message is for, such as `TestCase_Reviewer`. If absent, mentions in the text decide.
    /// Ignored in the first message of a conversation.
    target_agent: Option<String>,
}

pub(super) async fn stream(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    proof: Option<Extension<CredentialProof>>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, TeamChatError> {
    // Authenticate before reading the body: otherwise callers without access could keep the server waiting for it.
    let who = caller(&node, &extensions, DOOR).await?;
    let counted = admit(&node, &who).await?;
    let JsonBody(request) = JsonBody::<TeamChatRequest>::from_request(request, &node).await?;
    node.check_text(&request.message)?;
    let reached = last_event_id(&headers)?;
    let (session, projection, watch) = match (reached, request.is_feedback, request.conversation_id.clone()) {
        (Some(TeamChatPosition { place, .. }), ..) => resume(&node, &who, place).await?,
        (None, true, Some(conversation)) => send_feedback(&node, &who, &conversation, request).await?,
        (None, true, None) if is_blank(&request.message) => return Err(TeamChatError::empty_message()),
        // Without this check, feedback would start another conversation, which would cost money.
        (None, true, None) => return Err(TeamChatError::unnamed_conversation()),
        (None, false, _) => start_conversation(&node, &who, request).await?,
    };
    let after = reached.map_or(0, |reached| reached.after);
    let headers = AppendHeaders([
        (HeaderName::from_static("x-conversation-id"), conversation_id::conversation_id(session)),
        (HeaderName::from_static("x-team-mode"), "true".to_owned()),
        (header::CONNECTION, "keep-alive".to_owned()),
    ]);
    let held = stream_lifetime(&node, proof);
    Ok((headers, sse::respond(&node, projection, watch, (held, counted), after)).into_response())
}

type TeamChatStream = (SessionId, TeamChatProjection, JsonViewer);

/// Resumes an interrupted stream. The original request already sent the message, so this one sends none.
async fn resume(node: &Node, who: &Participant, place: LogRange) -> Result<TeamChatStream, TeamChatError> {
    node.access.role(who, place.session).await?;
    let state = node.session_registry.state(place.session).await?;
    let projection = TeamChatProjection::new(place, state.view().team.clone(), open_gate(state.view()));
    let watch = sse::watch(node, who, place.session, place.start).await?;
    Ok((place.session, projection, watch))
}

/// Returns the open gate that holds the work of the active run, if there is one.
fn open_gate(view: &View) -> Option<Gate> {
    let run = view.active_run()?.id;
    view.gates.iter().find(|gate| gate.run == Some(run) && gate.holds_work()).cloned()
}

/// Starts a new conversation with its first message.
async fn start_conversation(
    node: &Node,
    who: &Participant,
    request: TeamChatRequest,
) -> Result<TeamChatStream, TeamChatError> {
    let message = request.message;
    if is_blank(&message) {
        return Err(TeamChatError::empty_message());
    }
    check_may_create(node, who)?;
    let files = attachments::find_attachments(node, who, None, &request.file_ids.unwrap_or_default()).await?;
    let started = node.begin(who, &NewSession { message: Some(message.clone()), ..NewSession::default() }).await?;
    let state = node.session_registry.state(started.session).await?;
    let place = LogRange { session: started.session, start: started.seq, until: None };
    let mut projection = TeamChatProjection::new(place, state.view().team.clone(), None);
    // Watch before sending the message; otherwise the stream could miss the beginning of the replies.
    let watch = sse::watch(node, who, started.session, started.seq).await?;
    let files = attachments::attach(node, who, started.session, &files).await?;
    projection.submitted(node.first_run(who, started.session, FirstRun { files, ..FirstRun::new(message) }).await?);
    Ok((started.session, projection, watch))
}

/// Sends a message to a conversation that waits for it. The session determines whether the message is an approval and
/// whom it mentions.
async fn send_feedback(
    node: &Node,
    who: &Participant,
    conversation: &str,
    request: TeamChatRequest,
) -> Result<TeamChatStream, TeamChatError> {
    let session = conversation_id::visible_session(node, who, conversation).await?;
    let state = node.session_registry.state(session).await?;
    let gate = open_gate(state.view());
    if gate.is_none() {
        // A failed or cancelled run does not wait for feedback, so the message starts the next run.
        let stopped = |phase| matches!(phase, Phase::Failed | Phase::Cancelled);
        if !state.view().run.as_ref().is_some_and(|run| stopped(run.phase)) {
            return Err(TeamChatError::not_waiting());
        }
        if is_blank(&request.message) {
            return Err(TeamChatError::empty_message());
        }
    }
    let body = gate.is_some();
    let place = LogRange { session, start: state.seq(), until: None };
    let mut projection = TeamChatProjection::new(place, state.view().team.clone(), gate);
    let watch = sse::watch(node, who, session, state.seq()).await?;
    // A target does not change an approval, so the target of an empty message is ignored.
    let named = request.target_agent.filter(|name| !is_blank(name) && !is_blank(&request.message));
    let named = named.map(|name| vec![Addressee::Name(name.trim().trim_start_matches('@').to_owned())]);
    check_addressees(named.as_deref().unwrap_or_default())?;
    let route = mention::route(state.view(), &request.message, named.as_deref());
    // Feedback is for agents, even if it mentions only a person in the session.
    let to = if route.is_for_agents() || route.reason == RouteReason::Unresolved {
        named
    } else {
        Some(vec![Addressee::Target(Target::All)])
    };
    let files = attachments::find_attachments(node, who, Some(session), &request.file_ids.unwrap_or_default()).await?;
    let files = attachments::attach(node, who, session, &files).await?;
    let command = match body || route.is_for_agents() {
        true => Command::Say { text: request.message, to, mode: Mode::Queue, files },
        false => Command::Start { flow: None, input: request.message, files, earlier: vec![], request: None },
    };
    projection.submitted(node.dispatcher.command(who, session, command).await?);
    Ok((session, projection, watch))
}
