//! Delegation of votes: while somebody is away, another participant votes in their place. The delegate still has only
//! one vote. Nobody waits for the absent participant, and the delegate's vote counts in the role with the most weight:
//! their own, or that of a participant whom they represent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Gate;
use crate::draft::Draft;
use crate::{Fact, ParticipantId, Rejection, Right, Role, Timestamp, View};

/// Maximum duration of a delegation, in milliseconds: a year.
const MAX_MS: u64 = 31_536_000_000;

/// Participant who votes on behalf of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VoteDelegate {
    /// Participant who votes.
    pub to: ParticipantId,
    /// Time at which the delegation ends. Absent: it lasts until the represented participant ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl VoteDelegate {
    fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// Applies the `delegate_votes` command.
pub(crate) fn delegate(
    draft: &mut Draft,
    to: Option<ParticipantId>,
    until: Option<Timestamp>,
) -> Result<(), Rejection> {
    let invalid = |message: &str| Err(Rejection::Invalid(message.into()));
    let own = draft.by().participant_id().and_then(|id| draft.view().member(id));
    let Some(own) = own else { return Err(Rejection::NotAMember) };
    let (id, current) = (own.id, own.delegate);
    let delegate = match to {
        None if until.is_some() => return invalid("until requires to; name the participant who votes for you"),
        None => None,
        Some(to) if to == id => return invalid("you vote for yourself already; name another participant"),
        Some(to) => {
            let member = draft.view().member(to).ok_or(Rejection::UnknownParticipant)?;
            if !draft.view().settings.may(member.role.voting(member.kind), Right::Approve) {
                return invalid("this participant may not vote here; name one who may");
            }
            let bound = draft.at().plus(MAX_MS);
            if until.is_some_and(|until| until <= draft.at() || until > bound) {
                return invalid("until must be a time in the future, at most a year away");
            }
            Some(VoteDelegate { to, until })
        }
    };
    if delegate != current {
        draft.emit(Fact::VotesDelegated { participant: id, delegate });
    }
    Ok(())
}

/// Participant who has voted at a gate or can still vote.
#[derive(Debug)]
pub(super) struct Voter {
    pub(super) id: ParticipantId,
    /// Role that their vote counts in.
    pub(super) role: Role,
    /// Participants on whose behalf they vote.
    pub(super) on_behalf_of: Vec<ParticipantId>,
}

/// Removes represented participants from `voters` and adds them to the vote of their delegate. A participant who has
/// voted is not represented, and a participant who is represented represents nobody.
pub(super) fn represent(view: &View, gate: &Gate, now: Timestamp, voters: &mut Vec<Voter>) {
    let has_voted = |id| gate.votes.iter().any(|vote| vote.by.participant_id() == Some(id));
    let delegate = |id: ParticipantId| {
        let delegate = view.member(id)?.delegate?;
        (!has_voted(id) && !delegate.is_over(now)).then_some(delegate.to)
    };
    let represents = |id: ParticipantId| voters.iter().any(|voter| voter.id == id) && delegate(id).is_none();
    let pairs: Vec<(ParticipantId, ParticipantId, Role)> = voters
        .iter()
        .filter_map(|voter| Some((voter.id, delegate(voter.id).filter(|to| represents(*to))?, voter.role)))
        .collect();
    for (from, to, role) in pairs {
        voters.retain(|voter| voter.id != from);
        let Some(voter) = voters.iter_mut().find(|voter| voter.id == to) else { continue };
        voter.on_behalf_of.push(from);
        if gate.quorum.weight(role) > gate.quorum.weight(voter.role) {
            voter.role = role;
        }
    }
}
