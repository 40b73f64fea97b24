//! `POST /AutoAgent`: accepts a task and streams the lines of its run.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{FromRequest, Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName};
use axum::response::sse::Sse;
use axum::response::{AppendHeaders, IntoResponse, Response};

use super::DOOR;
use super::projection::Answer;
use super::request::{AgentType, Asked, PassedOn};
use super::said;
use super::taken_up::{Reached, Start};
use crate::doors::NewSession;
use crate::doors::caller::{caller, held, may_begin};
use crate::doors::detail::Detail;
use crate::doors::files::{self, Attachment};
use crate::doors::lines;
use crate::http::{Body, admit, watch};
use crate::identity::{Participant, Proof};
use crate::kernel::mention::{self, Addressee};
use crate::kernel::{Command, Earlier, Language, Mode, SessionId, Target, Team, View};
use crate::node::Node;
use crate::protocol::{Code, Problem};

pub(super) async fn stream(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    proof: Option<Extension<Proof>>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, Detail> {
    let who = caller(&node, &extensions, DOOR).await?;
    let counted = admit(&node, who.id).await?;
    let Body(asked) = Body::<Asked>::from_request(request, &node).await?;
    let place = match lines::last_id(&headers)? {
        Some(Reached { start, after }) => take_up(&node, &who, start, after).await?,
        None => begin(&node, &who, &asked).await?,
    };
    let Place { start, agent_type, language, after } = place;
    let (feed, _) = node.access.feed(&who, start.session).await?;
    let watch = watch(&feed, &who, start.seq);
    let held = held(&node, proof);
    let headers = AppendHeaders([(HeaderName::from_static("x-session-id"), start.session.to_string())]);
    let streams = asked.streams();
    let request = said::Request { id: asked.request_id, agent_type, language, from: start };
    let answer = Answer::new(request, streams, Duration::from_secs(node.config.http.keep_alive_seconds));
    Ok((headers, Sse::new(lines::lines(answer, lines::frames(watch, held, counted), after))).into_response())
}

/// Position of the request's run. Lines of events up to `after` are not sent again.
struct Place {
    start: Start,
    agent_type: Option<AgentType>,
    language: Language,
    after: u64,
}

impl Place {
    fn of(view: &View, start: Start, after: u64) -> Self {
        let Team { flow, language, .. } = &*view.team;
        Self { start, agent_type: AgentType::of(flow), language: *language, after }
    }
}

/// Resumes an interrupted stream. The original request already sent the task, so this one sends none.
async fn take_up(node: &Node, who: &Participant, start: Start, after: u64) -> Result<Place, Problem> {
    node.access.role(who, start.session).await?;
    let state = node.orchestrators.state(start.session).await?;
    Ok(Place::of(state.view(), start, after))
}

async fn begin(node: &Node, who: &Participant, asked: &Asked) -> Result<Place, Problem> {
    let text = asked.words()?;
    node.check_text(&text)?;
    let mut files = files::find(node, who, asked.session_id, &asked.file_ids).await?;
    files.extend(asked.image()?.map(Attachment::Inline));
    let Some(session) = asked.session_id else {
        let flow = asked.flow()?;
        let earlier = asked.earlier(flow)?;
        node.check_earlier(earlier.iter().map(|said| &*said.text))?;
        may_begin(node, who)?;
        let message = Some(asked.query.clone());
        let wanted = NewSession { flow: Some(flow.into()), message, ..NewSession::default() };
        let begun = node.begin(who, &wanted).await?;
        let files = files::attach(node, who, begun.session, &files).await?;
        let earlier = pass_on(node, who, begun.session, earlier).await?;
        node.first_run(who, begun.session, text, files, earlier).await?;
        let start = Start { session: begun.session, seq: begun.seq };
        let state = node.orchestrators.state(begun.session).await?;
        return Ok(Place::of(state.view(), start, begun.seq));
    };
    node.access.role(who, session).await?;
    let state = node.orchestrators.state(session).await?;
    let flow = &state.view().team.flow;
    asked.check_flow(flow)?;
    let earlier = asked.earlier(flow)?;
    node.check_earlier(earlier.iter().map(|said| &*said.text))?;
    if state.view().active_run().is_some() && !earlier.is_empty() {
        let words = "messages and prompts are accepted only with a request that begins a run, but a run is in progress; \
                     send the query alone";
        return Err(Problem::new(Code::InvalidArgument, words));
    }
    let files = files::attach(node, who, session, &files).await?;
    let earlier = pass_on(node, who, session, earlier).await?;
    let (seq, command) = match state.view().active_run() {
        // The message answers the run's question, or reaches the run at its next step.
        Some(run) => {
            // The client waits for the team, so messages that mention only people or unknown names go to the team too.
            let reached = mention::route(state.view(), &text, None).is_for_agents();
            let to = (!reached).then(|| vec![Addressee::Target(Target::All)]);
            (run.id.0.saturating_sub(1), Command::Say { text, to, mode: Mode::Queue, files })
        }
        None => (state.seq(), Command::Start { flow: None, input: text, files, earlier }),
    };
    node.reception.command(who, session, command).await?;
    Ok(Place::of(state.view(), Start { session, seq }, state.seq()))
}

/// Adds the messages' images to the session as files, and returns the messages.
async fn pass_on(
    node: &Node,
    who: &Participant,
    session: SessionId,
    messages: Vec<PassedOn>,
) -> Result<Vec<Earlier>, Problem> {
    let mut earlier = vec![];
    for PassedOn { role, text, image } in messages {
        let image = image.map(Attachment::Inline);
        let files = files::attach(node, who, session, image.as_slice()).await?;
        earlier.push(Earlier { role, text, files });
    }
    Ok(earlier)
}
