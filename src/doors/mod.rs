//! Doors: endpoints in the vocabulary of older services. A door turns each request into a command to a session, and its
//! response is a projection of the session's log.

mod analyze;
mod asked_request;
mod attachments;
mod auto_agent;
mod caller;
mod error;
mod orchestrator;
mod position;
mod projection;
mod question;
mod running_messages;
mod sse;
mod stream_end;
mod team_chat;
mod teams;
mod wording;

use std::sync::Arc;

use axum::Router;
use axum::routing::post;
use serde_json::Value;

use crate::http::{self, DoorRoutes};
use crate::node::Node;
use crate::openapi::{Endpoint, EndpointGroup};
use crate::protocol::Code;

/// Returns the routes of all doors, with the function that returns their operations.
pub fn routes() -> DoorRoutes {
    let doors = team_chat::routes().merge(orchestrator::routes()).merge(analyze::routes()).merge(auto_agent::routes());
    let doors = doors.merge(teams::routes());
    DoorRoutes { router: doors.merge(uploads()), endpoints }
}

/// Returns the OpenAPI 3.1 document of all operations, including those of the doors.
pub fn openapi_document() -> Value {
    http::openapi_document(endpoints())
}

/// Returns the route for uploads, which all doors share.
fn uploads() -> Router<Arc<Node>> {
    Router::new().route("/api/v1/uploads", post(attachments::upload))
}

/// Returns the operations of all doors, for the OpenAPI document.
fn endpoints() -> Vec<EndpointGroup> {
    let upload = Endpoint::post("/api/v1/uploads", "Upload a file for a door")
        .about(
            "Requests name the file in `file_ids`. The server deletes it after 24 hours by default; sessions keep their \
             copies.",
        )
        .query::<attachments::UploadParameters>()
        .upload()
        .json::<attachments::UploadResponse>(201, "The file");
    let group = |name, about, endpoints| EndpointGroup { name, about, endpoints };
    vec![
        group("Door: uploads", "Files for requests to doors.", vec![at_door(upload)]),
        group("Door: team_chat", "A test-case team, in the vocabulary of an older service.", team_chat::endpoints()),
        group("Door: orchestrator", "Tasks with a confirmed plan, likewise.", orchestrator::endpoints()),
        group("Door: analyze", "Analyses of code bases, likewise.", analyze::endpoints()),
        group("Door: auto_agent", "Tasks for a kind of team, likewise.", auto_agent::endpoints()),
        group("Door: teams", "Teams that participants make from a topology, likewise.", teams::endpoints()),
    ]
}

/// Adds the properties that the operations of doors share: credentials are optional because a server can accept guests,
/// and error responses have the doors' own body.
fn at_door(endpoint: Endpoint) -> Endpoint {
    endpoint.optional_credential().error::<error::DetailError>().fails(&[Code::Forbidden])
}
