//! `POST /AutoAgent`: accepts a task and streams the lines of its run.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{FromRequest, Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName};
use axum::response::{AppendHeaders, IntoResponse, Response};

use super::DOOR;
use super::message;
use super::projection::AutoAgentProjection;
use super::request::{AgentType, AutoAgentRequest, RelayedMessage};
use super::resume::{AutoAgentPosition, StreamStart};
use crate::doors::asked_request::AskedRequest;
use crate::doors::attachments::{self, Attachment};
use crate::doors::caller::{caller, check_may_create, stream_lifetime};
use crate::doors::error::DetailError;
use crate::doors::sse;
use crate::http::{JsonBody, admit, last_event_id};
use crate::identity::{CredentialProof, Participant};
use crate::kernel::mention::{self, Addressee};
use crate::kernel::{Command, Language, Mode, PriorMessage, SessionId, Target, Team, View};
use crate::node::{FirstRun, NewSession, Node};
use crate::protocol::{Code, Problem};

pub(super) async fn stream(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    proof: Option<Extension<CredentialProof>>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, DetailError> {
    let who = caller(&node, &extensions, DOOR).await?;
    let counted = admit(&node, &who).await?;
    let JsonBody(body) = JsonBody::<AutoAgentRequest>::from_request(request, &node).await?;
    let place = match last_event_id(&headers)? {
        Some(AutoAgentPosition { start, after }) => resume(&node, &who, start, after).await?,
        None => start_run(&node, &who, &body).await?,
    };
    let AutoAgentRun { start, agent_type, language, sent_after, sent_until, after } = place;
    let watch = sse::watch(&node, &who, start.session, start.seq).await?;
    let headers = AppendHeaders([(HeaderName::from_static("x-session-id"), start.session.to_string())]);
    let streams = body.streams();
    let request = message::AutoAgentContext { id: body.request_id, agent_type, language, from: start };
    let heartbeat_interval = Duration::from_secs(node.config.http.keep_alive_seconds);
    let asked = AskedRequest::new(who.id, sent_after, sent_until, after);
    let answer = AutoAgentProjection::new(request, streams, heartbeat_interval, asked);
    let held = stream_lifetime(&node, proof);
    Ok((headers, sse::respond(&node, answer, watch, (held, counted), after)).into_response())
}

/// Position of the request's run. Lines of events up to `after` are not sent again.
struct AutoAgentRun {
    start: StreamStart,
    agent_type: Option<AgentType>,
    language: Language,
    /// Seq of the last event before the request's command.
    sent_after: u64,
    /// Seq of the last event of the request's command, if the stream knows the command.
    sent_until: Option<u64>,
    after: u64,
}

impl AutoAgentRun {
    fn of(view: &View, start: StreamStart, sent_after: u64, after: u64) -> Self {
        let Team { flow, language, .. } = &*view.team;
        Self { start, agent_type: AgentType::of(flow), language: *language, sent_after, sent_until: None, after }
    }
}

/// Resumes an interrupted stream. The original request already sent the task, so this one sends none.
async fn resume(node: &Node, who: &Participant, start: StreamStart, after: u64) -> Result<AutoAgentRun, Problem> {
    node.access.role(who, start.session).await?;
    let state = node.session_registry.state(start.session).await?;
    Ok(AutoAgentRun::of(state.view(), start, start.seq, after))
}

async fn start_run(node: &Node, who: &Participant, body: &AutoAgentRequest) -> Result<AutoAgentRun, Problem> {
    let text = body.text()?;
    node.check_text(&text)?;
    let mut files = attachments::find_attachments(node, who, body.session_id, &body.file_ids).await?;
    files.extend(body.image()?.map(Attachment::Inline));
    let Some(session) = body.session_id else {
        let flow = body.flow()?;
        let earlier = body.earlier(flow)?;
        node.check_earlier(earlier.iter().map(|message| &*message.text))?;
        check_may_create(node, who)?;
        let message = Some(body.query.clone());
        let request = NewSession { flow: Some(flow.into()), message, ..NewSession::default() };
        let started = node.begin(who, &request).await?;
        let files = attachments::attach(node, who, started.session, &files).await?;
        let earlier = post_earlier_messages(node, who, started.session, earlier).await?;
        node.first_run(who, started.session, FirstRun { files, earlier, ..FirstRun::new(text) }).await?;
        let start = StreamStart { session: started.session, seq: started.seq };
        let state = node.session_registry.state(started.session).await?;
        return Ok(AutoAgentRun::of(state.view(), start, started.seq, started.seq));
    };
    node.access.role(who, session).await?;
    let state = node.session_registry.state(session).await?;
    let flow = &state.view().team.flow;
    body.check_flow(flow)?;
    let earlier = body.earlier(flow)?;
    node.check_earlier(earlier.iter().map(|message| &*message.text))?;
    if state.view().active_run().is_some() && !earlier.is_empty() {
        let reason = "messages and prompts are accepted only with a request that begins a run, but a run is in progress; \
                     send the query alone";
        return Err(Problem::new(Code::InvalidArgument, reason));
    }
    let files = attachments::attach(node, who, session, &files).await?;
    let earlier = post_earlier_messages(node, who, session, earlier).await?;
    let (seq, command) = match state.view().active_run() {
        // The message answers the run's question, or reaches the run at its next step.
        Some(run) => {
            // The client waits for the team, so messages that mention only people or unknown names go to the team too.
            let reached = mention::route(state.view(), &text, None).is_for_agents();
            let to = (!reached).then(|| vec![Addressee::Target(Target::All)]);
            (run.id.0.saturating_sub(1), Command::Say { text, to, mode: Mode::Queue, files })
        }
        None => (state.seq(), Command::Start { flow: None, input: text, files, earlier, request: None }),
    };
    let sent_until = Some(node.dispatcher.command(who, session, command).await?);
    let run = AutoAgentRun::of(state.view(), StreamStart { session, seq }, state.seq(), state.seq());
    Ok(AutoAgentRun { sent_until, ..run })
}

/// Adds the messages' images to the session as files, and returns the messages.
async fn post_earlier_messages(
    node: &Node,
    who: &Participant,
    session: SessionId,
    messages: Vec<RelayedMessage>,
) -> Result<Vec<PriorMessage>, Problem> {
    let mut earlier = vec![];
    for RelayedMessage { role, text, image } in messages {
        let image = image.map(Attachment::Inline);
        let files = attachments::attach(node, who, session, image.as_slice()).await?;
        earlier.push(PriorMessage { role, text, files });
    }
    Ok(earlier)
}
