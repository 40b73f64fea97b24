//! Participants whom a command added because it decided a gate.

use std::collections::BTreeSet;

use crate::kernel::gate::Outcome;
use crate::kernel::{Cause, CommandId, Event, Fact, ParticipantId, Role};

/// Returns whether a participant's command caused the event directly.
fn is_caused_by(event: &Event, sender: ParticipantId, id: &CommandId) -> bool {
    event.by.participant_id() == Some(sender) && matches!(&event.cause, Some(Cause::Command(cause)) if cause == id)
}

/// Returns whether an earlier event can be one of the same command, given one of its later events.
pub(super) fn can_follow(event: &Event, sender: ParticipantId, id: &CommandId) -> bool {
    is_caused_by(event, sender, id) || matches!(event.cause, Some(Cause::Seq(_)))
}

/// Returns the participants whom a participant's command added by approving invitations that others asked for, and
/// their roles, given all events of the command.
pub(super) fn approved_invitations(
    events: &[Event],
    sender: ParticipantId,
    id: &CommandId,
) -> Vec<(ParticipantId, Role)> {
    let is_approval = |event: &&Event| {
        is_caused_by(event, sender, id) && matches!(event.fact, Fact::GateDecided { outcome: Outcome::Approved, .. })
    };
    let approvals: BTreeSet<u64> = events.iter().filter(is_approval).map(|event| event.seq).collect();
    let added = |event: &Event| match (&event.cause, &event.fact) {
        (Some(Cause::Seq(cause)), Fact::ParticipantJoined { participant, role, .. }) if approvals.contains(cause) => {
            Some((*participant, *role))
        }
        _ => None,
    };
    events.iter().filter_map(added).collect()
}
