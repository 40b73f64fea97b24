//! Spans of traces. The ids of a run's spans are derived from the session and the run, so that every node, before and
//! after every restart, writes into the same trace without passing a context.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::kernel::{RunId, SessionId};

/// Trace of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    session: SessionId,
    run: RunId,
}

/// Id of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanId([u8; 8]);

/// Span: an operation with a start and an end.
#[derive(Debug, Clone)]
pub struct Span {
    /// Trace of the run that the span belongs to.
    pub trace: Trace,
    /// Id of the span.
    pub id: SpanId,
    /// Span that contains this one. Absent for the run itself.
    pub parent: Option<SpanId>,
    /// Name of the operation: `run`, `step`, `turn`, `gate`, `command` or `append`.
    pub name: &'static str,
    /// Start and end, in nanoseconds since 1970.
    pub time: (u64, u64),
    /// Attributes. They never contain message texts.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// Code of the error, if the operation failed.
    pub failed: Option<Arc<str>>,
}

/// Value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// Name or code.
    Name(Arc<str>),
    /// Count or size.
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
    /// Returns the trace of a run.
    pub fn of(session: SessionId, run: RunId) -> Self {
        Self { session, run }
    }

    /// Returns the id of a span, derived from its name and two numbers that are unique among the spans of this name.
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
    /// Encodes the span as OTLP JSON.
    pub(super) fn json(&self) -> Value {
        let mut span = json!({
            "traceId": hex(&self.trace.digest::<16>(&[])),
            "spanId": hex(&self.id.0),
            "name": self.name,
            // 3: client of the model's server; 1: internal operation.
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

/// Encodes an attribute as OTLP JSON, in which 64-bit numbers are strings.
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
