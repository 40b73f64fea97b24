//! Laws of votes: a decision contains exactly the votes that were cast at its revision, were not withdrawn and count. A
//! gate is approved by at least as many votes as its rule requires, and not by someone who must not decide alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use roundtable::kernel::gate::{Choice, Outcome, Quorum, Vote};
use roundtable::kernel::{ActorKind, Event, Fact, GateId, MessageId, ParticipantId, Role};

/// Open gates in the part of a session's log that has been read.
#[derive(Default)]
pub struct VoteLaws {
    open: BTreeMap<GateId, Ballot>,
    authors: BTreeMap<MessageId, Arc<str>>,
    /// Ids of the participants who started or steered the newest run.
    directed_by: BTreeSet<Arc<str>>,
    /// Current roles of the participants.
    roles: BTreeMap<ParticipantId, Role>,
}

/// Votes at a gate, by the ids of the voters.
struct Ballot {
    quorum: Quorum,
    separate_duties: bool,
    /// Participants who edited the subject, or who proposed a permission.
    editors: BTreeSet<Arc<str>>,
    votes: BTreeMap<Arc<str>, Choice>,
    /// True if roles or rights changed while the gate was open, so some of the votes might no longer count.
    rights_changed: bool,
}

impl VoteLaws {
    pub fn read(&mut self, event: &Event) -> Result<(), String> {
        if let Fact::ParticipantJoined { participant, role, .. } | Fact::ParticipantRoleChanged { participant, role } =
            &event.fact
        {
            self.roles.insert(*participant, *role);
        }
        match &event.fact {
            Fact::MessagePosted { message, .. } => drop(self.authors.insert(*message, event.by.id.clone())),
            Fact::RunStarted { input, .. } => self.directed_by = self.authors.get(input).cloned().into_iter().collect(),
            Fact::MessageConsumed { message, .. } => self.directed_by.extend(self.authors.get(message).cloned()),
            Fact::GateOpened { gate } => {
                let (quorum, separate_duties, votes) = (gate.quorum, gate.separate_duties, choices(&gate.votes));
                let (editors, rights_changed) = (BTreeSet::new(), false);
                self.open.insert(gate.id, Ballot { quorum, separate_duties, editors, votes, rights_changed });
            }
            Fact::GateEscalated { gate, quorum } => {
                if let Some(ballot) = self.open.get_mut(gate) {
                    ballot.quorum = *quorum;
                }
            }
            Fact::GateVoted { gate, choice, .. } => {
                if let Some(ballot) = self.open.get_mut(gate) {
                    ballot.votes.insert(event.by.id.clone(), *choice);
                }
            }
            Fact::GateVoteWithdrawn { gate } => {
                let vote = self.open.get_mut(gate).and_then(|ballot| ballot.votes.remove(&event.by.id));
                vote.ok_or("a vote was withdrawn, and there was none")?;
            }
            // Votes on an earlier revision do not count.
            Fact::GateRevised { gate, .. } => {
                if let Some(ballot) = self.open.get_mut(gate) {
                    ballot.votes.clear();
                    ballot.editors.insert(event.by.id.clone());
                }
            }
            Fact::GateDecided { gate, outcome, votes, .. } => {
                if let Some(ballot) = self.open.remove(gate) {
                    let at_deadline = event.by.kind == ActorKind::System;
                    self.check_decision(&ballot, votes, *outcome == Outcome::Approved, at_deadline)?;
                }
            }
            Fact::SessionUpdated { .. } | Fact::ParticipantRoleChanged { .. } | Fact::ParticipantLeft { .. } => {
                self.open.values_mut().for_each(|ballot| ballot.rights_changed = true);
            }
            Fact::GateExpired { gate } | Fact::GateClosed { gate } => drop(self.open.remove(gate)),
            _ => {}
        }
        Ok(())
    }

    fn check_decision(
        &self,
        ballot: &Ballot,
        votes: &[Vote],
        is_approved: bool,
        at_deadline: bool,
    ) -> Result<(), String> {
        let is_involved = |who: &Arc<str>| self.directed_by.contains(who) || ballot.editors.contains(who);
        let mut counted = ballot.votes.clone();
        counted.retain(|who, choice| *choice == Choice::Reject || !ballot.separate_duties || !is_involved(who));
        let decided = choices(votes);
        let is_subset = decided.iter().all(|(who, choice)| counted.get(who) == Some(choice));
        if !is_subset || decided.len() < counted.len() && !ballot.rights_changed {
            return Err(format!("the votes that count were {counted:?}, and {decided:?} decided"));
        }
        if !is_approved {
            return Ok(());
        }
        if at_deadline {
            let is_own_work = ballot.separate_duties && !ballot.editors.is_empty();
            return if is_own_work { Err("silence approved an edit".into()) } else { Ok(()) };
        }
        // A delegation adds the delegator's weight to that of the voter.
        let delegators = |vote: &Vote| vote.on_behalf_of.iter().filter_map(|id| self.roles.get(id).copied()).collect();
        let voted = votes.iter().filter(|vote| vote.choice == Choice::Approve);
        let approvals: Vec<Role> = voted.flat_map(|vote| [vec![vote.role], delegators(vote)].concat()).collect();
        let (sum, needed) = match ballot.quorum {
            Quorum::AtLeast { n, .. } => (approvals.len() as u32, n),
            Quorum::Weighted { n, weights } => (approvals.iter().map(|role| weights.of(*role)).sum(), n),
            Quorum::Any {} | Quorum::All {} | Quorum::Majority {} | Quorum::Role { .. } | Quorum::Veto {} => {
                (approvals.len() as u32, 1)
            }
        };
        if sum < needed {
            return Err(format!("the votes {votes:?} approved under {:?}", ballot.quorum));
        }
        Ok(())
    }
}

fn choices(votes: &[Vote]) -> BTreeMap<Arc<str>, Choice> {
    votes.iter().map(|vote| (vote.by.id.clone(), vote.choice)).collect()
}
