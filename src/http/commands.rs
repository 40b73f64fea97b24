//! Commands over REST: how a bot posts that keeps no socket open.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::auth::Signed;
use super::extract::{Body, Path, id};
use crate::kernel::{CommandId, SessionId};
use crate::node::Node;
use crate::protocol::{Code, CommandFrame, Problem};

/// As the socket's `ack`.
#[derive(Debug, Serialize)]
pub(super) struct Ack {
    pub(super) id: CommandId,
    pub(super) seq: u64,
}

pub(super) async fn command(
    State(node): State<Arc<Node>>,
    Signed(who): Signed,
    Path(session): Path<String>,
    Body(frame): Body<CommandFrame>,
) -> Result<Json<Ack>, Problem> {
    let session: SessionId = id(&session)?;
    if frame.session.is_some_and(|named| named != session) {
        return Err(Problem::new(Code::InvalidArgument, "the path and the body name two different sessions"));
    }
    let seq = node.reception.frame(&who, session, &frame).await?;
    Ok(Json(Ack { id: frame.id, seq }))
}
