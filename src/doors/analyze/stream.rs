//! `POST /api/v1/analyze/stream`: starts an analysis, or continues the stream of an earlier one.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{FromRequest, Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde_json::{Map, json};

use super::DOOR;
use super::projection::AnalyzeProjection;
use super::request::AnalyzeRequest;
use crate::doors::asked_request::AskedRequest;
use crate::doors::attachments;
use crate::doors::caller::{caller, check_may_create, stream_lifetime};
use crate::doors::error::DetailError;
use crate::doors::sse;
use crate::http::{JsonBody, admit, last_event_id};
use crate::identity::{CredentialProof, Participant};
use crate::kernel::{Command, Language, Rejection, SessionId, is_blank};
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
    let JsonBody(body) = JsonBody::<AnalyzeRequest>::from_request(request, &node).await?;
    let known = match (body.session, is_blank(&body.original_input)) {
        (Some(_), true) => last_event_id(&headers)?.unwrap_or(0),
        _ => 0,
    };
    let place = find_or_start_run(&node, &who, body).await?;
    let watch = sse::watch(&node, &who, place.session, place.after).await?;
    let headers = AppendHeaders([(HeaderName::from_static("x-session-id"), place.session.to_string())]);
    let asked = AskedRequest::new(who.id, place.after, None, known);
    let analysis = AnalyzeProjection::new(place.session, place.language, asked);
    let held = stream_lifetime(&node, proof);
    Ok((headers, sse::respond(&node, analysis, watch, (held, counted), known)).into_response())
}

/// Position of the stream's run: the first run of the session that starts after `after`.
struct AnalyzeRun {
    session: SessionId,
    language: Language,
    after: u64,
}

async fn find_or_start_run(node: &Node, who: &Participant, body: AnalyzeRequest) -> Result<AnalyzeRun, Problem> {
    let input = body.text();
    node.check_text(&input)?;
    let files = attachments::find_attachments(node, who, body.session, &body.file_ids).await?;
    let says_something = !is_blank(&body.original_input);
    match body.session {
        None if !says_something => {
            Err(Problem::new(Code::InvalidArgument, "original_input is empty; set it to the question to investigate"))
        }
        None => {
            check_may_create(node, who)?;
            let settings = body.code.map(|code| Map::from_iter([("code".to_owned(), json!(code))]));
            let (flow, message) = (Some("investigate".into()), Some(body.original_input));
            let request = NewSession { flow, message, settings, ..NewSession::default() };
            let started = node.begin(who, &request).await?;
            let files = attachments::attach(node, who, started.session, &files).await?;
            node.first_run(who, started.session, FirstRun { files, ..FirstRun::new(input) }).await?;
            let language = node.session_registry.state(started.session).await?.view().team.language;
            Ok(AnalyzeRun { session: started.session, language, after: started.seq })
        }
        Some(session) => {
            node.access.role(who, session).await?;
            let state = node.session_registry.state(session).await?;
            let view = state.view();
            let language = view.team.language;
            if says_something {
                let files = attachments::attach(node, who, session, &files).await?;
                node.dispatcher
                    .command(who, session, Command::Start { flow: None, input, files, earlier: vec![], request: None })
                    .await?;
                return Ok(AnalyzeRun { session, language, after: state.seq() });
            }
            let run = view.run.as_ref().ok_or(Rejection::NoRun)?;
            Ok(AnalyzeRun { session, language, after: run.id.0.saturating_sub(1) })
        }
    }
}
