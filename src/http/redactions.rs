//! Redaction of a whole session, and of a participant in all sessions.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::auth::Caller;
use super::commands::Ack;
use super::extract::{JsonBody, PathParameters, id};
use super::session_access::SessionAccess;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::dispatch::fresh_id;
use crate::kernel::{Command, CommandId, ParticipantId, RedactionTarget};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::redactions::RedactionRequestTarget;

/// Body of a request to redact a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionRedactionRequest {
    /// Id of the command. A retry with the same id takes effect only once. If absent, the server chooses one.
    id: Option<CommandId>,
    /// Reason to record in the log.
    reason: Option<Arc<str>>,
}

pub(super) async fn session(
    State(node): State<Arc<Node>>,
    SessionAccess { who, session, .. }: SessionAccess,
    JsonBody(request): JsonBody<SessionRedactionRequest>,
) -> Result<Json<Ack>, Problem> {
    request.reason.as_deref().map_or(Ok(()), |reason| node.check_text(reason))?;
    let command = Command::Redact { target: RedactionTarget::Session, reason: request.reason };
    node.dispatcher.count(&who, &command).await?;
    let id = request.id.map_or_else(fresh_id, Ok)?;
    let seq = node.dispatcher.submit_counted(&who, session, Some(id.clone()), command).await?;
    Ok(Json(Ack { id, seq }))
}

/// Body of a request to redact a participant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParticipantRedactionRequest {
    /// True to erase their messages, files and uploads too. Default false.
    #[serde(default)]
    content: bool,
}

/// Started redaction of a participant. Their sessions are redacted one after another.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ParticipantRedactionResponse {
    /// Id of the participant.
    id: ParticipantId,
    /// True if their messages, files and uploads are erased too.
    content: bool,
}

pub(super) async fn participant(
    State(node): State<Arc<Node>>,
    who: Caller,
    PathParameters(named): PathParameters<String>,
    JsonBody(ParticipantRedactionRequest { content }): JsonBody<ParticipantRedactionRequest>,
) -> Result<(StatusCode, Json<ParticipantRedactionResponse>), Problem> {
    let asker = who.administrator("redact participants")?;
    let id = id(&named)?;
    if id == asker.id {
        let message = "you cannot redact yourself; another administrator can, or `roundtable redact participant`";
        return Err(Problem::new(Code::InvalidArgument, message));
    }
    if node.identities.participant(id).await?.is_none() {
        return Err(Problem::unknown_participant());
    }
    // Store the request first, so that the worker retries everything that fails below.
    node.redactions.request(RedactionRequestTarget::Participant { participant: id, content }, &asker.actor()).await?;
    node.audit.record(NewAuditEntry::new(AuditAction::Redaction).by(&asker).subject(id).detail("content", content));
    node.redactions.erase_identity(id, content).await?;
    Ok((StatusCode::ACCEPTED, Json(ParticipantRedactionResponse { id, content })))
}
