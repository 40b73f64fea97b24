//! Knocks: requests to join, which an owner admits or refuses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::draft::Draft;
use crate::participant::NewMember;
use crate::{ActorKind, Fact, ParticipantId, Rejection, Right, Role, Timestamp, View, participant};

/// A participant who is waiting to be admitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Knock {
    /// Id of the participant.
    pub participant: ParticipantId,
    /// Kind of participant: `user` or `bot`.
    pub kind: ActorKind,
    /// Display name.
    pub name: Arc<str>,
    /// Role that they get if they are admitted.
    pub role: Role,
    /// True for a guest, such as a person who used a link and chose their own name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// Time of the request.
    pub at: Timestamp,
}

/// Applies a request to join. Changes nothing if the sender is a member or is already waiting.
pub(crate) fn knock(draft: &mut Draft, role: Role) -> Result<(), Rejection> {
    let by = draft.by().clone();
    let Some(participant) = by.participant_id() else { return Ok(()) };
    if draft.view().member(participant).is_some() || draft.view().knock(participant).is_some() {
        return Ok(());
    }
    participant::check_not_removed(draft, participant)?;
    if draft.view().refused.contains(&participant) {
        let message = "an owner refused your request to join; ask them for an invitation";
        return Err(Rejection::Forbidden { right: Right::Watch, message: message.into() });
    }
    if draft.view().knocks.len() >= View::KNOCKS {
        return Err(Rejection::TooManyKnocks);
    }
    draft.emit(Fact::ParticipantKnocked { participant, kind: by.kind, name: by.name, role });
    Ok(())
}

/// Applies the `admit` command.
pub(crate) fn admit(draft: &mut Draft, participant: ParticipantId) -> Result<(), Rejection> {
    let Knock { kind, name, role, guest, .. } =
        draft.view().knock(participant).cloned().ok_or(Rejection::NobodyKnocks)?;
    participant::add(draft, NewMember { participant, kind, name: &name, guest }, role)
}

/// Applies the `refuse` command.
pub(crate) fn refuse(draft: &mut Draft, participant: ParticipantId) -> Result<(), Rejection> {
    draft.view().knock(participant).ok_or(Rejection::NobodyKnocks)?;
    draft.emit(Fact::ParticipantRefused { participant });
    Ok(())
}
