//! Erasure of names of people in events.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::parts::FactPart;
use crate::redaction::{REDACTED, Redaction, RedactionTarget};
use crate::{Actor, Event, ParticipantId};

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

    /// Reads the author of the next event of the log, and the names in it.
    pub(super) fn note(&mut self, by: &Actor, part: &FactPart<'_>) {
        if !matches!(self.target, RedactionTarget::Participant { .. }) {
            return;
        }
        if self.is_theirs(by) {
            self.known.insert(by.name.clone());
        }
        if let FactPart::Names { participant, names } = part
            && self.goes(*participant)
        {
            self.known.extend(names.iter().map(|name| Arc::clone(name)));
        }
    }

    /// Replaces the names in an event.
    pub(super) fn erase(&self, event: &mut Event) {
        self.rename(&mut event.by);
        if let Some(mark) = event.redacted.as_mut().filter(|mark| self.is_theirs(&mark.by)) {
            *mark = Arc::new(self.anonymous(mark));
        }
        match FactPart::of(&mut event.fact) {
            FactPart::Names { participant, names } => {
                names.into_iter().filter(|_| self.goes(participant)).for_each(|name| *name = REDACTED.into());
            }
            FactPart::Nearest(unresolved) => {
                let nearest = unresolved.iter_mut().map(|unresolved| &mut unresolved.nearest);
                nearest.for_each(|nearest| nearest.retain(|name| !self.known.contains(name)));
            }
            FactPart::Gate(gate) => {
                gate.votes.iter_mut().for_each(|vote| self.rename(&mut vote.by));
                gate.command.iter_mut().for_each(|command| {
                    self.rename(&mut command.by);
                    command.erase_names(&self.known);
                    // The invited person might never have joined, so `known` can lack this name.
                    if command.invited().is_some_and(|invited| self.goes(invited)) {
                        command.erase();
                    }
                });
                gate.decision.iter_mut().for_each(|decision| self.rename(&mut decision.by));
            }
            FactPart::Votes(votes) => votes.iter_mut().for_each(|vote| self.rename(&mut vote.by)),
            FactPart::File { .. }
            | FactPart::Plan { .. }
            | FactPart::Revision { .. }
            | FactPart::Note { .. }
            | FactPart::None => {}
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
