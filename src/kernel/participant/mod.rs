//! Commands about participants and their roles.

pub(super) mod knock;
pub(super) mod lookalike;
pub(super) mod right;
pub(super) mod role;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::redaction::REDACTED;
use super::{ActorKind, Fact, Member, ParticipantId, Rejection, Right, Role, View};

/// Reason why a participant is no longer in the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeaveReason {
    /// The participant left.
    Left,
    /// An owner removed the participant.
    Removed,
}

/// Adds the sender. A member keeps their role. A participant who was removed stays out, because an old invitation must
/// not undo the removal.
pub(super) fn enter(draft: &mut Draft, role: Role) -> Result<(), Rejection> {
    let Some(id) = draft.by().participant_id() else { return Ok(()) };
    if draft.view().member(id).is_some() {
        return Ok(());
    }
    check_not_removed(draft, id)?;
    join(draft, role)
}

/// Checks that the participant was not removed. Removed participants cannot return without an invitation by an owner.
pub(super) fn check_not_removed(draft: &Draft, id: ParticipantId) -> Result<(), Rejection> {
    if !draft.view().removed.contains(&id) {
        return Ok(());
    }
    let message = "you were removed from this session; ask one of its owners to invite you again";
    Err(Rejection::Forbidden { right: Right::Watch, message: message.into() })
}

pub(super) fn join(draft: &mut Draft, role: Role) -> Result<(), Rejection> {
    let by = draft.by().clone();
    match by.participant_id() {
        Some(participant) => {
            add(draft, NewMember { participant, kind: by.kind, name: &by.name, guest: by.guest }, role)
        }
        None => Err(Rejection::NotAMember),
    }
}

/// Participant who is added to the session.
pub(super) struct NewMember<'a> {
    pub(super) participant: ParticipantId,
    pub(super) kind: ActorKind,
    pub(super) name: &'a Arc<str>,
    pub(super) guest: bool,
}

pub(super) fn add(draft: &mut Draft, member: NewMember<'_>, role: Role) -> Result<(), Rejection> {
    let NewMember { participant, kind, name, guest } = member;
    if draft.view().participants.len() >= View::PARTICIPANTS {
        return Err(Rejection::SessionFull);
    }
    let redacted: Arc<str> = REDACTED.into();
    let name = if draft.state().is_nameless(participant) { &redacted } else { name };
    // A look-alike is admitted and marked: somebody else could have taken the similar name on purpose.
    let lookalike = draft.view().is_lookalike(Some(participant), name);
    draft.emit(Fact::ParticipantJoined { participant, kind, name: name.clone(), role, guest, lookalike });
    Ok(())
}

/// Changes the sender's name. Ignored if the sender is not a member, or if their name was redacted: a redacted name
/// must not be followed by a new one.
pub(super) fn rename(draft: &mut Draft, name: &Arc<str>) -> Result<(), Rejection> {
    let member = draft.by().participant_id().and_then(|id| draft.view().member(id));
    let Some((participant, from)) = member.map(|member| (member.id, member.name.clone())) else { return Ok(()) };
    if from == *name || draft.state().is_nameless(participant) {
        return Ok(());
    }
    if draft.view().is_lookalike(Some(participant), name) {
        return Err(Rejection::Invalid(View::LOOKALIKE.into()));
    }
    draft.emit(Fact::ParticipantRenamed { participant, from, name: name.clone() });
    Ok(())
}

/// Applies the `leave` command.
pub(super) fn leave(draft: &mut Draft) -> Result<(), Rejection> {
    let Some(id) = draft.by().participant_id().filter(|id| draft.view().member(*id).is_some()) else {
        return Err(Rejection::NotAMember);
    };
    keep_an_owner(draft, id)?;
    draft.emit(Fact::ParticipantLeft { participant: id, reason: LeaveReason::Left });
    Ok(())
}

/// Applies the `invite` command.
pub(super) fn invite(draft: &mut Draft, member: NewMember<'_>, role: Role) -> Result<(), Rejection> {
    let participant = member.participant;
    covers(draft, draft.role()?, role)?;
    if draft.view().removed.contains(&participant) {
        draft.require(Right::Manage)?;
    }
    match draft.view().member(participant).map(|member| member.role) {
        None => add(draft, member, role),
        Some(has) => {
            let role = has.as_str();
            let message = format!("this participant is already here, as {role}; use set_role to change the role");
            Err(Rejection::Invalid(message.into()))
        }
    }
}

/// Applies the `set_role` command.
pub(super) fn set_role(draft: &mut Draft, participant: ParticipantId, role: Role) -> Result<(), Rejection> {
    let has = draft.view().member(participant).ok_or(Rejection::UnknownParticipant)?.role;
    if has == role {
        return Ok(());
    }
    if has == Role::Owner {
        keep_an_owner(draft, participant)?;
    }
    draft.emit(Fact::ParticipantRoleChanged { participant, role });
    Ok(())
}

/// Applies the `remove` command.
pub(super) fn remove(draft: &mut Draft, participant: ParticipantId) -> Result<(), Rejection> {
    draft.view().member(participant).ok_or(Rejection::UnknownParticipant)?;
    keep_an_owner(draft, participant)?;
    draft.emit(Fact::ParticipantLeft { participant, reason: LeaveReason::Removed });
    Ok(())
}

fn covers(draft: &Draft, own: Role, other: Role) -> Result<(), Rejection> {
    if draft.view().settings.covers(own, other) {
        return Ok(());
    }
    let message = format!("your role here is {}, which cannot give the role {}", own.as_str(), other.as_str());
    Err(Rejection::Forbidden { right: Right::Invite, message: message.into() })
}

/// Checks that an owner remains and, if the leaving participant is a person, that an owner who is a person remains.
/// Otherwise, nobody could manage the session any longer or, because bots cannot, decide on commands.
fn keep_an_owner(draft: &Draft, leaving: ParticipantId) -> Result<(), Rejection> {
    let participants = &draft.view().participants;
    let is_owner = |member: &&Member| member.role == Role::Owner;
    let Some(own) = participants.iter().filter(is_owner).find(|owner| owner.id == leaving) else { return Ok(()) };
    let replaces =
        |other: &Member| other.id != leaving && (other.kind == ActorKind::User || own.kind == ActorKind::Bot);
    if participants.iter().filter(is_owner).any(replaces) { Ok(()) } else { Err(Rejection::LastOwner) }
}
