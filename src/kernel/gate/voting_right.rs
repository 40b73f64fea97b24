//! Rights to vote and to approve at a gate.

use super::{Gate, GateAction};
use crate::draft::Draft;
use crate::{GateId, Rejection, Right, Role};

/// Checks that the sender can vote, either through their role in the session or because this gate counts the votes of
/// bots. Returns the role in which they vote.
pub(super) fn require_vote(draft: &Draft, id: GateId) -> Result<Role, Rejection> {
    let (own, role) = draft.voting_roles()?;
    let gate = draft.view().gates.iter().find(|gate| gate.id == id);
    // A limited token votes as a bot or viewer only if its owner may vote.
    let may = own == Role::Bot || draft.view().settings.may(own, Right::Approve);
    let takes = |gate: &Gate| gate.allow.contains(&GateAction::Approve) && gate.takes_vote(draft.view(), role);
    if may && gate.is_some_and(takes) {
        return Ok(role);
    }
    draft.require(Right::Approve)?;
    Ok(role)
}

/// Checks that the sender may vote at the gate. A limited token gives no vote that its owner does not have.
pub(crate) fn may_vote(draft: &Draft, gate: &Gate) -> Result<(), Rejection> {
    let (own, role) = draft.voting_roles()?;
    if gate.eligible.contains(&own) && gate.eligible.contains(&role) {
        return Ok(());
    }
    let message = format!("your role here is {}; it may not vote at this gate", role.as_str());
    Err(Rejection::Forbidden { right: Right::Approve, message: message.into() })
}

/// Checks that the sender did not ask for the command that they approve and, if duties are separated, that they neither
/// contributed to the subject nor are a guest.
pub(super) fn may_approve(draft: &Draft, gate: &Gate) -> Result<(), Rejection> {
    let is_guest = gate.separate_duties && draft.by().guest;
    if !is_guest && !draft.by().participant_id().is_some_and(|id| gate.is_own_work(draft.view(), id)) {
        return Ok(());
    }
    let reason = if gate.command.is_some() {
        "you asked for this command, so another owner must approve it; you can still reject or withdraw it"
    } else if is_guest {
        "you are a guest, so somebody else must approve it"
    } else {
        "you started or steered this run, or edited what is decided on, so somebody else must approve it"
    };
    let has = |act: GateAction| gate.allow.contains(&act) && gate.command.is_none();
    let others = match (has(GateAction::Reject), has(GateAction::Respond), has(GateAction::Edit)) {
        (true, true, true) => "; you can still reject it, answer it or edit it",
        (true, true, false) => "; you can still reject it or answer it",
        (true, false, true) => "; you can still reject it or edit it",
        (true, false, false) => "; you can still reject it",
        (false, ..) => "",
    };
    let text = format!("{reason}{others}");
    Err(Rejection::Forbidden { right: Right::Approve, message: text.into() })
}
