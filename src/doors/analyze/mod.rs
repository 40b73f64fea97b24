//! The `analyze` door: investigates why a code base behaves as it does, through `POST /api/v1/analyze/stream` and
//! `…/reply` in the vocabulary of its own specification. An analysis is a run of a session whose team has the
//! `investigate` flow.

mod event;
mod projection;
mod question_id;
mod reply;
mod request;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;

use crate::doors::at_door;
use crate::node::Node;
use crate::openapi::Endpoint;
use crate::protocol::Code;

const DOOR: &str = "analyze";

/// Returns the routes of the door.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/v1/analyze/stream", post(stream::stream))
        .route("/api/v1/analyze/reply", post(reply::reply))
}

/// Returns the operations of the door, for the OpenAPI document.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    let started = [Code::UnknownSession, Code::UnknownFile, Code::QuotaExceeded, Code::FilesFull, Code::SessionClosed];
    let answered = [Code::UnknownSession, Code::UnknownGate, Code::AlreadyDecided, Code::GateClosed];
    vec![
        at_door(Endpoint::post("/api/v1/analyze/stream", "Analyze code"))
            .about("Starts an analysis, or continues the stream of one.")
            .request_header("last-event-id", "`id` of the last event that the client has.")
            .body::<request::AnalyzeRequest>()
            .events::<event::AnalyzeEvent>("Events of the analysis")
            .header("x-session-id", "Session of the analysis.")
            .fails(&started)
            .fails(&[Code::NotAMember, Code::RunActive, Code::NoRun]),
        at_door(Endpoint::post("/api/v1/analyze/reply", "Answer a question of an analysis"))
            .body::<reply::AnalyzeReplyRequest>()
            .json::<reply::AnalyzeReplyResponse>(200, "The answer counts")
            .fails(&answered)
            .fails(&[Code::NotAMember, Code::SessionClosed]),
    ]
}
