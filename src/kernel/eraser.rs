//! The log as it reads after a redaction. Pure: the shell reads the log twice, shows every event to [`Eraser::note`] and then
//! asks [`Eraser::erase`] for what each reads from now on, and the store writes it with the redaction itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::gate::SubjectId;
use super::redaction::{REDACTED, Redaction, RedactionTarget};
use super::{CallId, Event, Fact, GateId, MessageId, ParticipantId, RunId};

/// Rewrites the events before one redaction.
#[derive(Debug)]
pub struct Eraser {
    target: RedactionTarget,
    mark: Arc<Redaction>,
    /// The events whose texts go.
    seqs: BTreeSet<u64>,
    messages: BTreeSet<MessageId>,
    calls: BTreeSet<CallId>,
    gates: BTreeSet<GateId>,
    /// Runs whose plan goes, as far as the log has been noted.
    plans: BTreeSet<RunId>,
    /// Runs that a message of an agent goes from.
    runs: BTreeSet<RunId>,
    /// Titles that the session has had.
    titles: Vec<(u64, Arc<str>)>,
    /// Digests of contents that go, and of those that other versions still have.
    digests: BTreeSet<Arc<str>>,
    kept_digests: BTreeSet<Arc<str>>,
}

impl Eraser {
    /// That of a redaction; `None` of any other event.
    pub fn of(event: &Event) -> Option<Self> {
        let target = match &event.fact {
            Fact::MessageRedacted { message, .. } => RedactionTarget::Message(*message),
            Fact::FileRedacted { file, .. } => RedactionTarget::File(*file),
            Fact::SessionRedacted { .. } => RedactionTarget::Session,
            Fact::ParticipantRedacted { participant, content } => {
                RedactionTarget::Participant { participant: *participant, content: *content }
            }
            _ => return None,
        };
        Some(Self {
            target,
            mark: Redaction::of(event),
            seqs: BTreeSet::new(),
            messages: BTreeSet::new(),
            calls: BTreeSet::new(),
            gates: BTreeSet::new(),
            plans: BTreeSet::new(),
            runs: BTreeSet::new(),
            titles: vec![],
            digests: BTreeSet::new(),
            kept_digests: BTreeSet::new(),
        })
    }

    /// Look at the next event of the log, from its first.
    pub fn note(&mut self, event: &Event) {
        if self.is_concerned(event) {
            self.seqs.insert(event.seq);
        }
        match &event.fact {
            Fact::FileAdded { digest, .. } if !digest.is_empty() => {
                let goes = self.seqs.contains(&event.seq);
                let digests = if goes { &mut self.digests } else { &mut self.kept_digests };
                digests.insert(digest.clone());
            }
            Fact::SessionCreated { title, .. } | Fact::SessionUpdated { title: Some(title), .. } => {
                self.titles.push((event.seq, title.clone()));
            }
            _ => {}
        }
    }

    /// The message that the log does not have, of a redaction that names one.
    pub fn missing(&self) -> Option<MessageId> {
        match self.target {
            RedactionTarget::Message(message) if !self.messages.contains(&message) => Some(message),
            _ => None,
        }
    }

    /// Digests of the contents that go: no other version of the session has them.
    pub fn contents(&self) -> Vec<Arc<str>> {
        self.digests.difference(&self.kept_digests).cloned().collect()
    }

    /// The event as it reads from now on; `None` where it stays as it is.
    pub fn erase(&self, event: &Event) -> Option<Event> {
        let mut changed = self.renamed(event).unwrap_or_else(|| event.clone());
        if self.seqs.contains(&event.seq) {
            let before = changed.fact.clone();
            match &mut changed.fact {
                Fact::GateDecided { votes, .. } if self.target != RedactionTarget::Session => {
                    let theirs = |message: Option<MessageId>| message.is_some_and(|id| self.messages.contains(&id));
                    votes.iter_mut().filter(|vote| theirs(vote.message)).for_each(|vote| vote.comment = None);
                }
                fact => fact.erase(),
            }
            if changed.fact != before {
                changed.redacted = event.redacted.clone().or_else(|| Some(self.mark.clone()));
            }
        }
        (changed != *event).then_some(changed)
    }

    /// Whether texts of the event go; in the order of the log.
    fn is_concerned(&mut self, event: &Event) -> bool {
        use Fact::*;
        let of_target = |id: MessageId| self.target == RedactionTarget::Message(id);
        match (self.target, &event.fact) {
            (RedactionTarget::Session, _) => true,
            (RedactionTarget::File(id), FileAdded { file, .. }) => id == *file,
            (RedactionTarget::File(_), _) => false,
            (_, MessagePosted { message, text, .. }) => {
                let goes = of_target(*message) || self.is_theirs(event);
                if goes {
                    self.messages.insert(*message);
                    let derived = self.titles.iter().filter(|(_, title)| is_derived(title, text));
                    self.seqs.extend(derived.map(|(seq, _)| *seq));
                }
                goes
            }
            (_, FileAdded { .. }) => self.is_theirs(event),
            (_, MessageStarted { message, run, .. }) => {
                if of_target(*message) {
                    self.messages.insert(*message);
                    self.runs.insert(*run);
                }
                false
            }
            (
                _,
                MessageCompleted { message, .. }
                | MessageAborted { message, .. }
                | MessageRouted { message, .. }
                | DecisionMade { message, .. }
                | OutputProduced { message, .. }
                | OutputRejected { message, .. }
                | GateVoted { message: Some(message), .. }
                | ControlRequested { message: Some(message), .. },
            ) => self.messages.contains(message),
            (_, SessionClosed { .. } | RunCancelled { .. } | ControlRequested { .. } | GateVoted { .. }) => {
                self.is_theirs(event)
            }
            (_, ToolProposed { message: Some(message), call, .. }) => {
                let goes = self.messages.contains(message);
                self.calls.extend(goes.then_some(*call));
                goes
            }
            (_, ToolStarted { call, .. } | ToolCompleted { call, .. } | ToolFailed { call, .. }) => {
                self.calls.contains(call)
            }
            (_, PlanProposed { message, run, .. }) => {
                let goes = match message {
                    Some(message) => self.messages.contains(message),
                    // Made by a call: the plan of whoever's words go from this run.
                    None => self.runs.contains(run),
                };
                if goes {
                    self.plans.insert(*run)
                } else {
                    self.plans.remove(run)
                };
                goes
            }
            (_, PlanEdited { run, .. } | PlanStepChanged { run, .. }) => self.plans.contains(run),
            (_, GateOpened { gate }) => {
                let of_call = gate.call.is_some_and(|call| self.calls.contains(&call));
                let of_message = match gate.subject.as_ref().map(|subject| subject.id) {
                    Some(SubjectId::Message(message)) => self.messages.contains(&message),
                    _ => false,
                };
                let goes = of_call || of_message || self.plans.contains(&gate.run);
                self.gates.extend(goes.then_some(gate.id));
                goes
            }
            (_, GateRevised { gate, .. }) => self.gates.contains(gate),
            (_, GateDecided { votes, .. }) => {
                votes.iter().any(|vote| vote.message.is_some_and(|message| self.messages.contains(&message)))
            }
            _ => false,
        }
    }

    /// Whether the event is by the participant whose content goes.
    fn is_theirs(&self, event: &Event) -> bool {
        match self.target {
            RedactionTarget::Participant { participant, content: true } => {
                event.by.participant_id() == Some(participant)
            }
            _ => false,
        }
    }

    /// The event without names of people, where those go.
    fn renamed(&self, event: &Event) -> Option<Event> {
        let whose = match self.target {
            RedactionTarget::Participant { participant, .. } => Some(participant),
            RedactionTarget::Session => None,
            _ => return None,
        };
        let mut value = serde_json::to_value(event).ok()?;
        rename(&mut value, whose);
        serde_json::from_value(value).ok()
    }
}

/// Whether a title is the beginning of these words, as the server and clients make titles.
fn is_derived(title: &str, words: &str) -> bool {
    let (stem, words) = (title.trim_end_matches('…').trim(), words.trim());
    !stem.is_empty() && words.chars().filter(|c| !c.is_control()).collect::<String>().starts_with(stem)
}

/// Replace the name beside the id of this participant, or of every person and bot.
fn rename(value: &mut Value, whose: Option<ParticipantId>) {
    match value {
        Value::Object(fields) => {
            let is_person = matches!(fields.get("kind").and_then(Value::as_str), Some("user" | "bot"));
            let id = fields.get("participant").or_else(|| fields.get("id")).and_then(Value::as_str);
            let id = id.and_then(|id| id.parse::<ParticipantId>().ok());
            let is_named = match (id, whose) {
                (Some(id), Some(whose)) => id == whose,
                (Some(_), None) => is_person || fields.contains_key("participant"),
                (None, _) => false,
            };
            if is_named && fields.contains_key("name") {
                // The former name stands beside the one that somebody gave themselves.
                let names = ["name", "from"].iter().filter(|name| fields.get(**name).is_some_and(Value::is_string));
                for name in names.copied().collect::<Vec<_>>() {
                    fields.insert(name.to_owned(), REDACTED.into());
                }
            }
            fields.values_mut().for_each(|value| rename(value, whose));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| rename(value, whose)),
        _ => {}
    }
}
