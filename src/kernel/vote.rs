//! Deciding at gates: votes, words, and what follows from them.

use std::sync::Arc;

use super::decide::Draft;
use super::gate::{Act, Choice, Gate, Outcome, Vote};
use super::mention::{self, Route};
use super::{Fact, GateId, Language, MessageId, ParticipantId, Rejection, Right, Role, Target, say};

/// `vote`.
pub(super) fn vote(
    draft: &mut Draft,
    id: GateId,
    rev: u32,
    choice: Choice,
    comment: Option<&Arc<str>>,
) -> Result<(), Rejection> {
    let role = draft.require(Right::Approve)?;
    let gate = open_gate(draft, id)?.clone();
    if rev != gate.rev {
        return Err(Rejection::StaleRevision { given: rev, current: gate.rev });
    }
    may_vote(&gate, role)?;
    let act = match choice {
        Choice::Approve | Choice::Abstain => Act::Approve,
        Choice::Reject => Act::Reject,
    };
    if !gate.allow.contains(&act) {
        return Err(Rejection::Invalid("there is nothing here to vote on yet; answer in words what to do".into()));
    }
    let comment = comment.filter(|comment| !comment.trim().is_empty());
    if choice == Choice::Reject && comment.is_none() {
        return Err(Rejection::CommentRequired);
    }
    draft.emit(Fact::GateVoted { gate: id, rev, choice, comment: comment.cloned() });
    Ok(())
}

/// `answer`: words at a named gate.
pub(super) fn answer(draft: &mut Draft, id: GateId, text: &Arc<str>) -> Result<(), Rejection> {
    draft.require(Right::Say)?;
    let gate = open_gate(draft, id)?;
    if !gate.allow.contains(&Act::Respond) {
        return Err(Rejection::Invalid("this gate takes votes only".into()));
    }
    say::require_words(text)?;
    let route = mention::route(draft.view(), text, None);
    respond(draft, id, text, route);
    Ok(())
}

/// Words that approve are a vote, and stand in the log as they were said.
pub(super) fn approve_in_words(draft: &mut Draft, gate: &Gate, text: &Arc<str>) -> Result<(), Rejection> {
    let role = draft.require(Right::Approve)?;
    may_vote(gate, role)?;
    let said: Arc<str> = match (text.trim().is_empty(), draft.view().team.language) {
        (false, _) => text.clone(),
        (true, Language::Zh) => "同意".into(),
        (true, Language::En) => "Approve".into(),
    };
    say::post(draft, &said, say::approval_route(), None);
    draft.emit(Fact::GateVoted { gate: gate.id, rev: gate.rev, choice: Choice::Approve, comment: None });
    Ok(())
}

/// Feedback: somebody says what should change, and that decides the gate.
pub(super) fn respond(draft: &mut Draft, gate: GateId, text: &Arc<str>, route: Route) {
    let to = agents_only(&route.to);
    let message = say::post(draft, text, route, None);
    decided(draft, gate, Outcome::Responded, Some(message), to);
}

/// End every gate whose outcome no further vote can change: after a vote, and after people come, go or change roles.
pub(super) fn settle(draft: &mut Draft) {
    let eligible: Vec<(ParticipantId, Role)> = draft.view().participants.iter().map(|m| (m.id, m.role)).collect();
    let standing = draft.by().participant_id().filter(|id| draft.view().member(*id).is_none());
    for gate in draft.view().gates.clone() {
        let mut voters: Vec<_> = eligible.iter().filter(|(_, role)| gate.eligible.contains(role)).copied().collect();
        // An administrator who votes without being in the session counts as the owner that the server makes them.
        voters.extend(standing.map(|id| (id, Role::Owner)));
        match gate.rule.outcome(&gate.votes, &voters) {
            Some(Outcome::Rejected) => {
                let (text, to) = objections(draft, &gate);
                let route = Route { to: to.clone(), ..mention::route(draft.view(), &text, None) };
                let message = say::post(draft, &text, route, None);
                decided(draft, gate.id, Outcome::Rejected, Some(message), agents_only(&to));
            }
            Some(outcome) => decided(draft, gate.id, outcome, None, vec![]),
            None => {}
        }
    }
}

/// The comments of the votes against, as one text for the agents, and whom they mention.
fn objections(draft: &Draft, gate: &Gate) -> (Arc<str>, Vec<Target>) {
    let against: Vec<&Vote> = gate.votes.iter().filter(|vote| vote.choice == Choice::Reject).collect();
    let text: Arc<str> = match against.as_slice() {
        [only] => only.comment.clone().unwrap_or_default(),
        several => {
            let lines =
                several.iter().map(|vote| format!("{}: {}", vote.by.name, vote.comment.as_deref().unwrap_or("")));
            lines.collect::<Vec<_>>().join("\n\n").into()
        }
    };
    let to = mention::route(draft.view(), &text, None).to;
    (text, to)
}

/// Record the decision with the votes that made it.
pub(super) fn decided(draft: &mut Draft, id: GateId, outcome: Outcome, message: Option<MessageId>, to: Vec<Target>) {
    let Some(gate) = draft.view().gates.iter().find(|gate| gate.id == id) else { return };
    let (rev, votes) = (gate.rev, gate.votes.clone());
    draft.emit(Fact::GateDecided { gate: id, rev, outcome, votes, message, to });
}

fn agents_only(to: &[Target]) -> Vec<Target> {
    to.iter().filter(|target| target.is_for_agents()).cloned().collect()
}

fn may_vote(gate: &Gate, role: Role) -> Result<(), Rejection> {
    if gate.eligible.contains(&role) {
        return Ok(());
    }
    let message = format!("your role here is {}; it may not decide at this gate", role.as_str());
    Err(Rejection::Forbidden { right: Right::Approve, message: message.into() })
}

/// The gate, if it can still be decided; else how it ended.
fn open_gate(draft: &Draft, id: GateId) -> Result<&Gate, Rejection> {
    let view = draft.view();
    if let Some(gate) = view.gates.iter().find(|gate| gate.id == id) {
        return Ok(gate);
    }
    match view.decided.iter().find(|gate| gate.id == id).map(|gate| gate.decision.clone()) {
        Some(Some(decision)) => Err(Rejection::AlreadyDecided { gate: id, decision: Box::new(decision) }),
        Some(None) => Err(Rejection::GateClosed(id)),
        None => Err(Rejection::UnknownGate(id)),
    }
}
