//! `POST /AutoAgent`: a task, then the lines of the run that works on it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{FromRequest, Request, State};
use axum::http::{Extensions, HeaderName};
use axum::response::sse::Sse;
use axum::response::{AppendHeaders, IntoResponse, Response};

use super::DOOR;
use super::projection::Answer;
use super::request::{AgentType, Asked};
use super::said;
use crate::doors::NewSession;
use crate::doors::caller::{caller, held, may_begin};
use crate::doors::detail::Detail;
use crate::doors::files;
use crate::doors::lines;
use crate::http::{Body, admit, watch};
use crate::identity::{Participant, Proof};
use crate::kernel::mention::{self, Addressee};
use crate::kernel::{Command, Mode, SessionId, Target};
use crate::node::Node;
use crate::protocol::Problem;

pub(super) async fn stream(
    State(node): State<Arc<Node>>,
    extensions: Extensions,
    proof: Option<Extension<Proof>>,
    request: Request,
) -> Result<Response, Detail> {
    let who = caller(&node, &extensions, DOOR).await?;
    let counted = admit(&node, who.id).await?;
    let Body(asked) = Body::<Asked>::from_request(request, &node).await?;
    let place = place(&node, &who, &asked).await?;
    let (feed, _) = node.access.feed(&who, place.session).await?;
    let watch = watch(&feed, &who, place.from);
    let held = held(&node, proof);
    let headers = AppendHeaders([(HeaderName::from_static("x-session-id"), place.session.to_string())]);
    let request = said::Request { id: asked.request_id, agent_type: place.agent_type };
    let answer = Answer::new(request, asked.is_stream);
    Ok((headers, Sse::new(lines::lines(answer, lines::frames(watch, held, counted), place.after))).into_response())
}

/// Where the run is that works on the request: the first that begins after `from`. What happened in it up to `after` is
/// not told again.
struct Place {
    session: SessionId,
    agent_type: Option<AgentType>,
    from: u64,
    after: u64,
}

async fn place(node: &Node, who: &Participant, asked: &Asked) -> Result<Place, Problem> {
    let text = asked.words()?;
    node.check_text(&text)?;
    let files = files::find(node, who, asked.session_id, &asked.file_ids).await?;
    let Some(session) = asked.session_id else {
        let flow = asked.flow()?;
        may_begin(node, who)?;
        let message = Some(asked.query.clone());
        let wanted = NewSession { flow: Some(flow.into()), message, ..NewSession::default() };
        let begun = node.begin(who, &wanted).await?;
        let files = files::attach(node, who, begun.session, &files).await?;
        node.first_run(who, begun.session, text, files).await?;
        let agent_type = AgentType::of(flow);
        return Ok(Place { session: begun.session, agent_type, from: begun.seq, after: begun.seq });
    };
    node.access.role(who, session).await?;
    let state = node.orchestrators.state(session).await?;
    let files = files::attach(node, who, session, &files).await?;
    let agent_type = AgentType::of(&state.view().team.flow);
    let (from, command) = match state.view().active_run() {
        // It answers what the run asks, or is heard by it at its next step.
        Some(run) => {
            // Whoever sends them waits for the team: words that mention others, or nobody who is there, are for it too.
            let reached = mention::route(state.view(), &text, None).is_for_agents();
            let to = (!reached).then(|| vec![Addressee::Target(Target::All)]);
            (run.id.0.saturating_sub(1), Command::Say { text, to, mode: Mode::Queue, files })
        }
        None => (state.seq(), Command::Start { flow: None, input: text, files }),
    };
    node.reception.command(who, session, command).await?;
    Ok(Place { session, agent_type, from, after: state.seq() })
}
