//! The `team_chat` door: a test-case team, through `POST /api/team-chat/stream` in the vocabulary of its own
//! specification. A conversation is an ordinary session: viewers on a WebSocket see the same run.

mod conversation_id;
mod debug;
mod error;
mod event;
mod projection;
mod resume;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use crate::node::Node;
use crate::openapi::Endpoint;
use crate::protocol::Code;

const DOOR: &str = "team_chat";

/// Returns the routes of the door.
pub(crate) fn routes() -> Router<Arc<Node>> {
    Router::new()
        .route("/api/team-chat/stream", post(stream::stream))
        .route("/api/debug/session/{conversation}", get(debug::debug))
}

/// Returns the operations of the door, for the OpenAPI document.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    let invalid = "The message is empty, nothing waits for feedback, or a file does not exist";
    let at_door = |endpoint: Endpoint| {
        let endpoint = endpoint
            .optional_credential()
            .error::<error::TeamChatError>()
            .fails(&[Code::Forbidden, Code::UnknownSession]);
        endpoint.json::<error::TeamChatErrorBody>(422, "The request is invalid")
    };
    vec![
        at_door(Endpoint::post("/api/team-chat/stream", "Send a message to a team"))
            .about("Begins a conversation, continues one, or continues an interrupted stream.")
            .request_header("last-event-id", "`id` of the last event that the client has.")
            .body::<stream::TeamChatRequest>()
            .events::<event::TeamChatEvent>("Lines of the conversation")
            .header("x-conversation-id", "Id of the conversation.")
            .header("x-team-mode", "Always `true`.")
            .json::<error::TeamChatErrorBody>(400, invalid)
            .fails(&[Code::QuotaExceeded, Code::FilesFull, Code::SessionClosed, Code::NotAMember, Code::InboxFull]),
        at_door(Endpoint::get("/api/debug/session/{conversation}", "Get an overview of a conversation"))
            .json::<debug::DebugResponse>(200, "The overview"),
    ]
}
