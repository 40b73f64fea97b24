//! The part of a session that one viewer saw over all its connections, checked as it arrives: one order, no gap, no
//! repeat, deltas in order.

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
    pub item: Option<&'a str>,
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

/// The text of an item, as far as its deltas arrived.
#[derive(Debug, Clone)]
pub struct ObservedText {
    pub attempt: u32,
    pub text: String,
    pub over: bool,
    /// The connection on which it last began.
    connection: u32,
}

/// The relevant fields of an event about an item.
#[derive(Deserialize)]
struct About<'a> {
    message: &'a str,
    #[serde(default)]
    attempt: u32,
}

/// Events without a gap, from the beginning or from a snapshot.
#[derive(Debug, Default)]
pub struct LogSegment {
    /// The seq before the first one.
    pub after: u64,
    /// The session at that seq, if they began with a snapshot.
    pub snapshot: Option<Value>,
    /// Their frames, byte for byte.
    pub events: Vec<String>,
}

/// The part of a snapshot with the items in progress.
#[derive(Deserialize)]
struct Running<'a> {
    #[serde(borrow)]
    message: &'a str,
    attempt: u32,
}

/// Everything one viewer saw.
#[derive(Debug, Default)]
pub struct ObservedLog {
    /// Events that it has discarded.
    pub forgotten: Vec<LogSegment>,
    /// Events that it has.
    pub has: LogSegment,
    /// True if it has nothing and requests a snapshot.
    forgetful: bool,
    /// The text of every item, for each attempt that showed text.
    pub items: HashMap<String, Vec<ObservedText>>,
    /// Descriptions of the violations found.
    pub wrong: Vec<String>,
    pub connections: u32,
    pub fragments: u64,
}

impl ObservedLog {
    /// Returns the seq of the last event that it has.
    pub fn seq(&self) -> u64 {
        self.has.after + self.has.events.len() as u64
    }

    /// Returns the position that it sends when it reconnects.
    pub fn after(&self) -> Option<u64> {
        (!self.forgetful).then(|| self.seq())
    }

    /// Discards everything.
    pub fn forget(&mut self) {
        self.forgetful = true;
    }

    fn begin(&mut self, snapshot: &Snapshot) {
        let Ok(state) = serde_json::from_str::<Value>(snapshot.state.get()) else {
            return self.record_violation("a snapshot that is no JSON".into());
        };
        // The text so far of running items follows.
        let items = state["run"]["items"].to_string();
        let running = serde_json::from_str::<Vec<Running>>(&items).unwrap_or_default();
        for written in self.items.values_mut().flatten() {
            written.over = true;
        }
        for Running { message, attempt } in running {
            let text = String::new();
            let written = ObservedText { attempt, text, over: false, connection: self.connections };
            self.items.entry(message.to_owned()).or_default().push(written);
        }
        self.forgetful = false;
        let next = LogSegment { after: snapshot.seq, snapshot: Some(state), events: vec![] };
        self.forgotten.push(std::mem::replace(&mut self.has, next));
    }

    /// Accepts the next frame of the connection.
    pub fn receive(&mut self, text: &str, frame: &Frame) {
        match frame.kind {
            "event" => self.event(text, frame),
            "delta" => self.fragment(frame),
            "caught_up" if frame.through != Some(self.seq()) => {
                self.record_violation(format!(
                    "caught up through {:?}, with events up to {}",
                    frame.through,
                    self.seq()
                ));
            }
            "joined" => match (&frame.snapshot, self.forgetful) {
                (Some(snapshot), true) => self.begin(snapshot),
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

    fn event(&mut self, text: &str, frame: &Frame) {
        if frame.seq != Some(self.seq() + 1) {
            // Reported once, because every later event is out of order, too.
            if !self.wrong.iter().any(|wrong| wrong.starts_with("order")) {
                self.record_violation(format!("order: after {} comes {:?}: {text}", self.seq(), frame.seq));
            }
            return;
        }
        self.has.events.push(text.to_owned());
        let Some(data) = frame.data else { return };
        match frame.event {
            Some("message.started") => {
                if let Ok(About { message, attempt }) = serde_json::from_str(data.get()) {
                    let item = self.items.entry(message.to_owned()).or_default();
                    item.iter_mut().for_each(|written| written.over = true);
                    item.push(ObservedText { attempt, text: String::new(), over: false, connection: self.connections });
                }
            }
            Some("message.completed" | "message.aborted") => {
                if let Ok(About { message, .. }) = serde_json::from_str(data.get()) {
                    let item = self.items.entry(message.to_owned()).or_default();
                    item.iter_mut().for_each(|written| written.over = true);
                }
            }
            _ => {}
        }
    }

    fn fragment(&mut self, frame: &Frame) {
        let at = frame.at.and_then(|at| at.get().parse::<usize>().ok());
        let (Some(item), Some(attempt), Some(at), Some(text)) = (frame.item, frame.attempt, at, &frame.text) else {
            return self.record_violation("a delta without its fields".into());
        };
        self.fragments += 1;
        let connection = self.connections;
        let last = self.items.get_mut(item).and_then(|item| item.last_mut());
        let Some(written) = last else {
            return self.record_violation(format!("a delta of {item}, which was not begun"));
        };
        let wrong = if written.over || written.attempt != attempt {
            Some(format!("is over or of another attempt ({})", written.attempt))
        } else if at == written.text.len() {
            written.text.push_str(text);
            None
        } else if at == 0 && text.starts_with(&written.text) {
            // A viewer that joins or has fallen behind gets the text so far.
            (written.text, written.connection) = (text.clone().into_owned(), connection);
            None
        } else if at == 0 && written.connection != connection && written.text.starts_with(&**text) {
            // The text is from a node that has received less of it; its next fragments continue from there.
            (written.text, written.connection) = (text.clone().into_owned(), connection);
            None
        } else {
            Some(format!("does not continue {} bytes: {text:?}", written.text.len()))
        };
        if let Some(wrong) = wrong {
            self.record_violation(format!(
                "a delta of {item}, attempt {attempt}, at {at}, seq {}: {wrong}",
                self.seq()
            ));
        }
    }

    fn record_violation(&mut self, wrong: String) {
        self.wrong.push(format!("[connection {}] {wrong}", self.connections));
    }
}
