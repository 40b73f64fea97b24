//! A piece of a trace. The ids of a run's spans follow from the session and the run, so that every node, before and after
//! every restart, writes into the same trace without anything being handed on.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::kernel::{RunId, SessionId};

/// A run, as traces know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    session: SessionId,
    run: RunId,
}

/// A span's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanId([u8; 8]);

/// Something that took time.
#[derive(Debug, Clone)]
pub struct Span {
    /// The run that it belongs to.
    pub trace: Trace,
    /// Its own id.
    pub id: SpanId,
    /// What it is a part of; absent for the run itself.
    pub parent: Option<SpanId>,
    /// What it is: `run`, `step`, `turn`, `gate`, `command`, `append`.
    pub name: &'static str,
    /// When it began and ended, in nanoseconds since 1970.
    pub time: (u64, u64),
    /// What there is to say. Never anybody's words.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// The code of what went wrong.
    pub failed: Option<Arc<str>>,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// A name or a code.
    Name(Arc<str>),
    /// A number.
    Number(u64),
}

impl From<&str> for Attribute {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl From<u64> for Attribute {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl Trace {
    /// The trace of a run.
    pub fn of(session: SessionId, run: RunId) -> Self {
        Self { session, run }
    }

    /// The id of one of its spans: its name, and two numbers that no other span of this name has.
    pub fn span(&self, name: &str, number: u64, attempt: u32) -> SpanId {
        SpanId(self.digest(&[name.as_bytes(), &number.to_be_bytes(), &attempt.to_be_bytes()]))
    }

    fn digest<const N: usize>(&self, parts: &[&[u8]]) -> [u8; N] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.session.0.as_bytes()).update(&self.run.0.to_be_bytes());
        for part in parts {
            hasher.update(part);
        }
        let mut id = [0; N];
        id.copy_from_slice(&hasher.finalize().as_bytes()[..N]);
        id
    }
}

impl Span {
    /// As OTLP writes it in JSON.
    pub(super) fn json(&self) -> Value {
        let mut span = json!({
            "traceId": hex(&self.trace.digest::<16>(&[])),
            "spanId": hex(&self.id.0),
            "name": self.name,
            // A client of the model's server, or a part of this one.
            "kind": if self.name == "turn" { 3 } else { 1 },
            "startTimeUnixNano": self.time.0.to_string(),
            "endTimeUnixNano": self.time.1.to_string(),
            "attributes": self.attributes.iter().map(|(key, value)| attribute(key, value)).collect::<Vec<_>>(),
        });
        if let Some(parent) = &self.parent {
            span["parentSpanId"] = hex(&parent.0).into();
        }
        if let Some(code) = &self.failed {
            span["status"] = json!({ "code": 2, "message": code });
        }
        span
    }
}

/// As OTLP writes it in JSON, where 64-bit numbers are texts.
pub(super) fn attribute(key: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Name(name) => json!({ "stringValue": name }),
        Attribute::Number(number) => json!({ "intValue": number.to_string() }),
    };
    json!({ "key": key, "value": value })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
