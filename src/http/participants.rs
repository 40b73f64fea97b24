//! Participants of the server, for administrators: list, disable and enable.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::auth::Caller;
use super::extract::{JsonBody, PathParameters, QueryParameters, id};
use super::me::LastSignInResponse;
use super::pagination::truncate_page;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{ParticipantQuery, ParticipantRow, ServerRole};
use crate::kernel::{ActorKind, ParticipantId, Role, Timestamp};
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Query of the list of participants.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParticipantParameters {
    /// Text that names must contain. If absent, all names.
    search: Option<String>,
    /// Server role of the participants. If absent, every role.
    server_role: Option<ServerRole>,
    /// True for disabled participants, false for enabled ones. If absent, both.
    disabled: Option<bool>,
    /// `next` of the previous page. If absent, the first page.
    before: Option<ParticipantId>,
    /// Maximum number of participants. Default `http.default_page_size`, at most `http.max_page_size`.
    limit: Option<u32>,
}

/// Page of the list of participants.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ParticipantPage {
    /// Participants, newest first.
    participants: Vec<ParticipantResponse>,
    /// Value of `before` for the next page. Null on the last page.
    next: Option<ParticipantId>,
}

/// Participant in a list for administrators.
#[derive(Debug, Serialize, JsonSchema)]
struct ParticipantResponse {
    /// Id of the participant.
    id: ParticipantId,
    /// Kind: `user` or `bot`.
    kind: ActorKind,
    /// Name of the participant.
    name: Arc<str>,
    /// Role on the server.
    server_role: ServerRole,
    /// Role that their groups grant in every session. Absent if they grant none.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_role: Option<Role>,
    /// Time at which the participant was created.
    created_at: Timestamp,
    /// Time at which the participant was disabled. Absent if they are enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<Timestamp>,
    /// Time of the last use of one of their existing credentials. Absent if none was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
    /// Latest sign-in with a browser. Absent if the participant has never signed in with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sign_in: Option<LastSignInResponse>,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    who: Caller,
    QueryParameters(parameters): QueryParameters<ParticipantParameters>,
) -> Result<Json<ParticipantPage>, Problem> {
    who.administrator("list participants")?;
    let limit = node.page(parameters.limit)?;
    let search = parameters.search.unwrap_or_default();
    let ParticipantParameters { server_role, disabled, before, .. } = parameters;
    let search = search.trim().to_owned();
    let query = ParticipantQuery { search, server_role, disabled, before, limit: limit + 1 };
    let mut listed = node.identities.participants(&query).await?;
    let next = truncate_page(&mut listed, limit).map(|last| last.participant.id);
    let shown =
        |ParticipantRow { participant, created_at, disabled_at, last_used_at, last_sign_in }| ParticipantResponse {
            id: participant.id,
            kind: participant.kind,
            name: participant.name,
            server_role: participant.server_role,
            session_role: participant.session_role,
            created_at,
            disabled_at,
            last_used_at,
            last_sign_in: last_sign_in.map(|last| LastSignInResponse::new(&node, last)),
        };
    Ok(Json(ParticipantPage { participants: listed.into_iter().map(shown).collect(), next }))
}

/// Body of an administrator's change of a participant.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParticipantChangeRequest {
    /// True to reject all credentials of the participant, false to accept them again.
    disabled: bool,
}

/// Changed participant.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ParticipantChangeResponse {
    /// Id of the participant.
    id: ParticipantId,
    /// True if the participant is now disabled.
    disabled: bool,
}

pub(super) async fn change(
    State(node): State<Arc<Node>>,
    who: Caller,
    PathParameters(named): PathParameters<String>,
    JsonBody(ParticipantChangeRequest { disabled }): JsonBody<ParticipantChangeRequest>,
) -> Result<Json<ParticipantChangeResponse>, Problem> {
    let asker = who.administrator("disable and enable participants")?;
    let id = id(&named)?;
    if disabled && id == asker.id {
        let message = "you cannot disable yourself; another administrator can, or `roundtable participant disable`";
        return Err(Problem::new(Code::InvalidArgument, message));
    }
    if !node.identities.set_disabled(id, disabled).await? {
        return Err(Problem::unknown_participant());
    }
    let action = if disabled { AuditAction::ParticipantDisabled } else { AuditAction::ParticipantEnabled };
    node.audit.record(NewAuditEntry::new(action).by(&asker).subject(id));
    Ok(Json(ParticipantChangeResponse { id, disabled }))
}
