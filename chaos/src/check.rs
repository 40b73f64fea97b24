//! Checks of a session at the end of a seed.

use std::collections::{BTreeMap, HashMap, HashSet};

use roundtable::kernel::gate::Gate;
use roundtable::kernel::{self, Cause, Event, Fact, Phase, SessionId, State};

use serde_json::Value;

use crate::call_counts::CallCounts;
use crate::command_log::Entry;
use crate::commands::mark;
use crate::coverage::Coverage;
use crate::database_history::StoredLog;
use crate::laws;
use crate::observed_log::{LogSegment, ObservedLog};

/// State of a message.
#[derive(Default)]
struct MessageState {
    attempt: u32,
    /// End of the message: the attempt, its text, and whether the text is complete.
    end: Option<(u32, String, bool)>,
}

/// Check of one session, with the violations found.
pub struct Check<'a> {
    pub session: SessionId,
    pub stored: &'a StoredLog,
    pub command_log: &'a BTreeMap<String, Entry>,
    /// Counts of the calls in all logs.
    pub call_counts: &'a mut CallCounts,
    /// Kinds of events in all logs.
    pub coverage: &'a mut Coverage,
    /// The session as each node shows it at the end, and an export of it.
    pub shown: Vec<(String, String)>,
    pub violations: Vec<String>,
}

impl Check<'_> {
    /// Checks the log, its commands, and what these viewers have seen of it.
    pub fn all<'s>(mut self, viewers: impl Iterator<Item = (String, &'s ObservedLog)>) -> Vec<String> {
        self.stored.foreign_writes.iter().for_each(|write| self.violations.push(write.clone()));
        let events: Vec<Event> = self
            .stored
            .frames
            .iter()
            .filter_map(|frame| {
                serde_json::from_str(frame).map_err(|_| self.violations.push(format!("no event: {frame}"))).ok()
            })
            .collect();
        for (at, event) in events.iter().enumerate() {
            if event.seq != at as u64 + 1 {
                self.violations.push(format!("seq {} at place {}", event.seq, at + 1));
            }
        }
        let messages = self.check_messages(&events);
        self.violations.extend(laws::violations(self.session, &events));
        self.call_counts.read(&events);
        self.coverage.read(&events);
        self.check_commands(&events);
        self.check_settled(&events);
        self.check_redactions(&events);
        let viewers: Vec<_> = viewers.collect();
        let snapshots = snapshots(self.session, &events, viewers.iter().map(|(_, seen)| *seen));
        for (name, seen) in viewers {
            self.violations.extend(seen.violations.iter().map(|violation| format!("{name}: {violation}")));
            self.check_viewer(&name, seen, &messages, &snapshots);
        }
        let session = self.session;
        self.violations.into_iter().map(|violation| format!("{session}: {violation}")).collect()
    }

    /// Checks that attempts increase, and that a message ends once, with its newest attempt.
    fn check_messages(&mut self, events: &[Event]) -> HashMap<String, MessageState> {
        let mut messages: HashMap<String, MessageState> = HashMap::new();
        for Event { seq, fact, .. } in events {
            let is_violation = match fact {
                Fact::MessageStarted { message, attempt, .. } => {
                    let state = messages.entry(message.to_string()).or_default();
                    let is_violation = *attempt <= state.attempt || state.end.is_some();
                    state.attempt = *attempt;
                    is_violation
                }
                Fact::MessageCompleted { message, attempt, text, .. }
                | Fact::MessageAborted { message, attempt, text, .. } => {
                    let state = messages.entry(message.to_string()).or_default();
                    let is_violation = state.end.is_some() || *attempt != state.attempt;
                    state.end = Some((*attempt, text.to_string(), matches!(fact, Fact::MessageCompleted { .. })));
                    is_violation
                }
                _ => false,
            };
            if is_violation {
                self.violations.push(format!("seq {seq}: a message that is over, or of another attempt: {fact:?}"));
            }
        }
        messages
    }

    /// Checks that every command counts at most once, and exactly once if it was acknowledged.
    fn check_commands(&mut self, events: &[Event]) {
        let mut applied: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        // After a vote that approves a command, the events of that command follow. Their cause is the decision.
        let (mut asking_gates, mut approvals) = (HashSet::new(), HashMap::new());
        for event in events {
            let id = match &event.cause {
                Some(Cause::Command(id)) => Some(id.as_str()),
                Some(Cause::Seq(decision)) => approvals.get(decision).copied(),
                None => None,
            };
            match (&event.fact, id) {
                (Fact::GateOpened { gate }, _) if gate.command.is_some() => drop(asking_gates.insert(gate.id)),
                (Fact::GateDecided { gate, .. }, Some(id)) if asking_gates.contains(gate) => {
                    approvals.insert(event.seq, id);
                }
                _ => {}
            }
            if let Some(id) = id {
                applied.entry(id).or_default().push(event.seq);
            }
        }
        let receipts: HashMap<(&str, &str), u64> =
            self.stored.receipts.iter().map(|(actor, command, seq)| ((&**actor, &**command), *seq)).collect();
        let by_command: HashMap<&str, u64> = receipts.iter().map(|((_, command), seq)| (*command, *seq)).collect();
        for (command, seqs) in &applied {
            let (gapless, receipt) =
                (seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), by_command.get(command).copied());
            if !gapless || seqs.last().copied() != receipt {
                self.violations.push(format!("{command} is applied at {seqs:?}, its receipt says {receipt:?}"));
            }
        }
        let session = self.session.to_string();
        for (id, entry) in self.command_log.iter().filter(|(_, entry)| entry.session == session) {
            let receipt = receipts.get(&(&*entry.actor, &**id)).copied();
            let counted = applied.contains_key(&**id);
            if entry.acks.iter().any(|seq| Some(*seq) != receipt)
                || (!entry.acks.is_empty() && !counted && !entry.may_be_noop)
            {
                self.violations
                    .push(format!("{id} was acknowledged as {:?}; its receipt says {receipt:?}", entry.acks));
            }
            if counted && entry.rejections.iter().any(|code| code == "target_over") {
                self.violations.push(format!("{id} was rejected because its target was over, but took effect"));
            }
            if entry.retries && !entry.is_answered() {
                self.violations.push(format!("{id} was sent {} times and got no response", entry.sent));
            }
        }
    }

    /// Checks that every run has ended or waits for people.
    fn check_settled(&mut self, events: &[Event]) {
        let mut state = State::new(self.session);
        events.iter().for_each(|event| kernel::evolve(&mut state, event));
        if let Some(run) = state.view().active_run() {
            let waits = run.phase == Phase::Waiting && state.view().gates.iter().any(Gate::holds_work);
            if !waits && run.phase != Phase::Paused {
                self.violations.push(format!("a run makes no progress: {:?} at seq {}", run.phase, state.seq()));
            }
        }
    }

    /// Checks that redacted content no longer exists anywhere.
    fn check_redactions(&mut self, events: &[Event]) {
        let mark_of = |message| {
            let posted =
                |event: &&Event| matches!(event.fact, Fact::MessagePosted { message: of, .. } if of == message);
            let cause = events.iter().find(posted)?.cause.clone()?;
            if let Cause::Command(id) = cause { Some(mark(id.as_str())) } else { None }
        };
        let places = [("the log", self.stored.frames.concat()), ("the stored snapshot", self.stored.snapshot.clone())];
        let places = places.map(|(place, text)| (place.to_owned(), text));
        for event in events {
            let Fact::MessageRedacted { message, .. } = event.fact else { continue };
            let Some(mark) = mark_of(message) else { continue };
            self.call_counts.redactions += 1;
            for (place, _) in places.iter().chain(&self.shown).filter(|(_, text)| text.contains(&mark)) {
                self.violations.push(format!("seq {}: {mark} of {message} was redacted and is in {place}", event.seq));
            }
        }
    }

    /// Checks that events without a gap equal the log, and that the snapshot before them equals the fold of the log up
    /// to that seq.
    fn check_segment(&mut self, name: &str, segment: &LogSegment, snapshots: &BTreeMap<u64, Value>) {
        let LogSegment { after, snapshot, events } = segment;
        let stored = self.stored.frames.get(*after as usize..).unwrap_or_default();
        if events.len() > stored.len() {
            self.violations.push(format!(
                "{name} saw {} events after {after}, and the log has {}",
                events.len(),
                stored.len()
            ));
        }
        let is_different =
            |(_, (seen, stored)): &(usize, (&String, &String))| seen != stored && !is_before_redaction(seen, stored);
        if let Some((at, (seen, stored))) = events.iter().zip(stored).enumerate().find(is_different) {
            let seq = *after as usize + at + 1;
            self.violations.push(format!("{name} saw at seq {seq}\n    {seen}\n  and the log has\n    {stored}"));
        }
        // A snapshot from before a redaction can contain text that the log no longer has.
        let later = stored.iter().filter_map(|frame| serde_json::from_str::<Event>(frame).ok());
        let is_whole = !later.into_iter().any(|event| event.fact.is_redaction());
        let difference =
            snapshot.as_ref().filter(|_| is_whole).and_then(|seen| difference(Some(seen), snapshots.get(after), ""));
        if let Some(difference) = difference {
            let violation = format!("{name} got a snapshot at seq {after} that differs from the log up to there");
            self.violations.push(format!("{violation}: {difference}"));
        }
    }

    /// Checks that the events that a viewer has equal the log, and that the text shown of a message is a prefix of its
    /// final text.
    fn check_viewer(
        &mut self,
        name: &str,
        seen: &ObservedLog,
        messages: &HashMap<String, MessageState>,
        snapshots: &BTreeMap<u64, Value>,
    ) {
        for segment in seen.discarded.iter().chain([&seen.current]) {
            self.check_segment(name, segment, snapshots);
        }
        if seen.seq() != self.stored.frames.len() as u64 {
            let stored = self.stored.frames.len();
            self.violations.push(format!("{name} saw events up to {}, and the log has {stored}", seen.seq()));
        }
        let mut reported = HashSet::new();
        for (id, attempts) in &seen.messages {
            let Some((attempt, end, whole)) = messages.get(id).and_then(|state| state.end.as_ref()) else { continue };
            for written in attempts.iter().filter(|written| written.attempt == *attempt) {
                // The log lacks text that a crashed node showed if the message was not retried.
                let lost = !whole && written.text.starts_with(end);
                if !end.starts_with(&written.text) && !lost && reported.insert(id) {
                    let text = &written.text;
                    self.violations
                        .push(format!("{name} was shown {text:?} of {id}, attempt {attempt}, which became {end:?}"));
                }
            }
        }
    }
}

/// Returns whether a seen event equals the event in the log before a redaction.
fn is_before_redaction(seen: &str, stored: &str) -> bool {
    let read = |frame| serde_json::from_str::<Event>(frame).ok();
    let (Some(seen), Some(stored)) = (read(seen), read(stored)) else { return false };
    let identity = |event: &Event| (event.seq, event.at, event.by.clone(), event.cause.clone());
    stored.redacted.is_some() && seen.redacted.is_none() && identity(&seen) == identity(&stored)
}

/// Returns the first difference between two values: a JSON pointer (RFC 6901) and the two values at that location.
fn difference(seen: Option<&Value>, expected: Option<&Value>, at: &str) -> Option<String> {
    let child = |key: &str, seen, expected| difference(seen, expected, &format!("{at}/{key}"));
    match (seen, expected) {
        (seen, expected) if seen == expected => None,
        (Some(Value::Object(seen)), Some(Value::Object(expected))) => {
            let mut keys = seen.keys().chain(expected.keys());
            keys.find_map(|key| child(key, seen.get(key), expected.get(key)))
        }
        (Some(Value::Array(seen)), Some(Value::Array(expected))) => {
            let len = seen.len().max(expected.len());
            (0..len).find_map(|index| child(&index.to_string(), seen.get(index), expected.get(index)))
        }
        _ => {
            let [seen, expected] = [seen, expected].map(|value| value.map_or("nothing".into(), Value::to_string));
            Some(format!("{at} is\n    {seen}\n  and should be\n    {expected}"))
        }
    }
}

/// Returns the fold of the log at each seq for which a viewer got a snapshot.
fn snapshots<'s>(
    session: SessionId,
    events: &[Event],
    viewers: impl Iterator<Item = &'s ObservedLog>,
) -> BTreeMap<u64, Value> {
    let segments = viewers.flat_map(|seen| seen.discarded.iter().chain([&seen.current]));
    let wanted: HashSet<u64> = segments.filter(|one| one.snapshot.is_some()).map(|one| one.after).collect();
    let mut state = State::new(session);
    let views = events.iter().filter_map(|event| {
        kernel::evolve(&mut state, event);
        wanted.contains(&event.seq).then(|| Some((event.seq, serde_json::to_value(state.view()).ok()?))).flatten()
    });
    views.collect()
}
