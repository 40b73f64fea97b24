//! Knocks: requests to be let in, which an owner answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::decide::Draft;
use super::{ActorKind, Fact, ParticipantId, Rejection, Right, Role, Timestamp, View, people};

/// Somebody who waits to be let in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Knock {
    /// Who.
    pub participant: ParticipantId,
    /// A person or a bot.
    pub kind: ActorKind,
    /// The name that people read.
    pub name: Arc<str>,
    /// The role that they get if they are let in.
    pub role: Role,
    /// Since when they wait.
    pub at: Timestamp,
}

/// The sender asks to come in. Whoever is in, or waits already, changes nothing.
pub(super) fn knock(draft: &mut Draft, role: Role) -> Result<(), Rejection> {
    let by = draft.by().clone();
    let Some(participant) = by.participant_id() else { return Ok(()) };
    if draft.view().member(participant).is_some() || draft.view().knock(participant).is_some() {
        return Ok(());
    }
    people::check_not_removed(draft, participant)?;
    if draft.view().refused.contains(&participant) {
        let message = "an owner of this session declined your request; ask them for an invitation";
        return Err(Rejection::Forbidden { right: Right::Watch, message: message.into() });
    }
    if draft.view().knocks.len() >= View::KNOCKS {
        return Err(Rejection::TooManyKnocks);
    }
    draft.emit(Fact::ParticipantKnocked { participant, kind: by.kind, name: by.name, role });
    Ok(())
}

/// `admit`.
pub(super) fn admit(draft: &mut Draft, participant: ParticipantId) -> Result<(), Rejection> {
    draft.require(Right::Manage)?;
    let knock = draft.view().knock(participant).cloned().ok_or(Rejection::NobodyKnocks)?;
    people::add(draft, participant, knock.kind, &knock.name, knock.role)
}

/// `refuse`.
pub(super) fn refuse(draft: &mut Draft, participant: ParticipantId) -> Result<(), Rejection> {
    draft.require(Right::Manage)?;
    draft.view().knock(participant).ok_or(Rejection::NobodyKnocks)?;
    draft.emit(Fact::ParticipantRefused { participant });
    Ok(())
}
