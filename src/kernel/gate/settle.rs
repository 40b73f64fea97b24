//! Decisions of gates: from votes, or at their deadline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::asked_command;
use super::delegation::{self, Voter};
use super::{Actor, Choice, CommandFailure, DeadlineOutcome, Gate, GateKind, Vote};
use crate::draft::Draft;
use crate::{AttemptError, Fact, GateId, Language, MessageId, ParticipantId, Target, Timestamp, View, budget, call};

/// Outcome of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Approved by votes.
    Approved,
    /// Rejected by votes.
    Rejected,
    /// Answered with text, which says what should change.
    Responded,
    /// Withdrawn by the participant who asked for the command.
    Withdrawn,
}

/// Decision of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Outcome of the gate.
    pub outcome: Outcome,
    /// Author of the vote or the text that decided it. If something else did, such as a departure, a change of a role
    /// or a resolved comment, this is the author of the latest vote for the outcome. At the deadline, it is the server.
    pub by: Actor,
    /// Time of the decision.
    pub at: Timestamp,
    /// Message that decided it. Absent if votes without comments did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Reason why an approved command was not carried out. Absent if it was, and at gates of other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<CommandFailure>,
}

/// Decides every gate whose outcome no further vote can change. Called after every command, because many commands
/// change who can vote.
pub(crate) fn settle(draft: &mut Draft) {
    for gate in draft.view().gates.clone() {
        let voters = voters(draft.view(), &gate, draft.at());
        let roles: Vec<_> = voters.iter().map(|voter| (voter.id, voter.role)).collect();
        let Some(outcome) = gate.quorum.outcome(&gate.votes, &roles) else { continue };
        if outcome == Outcome::Approved && gate.is_held() {
            continue;
        }
        let choice = if outcome == Outcome::Approved { Choice::Approve } else { Choice::Reject };
        let deciding = counted_votes(&gate, &voters).filter(|vote| vote.choice == choice);
        let comments: Vec<MessageId> = deciding.filter_map(|vote| vote.message).collect();
        let mut to: Vec<Target> = vec![];
        for target in comments.iter().filter_map(|id| draft.view().message(*id)).flat_map(|message| &message.to) {
            if !to.contains(target) {
                to.push(target.clone());
            }
        }
        record_decision(draft, gate.id, outcome, comments.last().copied(), to);
    }
}

/// Returns everyone who has voted at the gate or can still vote, with the role that their vote counts in.
fn voters(view: &View, gate: &Gate, now: Timestamp) -> Vec<Voter> {
    let voter = |id, role| Voter { id, role, on_behalf_of: vec![] };
    let voted = gate.votes.iter().filter_map(|vote| Some(voter(vote.by.participant_id()?, vote.role)));
    let mut voters: Vec<Voter> = voted.collect();
    for member in &view.participants {
        if !voters.iter().any(|known| known.id == member.id) {
            voters.push(voter(member.id, member.role.voting(member.kind)));
        }
    }
    // Everybody can reject work that they contributed to.
    let rejects = |id: ParticipantId| {
        let own = gate.votes.iter().find(|vote| vote.by.participant_id() == Some(id));
        own.is_some_and(|vote| vote.choice == Choice::Reject)
    };
    voters.retain(|Voter { id, role, .. }| gate.takes_vote(view, *role) && (!gate.excludes(view, *id) || rejects(*id)));
    delegation::represent(view, gate, now, &mut voters);
    voters
}

/// Returns the votes of these voters. Other participants might have lost the right to vote since they voted.
fn counted_votes<'a>(gate: &'a Gate, voters: &[Voter]) -> impl Iterator<Item = &'a Vote> {
    let counts = |vote: &&Vote| voters.iter().any(|voter| vote.by.participant_id() == Some(voter.id));
    gate.votes.iter().filter(counts)
}

/// Records the decision of a gate with the votes that led to it, and its consequences.
pub(crate) fn record_decision(
    draft: &mut Draft,
    id: GateId,
    outcome: Outcome,
    message: Option<MessageId>,
    to: Vec<Target>,
) {
    let Some(gate) = draft.view().gates.iter().find(|gate| gate.id == id).cloned() else { return };
    let voters = voters(draft.view(), &gate, draft.at());
    let mut votes: Vec<Vote> = counted_votes(&gate, &voters).cloned().collect();
    for voter in &voters {
        let own = votes.iter_mut().find(|vote| vote.by.participant_id() == Some(voter.id));
        own.into_iter().for_each(|vote| vote.on_behalf_of.clone_from(&voter.on_behalf_of));
    }
    let gate = Gate { votes: votes.clone(), ..gate };
    let (rev, comments) = (gate.rev, gate.open_comments(outcome));
    let decided = Fact::GateDecided { gate: id, rev, outcome, votes, message, to, failure: None, comments };
    if let Some(command) = gate.command.as_deref().filter(|_| outcome == Outcome::Approved) {
        return asked_command::carry_out(draft, decided, command);
    }
    draft.emit(decided);
    let comment = message.and_then(|message| draft.view().message(message)).map(|message| message.text.clone());
    if outcome == Outcome::Approved {
        call::standing_permission::grant(draft, &gate);
        call::learned_rules::grant(draft, &gate);
    }
    call::lifecycle::apply_decision(draft, &gate, outcome, comment);
    budget::apply_decision(draft, &gate, outcome);
}

/// Ends a gate that has reached its deadline. It is approved if `at_deadline` says so and no vote that counts is
/// against it. Otherwise, its call fails or, if it has no call, its run fails. A command is not carried out.
pub(crate) fn expire(draft: &mut Draft, gate: &Gate) {
    let mut voters = voters(draft.view(), gate, draft.at());
    voters.retain(|voter| gate.quorum.counts(voter.role));
    let is_unopposed = counted_votes(gate, &voters).all(|vote| vote.choice != Choice::Reject);
    if gate.at_deadline == Some(DeadlineOutcome::Approved) && is_unopposed {
        record_decision(draft, gate.id, Outcome::Approved, None, vec![]);
        return;
    }
    draft.emit(Fact::GateExpired { gate: gate.id });
    if gate.kind == GateKind::Budget {
        return budget::end_run(draft);
    }
    if gate.kind == GateKind::Command {
        return;
    }
    if gate.call.is_some() {
        return call::lifecycle::expire(draft, gate);
    }
    let message = match draft.view().team.language {
        Language::Zh => "没有人在期限内作出决定；发送一条消息即可开始新的运行",
        Language::En => "nobody decided in time; send a message to start a new run",
    };
    let error = AttemptError { code: "gate_expired".into(), message: message.into() };
    if let Some(run) = gate.run {
        draft.emit(Fact::RunFailed { run, error });
    }
}
