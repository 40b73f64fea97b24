//! Rewriting of the log after a redaction. Pure: the caller reads the log twice. It first passes every event to
//! [`Eraser::note`] and then asks [`Eraser::erase`] for the new version of each. The store writes these together with
//! the redaction itself.

mod fact;
mod files;
mod names;
mod parts;
mod plans;
mod scope;
mod team;

use std::sync::Arc;

use super::{Redaction, RedactionTarget};
use crate::{Event, Fact, MessageId};
use files::FileTraces;
use names::PersonNames;
use parts::FactPart;
use scope::ErasureScope;

/// Rewrites the events before one redaction.
#[derive(Debug)]
pub struct Eraser {
    target: RedactionTarget,
    mark: Arc<Redaction>,
    trace: ErasureScope,
    files: FileTraces,
    people: PersonNames,
}

impl Eraser {
    /// Creates the eraser for a redaction; `None` if the event is not a redaction.
    pub fn of(event: &Event) -> Option<Self> {
        let target = RedactionTarget::of(&event.fact)?;
        let people = PersonNames::of(target);
        let mark = Arc::new(match target {
            RedactionTarget::Participant { .. } => people.anonymous(&Redaction::of(event)),
            RedactionTarget::Message(_) | RedactionTarget::File(_) | RedactionTarget::Session => {
                Redaction::clone(&Redaction::of(event))
            }
        });
        Some(Self { target, mark, trace: ErasureScope::of(target), files: FileTraces::default(), people })
    }

    /// Reads the next event of the log, starting with the first.
    pub fn note(&mut self, event: &Event) {
        let goes = self.trace.note(event);
        let mut fact = event.fact.clone();
        let part = FactPart::of(&mut fact);
        self.people.note(&event.by, &part);
        // Redacting one version erases its content only: other versions still use the name.
        self.files.note(part, goes, !matches!(self.target, RedactionTarget::File(_)));
    }

    /// Returns the redacted message, if the redaction is of a message.
    pub fn message(&self) -> Option<MessageId> {
        match self.target {
            RedactionTarget::Message(message) => Some(message),
            RedactionTarget::File(_) | RedactionTarget::Session | RedactionTarget::Participant { .. } => None,
        }
    }

    /// Returns the digests of the contents to be erased. No other version in the session has them.
    pub fn contents(&self) -> Vec<Arc<str>> {
        self.files.contents()
    }

    /// Returns the rewritten event; `None` if it does not change.
    pub fn erase(&self, event: &Event) -> Option<Event> {
        let mut changed = event.clone();
        self.people.erase(&mut changed);
        self.files.rename(FactPart::of(&mut changed.fact));
        let before = changed.fact.clone();
        self.erase_texts(event.seq, &mut changed.fact);
        if changed.fact != before {
            changed.redacted = changed.redacted.or_else(|| Some(self.mark.clone()));
        }
        (changed != *event).then_some(changed)
    }

    fn erase_texts(&self, seq: u64, fact: &mut Fact) {
        if self.target == RedactionTarget::Session {
            return fact.erase();
        }
        let goes = self.trace.goes(seq);
        // The votes of others, and the items that others planned, stay.
        let is_apart = match FactPart::of(fact) {
            FactPart::Votes(votes) => {
                votes.iter_mut().filter(|vote| self.trace.is_voted(vote)).for_each(|vote| vote.comment = None);
                true
            }
            FactPart::Plan { run, plan } => {
                self.trace.plans.erase(seq, run, plan);
                true
            }
            FactPart::Note { run, note } if self.trace.plans.goes(seq, run, note) => {
                *note = "".into();
                true
            }
            FactPart::Revision { gate, plan, digest } => {
                let before = plan.clone();
                self.trace.run_of(gate).iter().for_each(|run| self.trace.plans.erase(seq, *run, plan));
                if goes || *plan != before {
                    *digest = "".into();
                }
                true
            }
            FactPart::Note { .. }
            | FactPart::Names { .. }
            | FactPart::Nearest(_)
            | FactPart::File { .. }
            | FactPart::Gate(_)
            | FactPart::None => false,
        };
        if goes && !is_apart {
            fact.erase();
        }
    }
}
