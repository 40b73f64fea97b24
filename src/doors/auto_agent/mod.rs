//! The `auto_agent` door: a task for a requested kind of team, through `POST /AutoAgent` in the vocabulary of its own
//! specification. A request is a run of a session.

mod download;
mod message;
mod projection;
mod request;
mod resume;
mod stream;
mod wording;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::doors::at_door;
use crate::http::FileDownloadParameters;
use crate::node::Node;
use crate::openapi::Endpoint;
use crate::protocol::Code;

const DOOR: &str = "auto_agent";

/// Returns the routes of the door.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/AutoAgent", post(stream::stream))
        .route("/AutoAgent/files/{session}/{name}", get(download::download))
}

/// Returns the operations of the door, for the OpenAPI document.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    let started = [Code::UnknownSession, Code::UnknownFile, Code::QuotaExceeded, Code::FilesFull, Code::SessionClosed];
    vec![
        at_door(Endpoint::post("/AutoAgent", "Run a task"))
            .about("Starts a run, or continues an interrupted stream.")
            .request_header("last-event-id", "`id` of the last event that the client has.")
            .body::<request::AutoAgentRequest>()
            .events::<message::AutoAgentEvent>("Lines of the run")
            .header("x-session-id", "Session of the run.")
            .fails(&started)
            .fails(&[Code::NotAMember, Code::RunActive, Code::InboxFull]),
        at_door(Endpoint::get("/AutoAgent/files/{session}/{name}", "Download a file of a run"))
            .query::<FileDownloadParameters>()
            .download("Content of the file")
            .fails(&[Code::UnknownSession, Code::UnknownFile]),
    ]
}
