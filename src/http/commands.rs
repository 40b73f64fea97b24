//! Commands over REST, for clients such as bots that keep no socket open.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::extract::JsonBody;
use super::session_access::SessionAccess;
use crate::kernel::{CommandId, SessionId};
use crate::node::Node;
use crate::protocol::{Code, CommandData, CommandFrame, Expectation, Problem};

/// Body of a request that sends a command: a [`CommandFrame`], which is parsed in two steps so that an error names the
/// invalid part.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) struct CommandBody {
    /// Id that the client chooses, for example a ULID or UUID. Retrying with the same id is safe and gets the first
    /// response.
    id: CommandId,
    /// Id of the session in the path. Optional.
    session: Option<SessionId>,
    /// Assumption of the sender. If it no longer holds, the command is rejected. Required for `vote` and `comment`,
    /// optional for `answer`, and invalid for other commands.
    expect: Option<Expectation>,
    #[serde(flatten)]
    command: CommandData,
}

/// Acknowledgement of a command, like the `ack` frame of the socket.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Ack {
    /// Id of the command.
    pub(super) id: CommandId,
    /// Seq of the command's last event, for example 1043.
    pub(super) seq: u64,
}

pub(super) async fn command(
    State(node): State<Arc<Node>>,
    SessionAccess { who, session, .. }: SessionAccess,
    JsonBody(frame): JsonBody<CommandFrame>,
) -> Result<Json<Ack>, Problem> {
    if frame.session.is_some_and(|named| named != session) {
        return Err(Problem::new(
            Code::InvalidArgument,
            "the path and the body name different sessions; leave session out of the body",
        ));
    }
    let seq = node.dispatcher.frame(&who, session, &frame).await?;
    Ok(Json(Ack { id: frame.id, seq }))
}
