//! Participants of the server, for administrators: who they are, and who is disabled.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::auth::Signed;
use super::extract::{Body, Parameters, Path, id};
use super::page::last_before_more;
use crate::audit::{AuditAction, NewAuditEntry};
use crate::identity::{ParticipantListing, ParticipantQuery};
use crate::kernel::{ActorKind, ParticipantId, Timestamp};
use crate::node::Node;
use crate::protocol::{Code, Problem};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParticipantParameters {
    search: Option<String>,
    before: Option<ParticipantId>,
    limit: Option<u32>,
}

/// Page of participants.
#[derive(Debug, Serialize)]
pub(super) struct ParticipantPage {
    participants: Vec<ShownParticipant>,
    /// `before` of the next page; absent on the last.
    next: Option<ParticipantId>,
}

/// One participant, as administrators see them.
#[derive(Debug, Serialize)]
struct ShownParticipant {
    id: ParticipantId,
    kind: ActorKind,
    name: Arc<str>,
    standing: &'static str,
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Timestamp>,
}

pub(super) async fn list(
    State(node): State<Arc<Node>>,
    who: Signed,
    Parameters(asked): Parameters<ParticipantParameters>,
) -> Result<Json<ParticipantPage>, Problem> {
    who.administrator("list participants")?;
    let limit = node.page(asked.limit)?;
    let search = asked.search.unwrap_or_default();
    let query = ParticipantQuery { search: search.trim().to_owned(), before: asked.before, limit: limit + 1 };
    let mut listed = node.identities.participants(&query).await?;
    let next = last_before_more(&mut listed, limit).map(|last| last.participant.id);
    let shown = |ParticipantListing { participant, created_at, disabled_at, last_used_at }| ShownParticipant {
        id: participant.id,
        kind: participant.kind,
        name: participant.name,
        standing: participant.standing.as_str(),
        created_at,
        disabled_at,
        last_used_at,
    };
    Ok(Json(ParticipantPage { participants: listed.into_iter().map(shown).collect(), next }))
}

/// What administrators may change about a participant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParticipantChange {
    disabled: bool,
}

/// What was changed.
#[derive(Debug, Serialize)]
pub(super) struct ChangedParticipant {
    id: ParticipantId,
    disabled: bool,
}

pub(super) async fn change(
    State(node): State<Arc<Node>>,
    who: Signed,
    Path(named): Path<String>,
    Body(ParticipantChange { disabled }): Body<ParticipantChange>,
) -> Result<Json<ChangedParticipant>, Problem> {
    let asker = who.administrator("disable and enable participants")?;
    let id = id(&named)?;
    if disabled && id == asker.id {
        let words = "you cannot disable yourself; another administrator can, or `roundtable participant disable`";
        return Err(Problem::new(Code::InvalidArgument, words));
    }
    if !node.identities.set_disabled(id, disabled).await? {
        return Err(Problem::new(Code::UnknownParticipant, "the server knows nobody of this id"));
    }
    let action = if disabled { AuditAction::ParticipantDisabled } else { AuditAction::ParticipantEnabled };
    node.audit.record(NewAuditEntry::new(action).by(&asker).subject(id));
    Ok(Json(ChangedParticipant { id, disabled }))
}
