//! The part of a session that one viewer saw over all its connections, checked as it arrives: one order, no gaps, no
//! repeats, and deltas in order.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The relevant fields of a server frame.
#[derive(Deserialize)]
pub struct Frame<'a> {
    #[serde(rename = "type")]
    pub kind: &'a str,
    pub seq: Option<u64>,
    pub event: Option<&'a str>,
    pub run: Option<&'a str>,
    /// Message of a delta; text of an error.
    #[serde(borrow)]
    pub message: Option<Cow<'a, str>>,
    pub attempt: Option<u32>,
    /// Offset of a delta; time of an event.
    pub at: Option<&'a RawValue>,
    #[serde(borrow)]
    pub text: Option<Cow<'a, str>>,
    pub through: Option<u64>,
    pub id: Option<&'a str>,
    pub code: Option<&'a str>,
    pub data: Option<&'a RawValue>,
    #[serde(borrow)]
    pub snapshot: Option<Snapshot<'a>>,
}

/// A session at a seq.
#[derive(Deserialize)]
pub struct Snapshot<'a> {
    seq: u64,
    #[serde(borrow)]
    state: &'a RawValue,
}

/// The text of a message, as far as its deltas have arrived.
#[derive(Debug, Clone)]
pub struct ObservedText {
    pub attempt: u32,
    pub text: String,
    pub is_over: bool,
    /// The connection on which the text last began.
    connection: u32,
}

/// The relevant fields of an event about a message.
#[derive(Deserialize)]
struct MessageEvent<'a> {
    message: &'a str,
    #[serde(default)]
    attempt: u32,
}

/// Events without a gap, starting at the beginning or at a snapshot.
#[derive(Debug, Default)]
pub struct LogSegment {
    /// The seq before the first event.
    pub after: u64,
    /// The session at that seq, if the events began with a snapshot.
    pub snapshot: Option<Value>,
    /// Frames of the events, byte for byte.
    pub events: Vec<String>,
}

/// A running message in a snapshot.
#[derive(Deserialize)]
struct RunningMessage<'a> {
    #[serde(borrow)]
    message: &'a str,
    attempt: u32,
}

/// Everything that one viewer saw.
#[derive(Debug, Default)]
pub struct ObservedLog {
    /// Events that the viewer has discarded.
    pub discarded: Vec<LogSegment>,
    /// Events that the viewer has.
    pub current: LogSegment,
    /// True if the viewer has nothing and requests a snapshot.
    needs_snapshot: bool,
    /// The text of every message, for each attempt that showed text.
    pub messages: HashMap<String, Vec<ObservedText>>,
    /// Descriptions of the violations found.
    pub violations: Vec<String>,
    pub connections: u32,
    pub deltas: u64,
}

impl ObservedLog {
    /// Returns the seq of the last event that the viewer has.
    pub fn seq(&self) -> u64 {
        self.current.after + self.current.events.len() as u64
    }

    /// Returns the position that the viewer sends when it reconnects.
    pub fn after(&self) -> Option<u64> {
        (!self.needs_snapshot).then(|| self.seq())
    }

    /// Discards everything.
    pub fn reset(&mut self) {
        self.needs_snapshot = true;
    }

    fn apply_snapshot(&mut self, snapshot: &Snapshot) {
        let Ok(state) = serde_json::from_str::<Value>(snapshot.state.get()) else {
            return self.record_violation("a snapshot that is no JSON".into());
        };
        // The text so far of each running message follows as a delta.
        let running = state["run"]["running"].to_string();
        let running = serde_json::from_str::<Vec<RunningMessage>>(&running).unwrap_or_default();
        for written in self.messages.values_mut().flatten() {
            written.is_over = true;
        }
        for RunningMessage { message, attempt } in running {
            let text = String::new();
            let written = ObservedText { attempt, text, is_over: false, connection: self.connections };
            self.messages.entry(message.to_owned()).or_default().push(written);
        }
        self.needs_snapshot = false;
        let next = LogSegment { after: snapshot.seq, snapshot: Some(state), events: vec![] };
        self.discarded.push(std::mem::replace(&mut self.current, next));
    }

    /// Accepts the next frame of the connection.
    pub fn receive(&mut self, text: &str, frame: &Frame) {
        match frame.kind {
            "event" => self.apply_event(text, frame),
            "delta" => self.apply_delta(frame),
            "caught_up" if frame.through != Some(self.seq()) => {
                self.record_violation(format!(
                    "caught up through {:?}, with events up to {}",
                    frame.through,
                    self.seq()
                ));
            }
            "joined" => match (&frame.snapshot, self.needs_snapshot) {
                (Some(snapshot), true) => self.apply_snapshot(snapshot),
                (None, false) => {}
                (Some(_), false) => {
                    self.record_violation(format!("asked for what is after {}, and got a snapshot", self.seq()));
                }
                (None, true) => self.record_violation("has nothing, and got no snapshot".into()),
            },
            "error" if frame.code == Some("internal") => self.record_violation(format!("internal error: {text}")),
            _ => {}
        }
    }

    fn apply_event(&mut self, text: &str, frame: &Frame) {
        if frame.seq != Some(self.seq() + 1) {
            // Reported once, because every later event is out of order, too.
            if !self.violations.iter().any(|violation| violation.starts_with("order")) {
                self.record_violation(format!("order: after {} comes {:?}: {text}", self.seq(), frame.seq));
            }
            return;
        }
        self.current.events.push(text.to_owned());
        let Some(data) = frame.data else { return };
        match frame.event {
            Some("message.started") => {
                if let Ok(MessageEvent { message, attempt }) = serde_json::from_str(data.get()) {
                    let attempts = self.messages.entry(message.to_owned()).or_default();
                    attempts.iter_mut().for_each(|written| written.is_over = true);
                    let (text, connection) = (String::new(), self.connections);
                    attempts.push(ObservedText { attempt, text, is_over: false, connection });
                }
            }
            Some("message.completed" | "message.aborted") => {
                if let Ok(MessageEvent { message, .. }) = serde_json::from_str(data.get()) {
                    let attempts = self.messages.entry(message.to_owned()).or_default();
                    attempts.iter_mut().for_each(|written| written.is_over = true);
                }
            }
            _ => {}
        }
    }

    fn apply_delta(&mut self, frame: &Frame) {
        let at = frame.at.and_then(|at| at.get().parse::<usize>().ok());
        let fields = (frame.message.as_deref(), frame.attempt, at, &frame.text);
        let (Some(message), Some(attempt), Some(at), Some(text)) = fields else {
            return self.record_violation("a delta without its fields".into());
        };
        self.deltas += 1;
        let connection = self.connections;
        let last = self.messages.get_mut(message).and_then(|attempts| attempts.last_mut());
        let Some(written) = last else {
            return self.record_violation(format!("a delta of {message}, which has not started"));
        };
        let violation = if written.is_over || written.attempt != attempt {
            Some(format!("is over or of another attempt ({})", written.attempt))
        } else if at == written.text.len() {
            written.text.push_str(text);
            None
        } else if at == 0 && text.starts_with(&written.text) {
            // A viewer that joins or has fallen behind gets the text so far.
            (written.text, written.connection) = (text.clone().into_owned(), connection);
            None
        } else if at == 0 && written.connection != connection && written.text.starts_with(&**text) {
            // This node has received less of the text; its next deltas continue from there.
            (written.text, written.connection) = (text.clone().into_owned(), connection);
            None
        } else {
            Some(format!("does not continue {} bytes: {text:?}", written.text.len()))
        };
        if let Some(violation) = violation {
            self.record_violation(format!(
                "a delta of {message}, attempt {attempt}, at {at}, seq {}: {violation}",
                self.seq()
            ));
        }
    }

    fn record_violation(&mut self, violation: String) {
        self.violations.push(format!("[connection {}] {violation}", self.connections));
    }
}
