//! Laws of votes: a decision contains exactly the votes that were cast at its revision and not withdrawn, and a gate
//! that requires several votes is approved by no fewer.

use std::collections::BTreeMap;
use std::sync::Arc;

use roundtable::kernel::gate::{Choice, Outcome, Quorum, Vote};
use roundtable::kernel::{ActorKind, Event, Fact, GateId};

/// Open gates of a session's log, as far as it has been read.
#[derive(Default)]
pub struct VoteLaws {
    open: BTreeMap<GateId, Ballot>,
}

/// Votes at a gate, by the ids of the voters.
struct Ballot {
    quorum: Quorum,
    votes: BTreeMap<Arc<str>, Choice>,
}

impl VoteLaws {
    pub fn read(&mut self, event: &Event) -> Result<(), String> {
        match &event.fact {
            Fact::GateOpened { gate } => {
                self.open.insert(gate.id, Ballot { quorum: gate.quorum, votes: choices(&gate.votes) });
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
            // Votes about an earlier revision do not count.
            Fact::GateRevised { gate, .. } => {
                if let Some(ballot) = self.open.get_mut(gate) {
                    ballot.votes.clear();
                }
            }
            Fact::GateDecided { gate, outcome, votes, .. } => {
                let Some(ballot) = self.open.remove(gate) else { return Ok(()) };
                let (decided, cast) = (choices(votes), ballot.votes);
                if decided != cast {
                    return Err(format!("the votes were {cast:?}, and {decided:?} decided"));
                }
                // At a deadline, the rule of the gate decides, not the votes.
                let by_votes = *outcome == Outcome::Approved && event.by.kind != ActorKind::System;
                let approvals = cast.values().filter(|choice| **choice == Choice::Approve).count();
                if let Quorum::AtLeast { n, .. } = ballot.quorum
                    && by_votes
                    && approvals < n as usize
                {
                    return Err(format!("{approvals} votes approved, and {n} are required"));
                }
            }
            Fact::GateExpired { gate } | Fact::GateClosed { gate } => drop(self.open.remove(gate)),
            _ => {}
        }
        Ok(())
    }
}

fn choices(votes: &[Vote]) -> BTreeMap<Arc<str>, Choice> {
    votes.iter().map(|vote| (vote.by.id.clone(), vote.choice)).collect()
}
