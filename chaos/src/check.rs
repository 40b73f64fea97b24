//! Checks of a session at the end of a seed.

use std::collections::{BTreeMap, HashMap, HashSet};

use roundtable::kernel::gate::Gate;
use roundtable::kernel::{self, Cause, Event, Fact, Phase, SessionId, State};

use serde_json::Value;

use crate::audit::StoredLog;
use crate::call_counts::CallCounts;
use crate::command_log::Entry;
use crate::commands::mark;
use crate::laws;
use crate::observed_log::{LogSegment, ObservedLog};

/// State of an item.
#[derive(Default)]
struct Item {
    attempt: u32,
    /// End of the item: the attempt, its text, and whether the text is complete.
    end: Option<(u32, String, bool)>,
}

/// Problems found in one session.
pub struct Check<'a> {
    pub session: SessionId,
    pub kept: &'a StoredLog,
    pub command_log: &'a BTreeMap<String, Entry>,
    /// Counts of the calls in all logs.
    pub call_counts: &'a mut CallCounts,
    /// The session as each node shows it at the end, and an export of it.
    pub shown: Vec<(String, String)>,
    pub wrong: Vec<String>,
}

impl Check<'_> {
    /// Checks the log, its commands, and what these viewers have seen of it.
    pub fn all<'s>(mut self, viewers: impl Iterator<Item = (String, &'s ObservedLog)>) -> Vec<String> {
        self.kept.strangers.iter().for_each(|stranger| self.wrong.push(stranger.clone()));
        let events: Vec<Event> = self
            .kept
            .frames
            .iter()
            .filter_map(|frame| {
                serde_json::from_str(frame).map_err(|_| self.wrong.push(format!("no event: {frame}"))).ok()
            })
            .collect();
        for (at, event) in events.iter().enumerate() {
            if event.seq != at as u64 + 1 {
                self.wrong.push(format!("seq {} at place {}", event.seq, at + 1));
            }
        }
        let items = self.items(&events);
        self.wrong.extend(laws::violations(self.session, &events));
        self.call_counts.read(&events);
        self.commands(&events);
        self.rests(&events);
        self.redacted(&events);
        let viewers: Vec<_> = viewers.collect();
        let snapshots = snapshots(self.session, &events, viewers.iter().map(|(_, seen)| *seen));
        for (name, seen) in viewers {
            self.wrong.extend(seen.wrong.iter().map(|wrong| format!("{name}: {wrong}")));
            self.saw(&name, seen, &items, &snapshots);
        }
        let session = self.session;
        self.wrong.into_iter().map(|wrong| format!("{session}: {wrong}")).collect()
    }

    /// Attempts increase, and an item ends once, with its newest attempt.
    fn items(&mut self, events: &[Event]) -> HashMap<String, Item> {
        let mut items: HashMap<String, Item> = HashMap::new();
        for Event { seq, fact, .. } in events {
            let wrong = match fact {
                Fact::MessageStarted { message, attempt, .. } => {
                    let item = items.entry(message.to_string()).or_default();
                    let wrong = *attempt <= item.attempt || item.end.is_some();
                    item.attempt = *attempt;
                    wrong
                }
                Fact::MessageCompleted { message, attempt, text, .. }
                | Fact::MessageAborted { message, attempt, text, .. } => {
                    let item = items.entry(message.to_string()).or_default();
                    let wrong = item.end.is_some() || *attempt != item.attempt;
                    item.end = Some((*attempt, text.to_string(), matches!(fact, Fact::MessageCompleted { .. })));
                    wrong
                }
                _ => false,
            };
            if wrong {
                self.wrong.push(format!("seq {seq}: an item that is over, or of another attempt: {fact:?}"));
            }
        }
        items
    }

    /// Every command counts at most once, and exactly once if it was acknowledged.
    fn commands(&mut self, events: &[Event]) {
        let mut applied: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        // After a vote that approves a command, the events of that command follow. Their cause is the decision.
        let (mut asked, mut let_through) = (HashSet::new(), HashMap::new());
        for event in events {
            let id = match &event.cause {
                Some(Cause::Command(id)) => Some(id.as_str()),
                Some(Cause::Seq(decision)) => let_through.get(decision).copied(),
                None => None,
            };
            match (&event.fact, id) {
                (Fact::GateOpened { gate }, _) if gate.command.is_some() => drop(asked.insert(gate.id)),
                (Fact::GateDecided { gate, .. }, Some(id)) if asked.contains(gate) => {
                    let_through.insert(event.seq, id);
                }
                _ => {}
            }
            if let Some(id) = id {
                applied.entry(id).or_default().push(event.seq);
            }
        }
        let receipts: HashMap<(&str, &str), u64> =
            self.kept.receipts.iter().map(|(actor, command, seq)| ((&**actor, &**command), *seq)).collect();
        let by_command: HashMap<&str, u64> = receipts.iter().map(|((_, command), seq)| (*command, *seq)).collect();
        for (command, seqs) in &applied {
            let (gapless, receipt) =
                (seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), by_command.get(command).copied());
            if !gapless || seqs.last().copied() != receipt {
                self.wrong.push(format!("{command} is applied at {seqs:?}, its receipt says {receipt:?}"));
            }
        }
        let session = self.session.to_string();
        for (id, entry) in self.command_log.iter().filter(|(_, entry)| entry.session == session) {
            let receipt = receipts.get(&(&*entry.actor, &**id)).copied();
            let counted = applied.contains_key(&**id);
            if entry.acks.iter().any(|seq| Some(*seq) != receipt)
                || (!entry.acks.is_empty() && !counted && !entry.may_change_nothing)
            {
                self.wrong.push(format!("{id} was acknowledged as {:?}; its receipt says {receipt:?}", entry.acks));
            }
            if counted && entry.refusals.iter().any(|code| code == "target_over") {
                self.wrong.push(format!("{id} was refused since its target was over, and counted all the same"));
            }
            if entry.insists && !entry.is_answered() {
                self.wrong.push(format!("{id} was sent {} times and never answered", entry.sent));
            }
        }
    }

    /// Every run has ended or waits for people.
    fn rests(&mut self, events: &[Event]) {
        let mut state = State::new(self.session);
        events.iter().for_each(|event| kernel::evolve(&mut state, event));
        if let Some(run) = state.view().active_run() {
            let waits = run.phase == Phase::Waiting && state.view().gates.iter().any(Gate::holds_work);
            if !waits && run.phase != Phase::Paused {
                self.wrong.push(format!("a run stands still: {:?} at seq {}", run.phase, state.seq()));
            }
        }
    }

    /// Redacted content is nowhere.
    fn redacted(&mut self, events: &[Event]) {
        let said = |message| {
            let posted =
                |event: &&Event| matches!(event.fact, Fact::MessagePosted { message: of, .. } if of == message);
            let cause = events.iter().find(posted)?.cause.clone()?;
            if let Cause::Command(id) = cause { Some(mark(id.as_str())) } else { None }
        };
        let places = [("the log", self.kept.frames.concat()), ("the kept state", self.kept.snapshot.clone())];
        let places = places.map(|(place, text)| (place.to_owned(), text));
        for event in events {
            let Fact::MessageRedacted { message, .. } = event.fact else { continue };
            let Some(mark) = said(message) else { continue };
            self.call_counts.redactions += 1;
            for (place, _) in places.iter().chain(&self.shown).filter(|(_, text)| text.contains(&mark)) {
                self.wrong.push(format!("seq {}: {mark} of {message} was redacted and is in {place}", event.seq));
            }
        }
    }

    /// Events without a gap equal the log, and the snapshot before them equals the fold of the log up to there.
    fn stretch(&mut self, name: &str, stretch: &LogSegment, snapshots: &BTreeMap<u64, Value>) {
        let LogSegment { after, snapshot, events } = stretch;
        let kept = self.kept.frames.get(*after as usize..).unwrap_or_default();
        if events.len() > kept.len() {
            self.wrong.push(format!(
                "{name} saw {} events after {after}, and the log has {}",
                events.len(),
                kept.len()
            ));
        }
        let differs =
            |(_, (seen, kept)): &(usize, (&String, &String))| seen != kept && !is_before_redaction(seen, kept);
        if let Some((at, (seen, kept))) = events.iter().zip(kept).enumerate().find(differs) {
            let seq = *after as usize + at + 1;
            self.wrong.push(format!("{name} saw at seq {seq}\n    {seen}\n  and the log has\n    {kept}"));
        }
        // A snapshot from before a redaction can contain text that the log no longer has.
        let later = kept.iter().filter_map(|frame| serde_json::from_str::<Event>(frame).ok());
        let is_whole = !later.into_iter().any(|event| event.fact.is_redaction());
        let differs =
            snapshot.as_ref().filter(|_| is_whole).and_then(|seen| difference(Some(seen), snapshots.get(after), ""));
        if let Some(differs) = differs {
            let wrong = format!("{name} got a snapshot at seq {after} that is not what the log makes up to there");
            self.wrong.push(format!("{wrong}: {differs}"));
        }
    }

    /// The log of a viewer equals the log, and the text shown of an item is a prefix of its final text.
    fn saw(&mut self, name: &str, seen: &ObservedLog, items: &HashMap<String, Item>, snapshots: &BTreeMap<u64, Value>) {
        for stretch in seen.forgotten.iter().chain([&seen.has]) {
            self.stretch(name, stretch, snapshots);
        }
        if seen.seq() != self.kept.frames.len() as u64 {
            let kept = self.kept.frames.len();
            self.wrong.push(format!("{name} saw events up to {}, and the log has {kept}", seen.seq()));
        }
        let mut blamed = HashSet::new();
        for (id, attempts) in &seen.items {
            let Some((attempt, end, whole)) = items.get(id).and_then(|item| item.end.as_ref()) else { continue };
            for written in attempts.iter().filter(|written| written.attempt == *attempt) {
                // The log lacks text that a crashed node showed if the item was not retried.
                let lost = !whole && written.text.starts_with(end);
                if !end.starts_with(&written.text) && !lost && blamed.insert(id) {
                    let text = &written.text;
                    self.wrong
                        .push(format!("{name} was shown {text:?} of {id}, attempt {attempt}, which became {end:?}"));
                }
            }
        }
    }
}

/// Returns whether a seen event equals the event in the log before a redaction.
fn is_before_redaction(seen: &str, kept: &str) -> bool {
    let read = |frame| serde_json::from_str::<Event>(frame).ok();
    let (Some(seen), Some(kept)) = (read(seen), read(kept)) else { return false };
    let of = |event: &Event| (event.seq, event.at, event.by.clone(), event.cause.clone());
    kept.redacted.is_some() && seen.redacted.is_none() && of(&seen) == of(&kept)
}

/// Returns the first difference of two values: a JSON pointer (RFC 6901), and both values there.
fn difference(seen: Option<&Value>, made: Option<&Value>, at: &str) -> Option<String> {
    let inside = |key: &str, seen, made| difference(seen, made, &format!("{at}/{key}"));
    match (seen, made) {
        (seen, made) if seen == made => None,
        (Some(Value::Object(seen)), Some(Value::Object(made))) => {
            let mut keys = seen.keys().chain(made.keys());
            keys.find_map(|key| inside(key, seen.get(key), made.get(key)))
        }
        (Some(Value::Array(seen)), Some(Value::Array(made))) => {
            let longer = seen.len().max(made.len());
            (0..longer).find_map(|index| inside(&index.to_string(), seen.get(index), made.get(index)))
        }
        _ => {
            let [seen, made] = [seen, made].map(|value| value.map_or("nothing".into(), Value::to_string));
            Some(format!("{at} is\n    {seen}\n  and should be\n    {made}"))
        }
    }
}

/// Returns the fold of the log at each seq for which someone got a snapshot.
fn snapshots<'s>(
    session: SessionId,
    events: &[Event],
    viewers: impl Iterator<Item = &'s ObservedLog>,
) -> BTreeMap<u64, Value> {
    let stretches = viewers.flat_map(|seen| seen.forgotten.iter().chain([&seen.has]));
    let wanted: HashSet<u64> = stretches.filter(|one| one.snapshot.is_some()).map(|one| one.after).collect();
    let mut state = State::new(session);
    let views = events.iter().filter_map(|event| {
        kernel::evolve(&mut state, event);
        wanted.contains(&event.seq).then(|| Some((event.seq, serde_json::to_value(state.view()).ok()?))).flatten()
    });
    views.collect()
}
