//! Erasure of names of people in events.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::kernel::redaction::{REDACTED, Redaction, RedactionTarget};
use crate::kernel::{Actor, Event, Fact, ParticipantId};

/// Names to be erased.
#[derive(Debug)]
pub(super) struct PersonNames {
    target: RedactionTarget,
    /// All names that the participant has had.
    known: BTreeSet<Arc<str>>,
}

impl PersonNames {
    /// Creates the names that a redaction erases.
    pub(super) fn of(target: RedactionTarget) -> Self {
        Self { target, known: BTreeSet::new() }
    }

    /// Reads the next event of the log.
    pub(super) fn note(&mut self, event: &Event) {
        if !matches!(self.target, RedactionTarget::Participant { .. }) {
            return;
        }
        if self.is_theirs(&event.by) {
            self.known.insert(event.by.name.clone());
        }
        match &event.fact {
            Fact::ParticipantJoined { participant, name, .. } | Fact::ParticipantKnocked { participant, name, .. }
                if self.goes(*participant) =>
            {
                self.known.insert(name.clone());
            }
            Fact::ParticipantRenamed { participant, from, name } if self.goes(*participant) => {
                self.known.extend([from.clone(), name.clone()]);
            }
            _ => {}
        }
    }

    /// Replaces the names in an event.
    pub(super) fn erase(&self, event: &mut Event) {
        self.rename(&mut event.by);
        if let Some(mark) = event.redacted.as_mut().filter(|mark| self.is_theirs(&mark.by)) {
            *mark = Arc::new(self.anonymous(mark));
        }
        match &mut event.fact {
            Fact::ParticipantJoined { participant, name, .. } | Fact::ParticipantKnocked { participant, name, .. }
                if self.goes(*participant) =>
            {
                *name = REDACTED.into();
            }
            Fact::ParticipantRenamed { participant, from, name } if self.goes(*participant) => {
                (*from, *name) = (REDACTED.into(), REDACTED.into());
            }
            Fact::MessageRouted { unresolved, .. } => {
                let nearest = unresolved.iter_mut().map(|unresolved| &mut unresolved.nearest);
                nearest.for_each(|nearest| nearest.retain(|name| !self.known.contains(name)));
            }
            Fact::GateOpened { gate } => {
                gate.votes.iter_mut().for_each(|vote| self.rename(&mut vote.by));
                gate.decision.iter_mut().for_each(|decision| self.rename(&mut decision.by));
            }
            Fact::GateDecided { votes, .. } => votes.iter_mut().for_each(|vote| self.rename(&mut vote.by)),
            _ => {}
        }
    }

    /// Returns the redaction mark without names that are to be erased.
    pub(super) fn anonymous(&self, mark: &Redaction) -> Redaction {
        let mut mark = mark.clone();
        self.rename(&mut mark.by);
        mark
    }

    fn rename(&self, actor: &mut Actor) {
        if self.is_theirs(actor) {
            actor.name = REDACTED.into();
        }
    }

    fn is_theirs(&self, actor: &Actor) -> bool {
        actor.participant_id().is_some_and(|id| self.goes(id))
    }

    fn goes(&self, id: ParticipantId) -> bool {
        match self.target {
            RedactionTarget::Participant { participant, .. } => participant == id,
            RedactionTarget::Session => true,
            RedactionTarget::Message(_) | RedactionTarget::File(_) => false,
        }
    }
}
