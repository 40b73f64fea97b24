//! Participants whom a command added because it decided a gate.

use std::collections::BTreeMap;

use crate::kernel::gate::{Choice, Outcome};
use crate::kernel::{Cause, CommandId, Event, Fact, ParticipantId, Role};

/// Returns whether a participant's command caused the event directly.
fn is_caused_by(event: &Event, sender: ParticipantId, id: &CommandId) -> bool {
    event.by.participant_id() == Some(sender) && matches!(&event.cause, Some(Cause::Command(cause)) if cause == id)
}

/// Returns whether events before this one can belong to the same command.
pub(super) fn can_follow(event: &Event, sender: ParticipantId, id: &CommandId) -> bool {
    is_caused_by(event, sender, id) || matches!(event.cause, Some(Cause::Seq(_)))
}

/// Participant whom a command added by deciding a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedInvitation {
    /// Participant who was added.
    pub participant: ParticipantId,
    /// Role that they have.
    pub role: Role,
    /// Participants who voted for the invitation. The command that decided the gate can come from someone else, for
    /// example from an owner who left.
    pub approved_by: Vec<ParticipantId>,
}

/// Returns the participants whom the sender's command added by approving invitations that others had requested.
/// `events` must include all events of the command.
pub(super) fn approved_invitations(events: &[Event], sender: ParticipantId, id: &CommandId) -> Vec<ApprovedInvitation> {
    let approval = |event: &Event| match &event.fact {
        Fact::GateDecided { outcome: Outcome::Approved, votes, .. } if is_caused_by(event, sender, id) => {
            let approvals = votes.iter().filter(|vote| vote.choice == Choice::Approve);
            Some((event.seq, approvals.filter_map(|vote| vote.by.participant_id()).collect()))
        }
        _ => None,
    };
    let mut approvals: BTreeMap<u64, Vec<ParticipantId>> = events.iter().filter_map(approval).collect();
    let added = |event: &Event| match (&event.cause, &event.fact) {
        (Some(Cause::Seq(cause)), Fact::ParticipantJoined { participant, role, .. }) => {
            let approved_by = approvals.remove(cause)?;
            Some(ApprovedInvitation { participant: *participant, role: *role, approved_by })
        }
        _ => None,
    };
    events.iter().filter_map(added).collect()
}
