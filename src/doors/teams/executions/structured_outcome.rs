//! Outcome of a run that writes structured output. Pure: events of the run in, outcome out.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::agent::teams::ExecutionStatus;
use crate::kernel::schema::violation::SchemaViolation;
use crate::kernel::{AttemptError, Event, Fact, Timestamp, schema};

/// Code of the error of a run whose output does not match the schema.
const SCHEMA_GENERATION_FAILED: &str = "schema_generation_failed";

/// Outcome of a run that writes structured output.
#[derive(Default)]
pub(super) struct StructuredOutcome {
    /// Time of the output or, without output, of the end of the run.
    pub(super) at: Timestamp,
    pub(super) is_over: bool,
    pub(super) output: Option<Value>,
    /// File with the output.
    pub(super) file: Option<StructuredOutputVersion>,
    /// Last text that the agent wrote.
    pub(super) text: Option<Arc<str>>,
    pub(super) violations: Vec<SchemaViolation>,
    /// Error that ended the run.
    pub(super) error: Option<AttemptError>,
    /// Error of the latest failed attempt, and whether it is permanent, so that a retry cannot succeed.
    pub(super) failed_attempt: Option<(AttemptError, bool)>,
    /// True if a redaction erased the output, or the violations of the last output.
    pub(super) redacted: bool,
}

/// Result of the check of an output.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::doors::teams) struct SchemaValidation {
    /// True if the output matches the schema.
    pub(super) valid: bool,
    /// Violations of the schema, at most 20.
    pub(super) errors: Vec<SchemaViolation>,
}

/// Version of a file of the session that contains structured output.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct StructuredOutputVersion {
    /// Name of the file. Example: `structured-output.json`.
    pub(super) name: Arc<str>,
    /// Version number, from 1.
    pub(super) version: u32,
}

impl StructuredOutcome {
    /// Applies the next event of the run.
    pub(super) fn take(&mut self, event: &Event) {
        let redacted = event.redacted.is_some();
        match &event.fact {
            Fact::MessageCompleted { text, .. } => self.text = Some(text.clone()),
            Fact::OutputRejected { violations, reason, .. } => {
                let of_whole = violations.is_empty() && !redacted;
                self.violations = if of_whole { vec![SchemaViolation::of_whole(reason)] } else { violations.clone() };
                self.redacted = redacted;
            }
            // Further work, for example on feedback, makes earlier output obsolete.
            Fact::OutputProduced { output, .. } => {
                (self.at, self.output, self.file, self.redacted) = (event.at, Some(output.clone()), None, redacted);
            }
            Fact::FileAdded { name, version, message: Some(_), .. } if !redacted => {
                self.file = Some(StructuredOutputVersion { name: name.clone(), version: *version });
            }
            Fact::AttemptFailed { error, permanent, .. } => self.failed_attempt = Some((error.clone(), *permanent)),
            Fact::RunCancelled { .. } => {
                let message = "the run was cancelled";
                let error = AttemptError { code: "execution_cancelled".into(), message: message.into() };
                self.end(event.at, Some(error));
            }
            // Other facts do not affect the output.
            fact => {
                if let Some((_, error)) = ExecutionStatus::after(fact) {
                    self.end(event.at, error);
                }
            }
        }
    }

    fn end(&mut self, at: Timestamp, error: Option<AttemptError>) {
        (self.is_over, self.error) = (true, error);
        if self.output.is_none() {
            self.at = at;
        }
    }

    /// Returns whether the run failed because no output matched the schema.
    pub(super) fn is_invalid(&self) -> bool {
        self.output.is_none() && self.error.as_ref().is_some_and(|error| &*error.code == SCHEMA_GENERATION_FAILED)
    }

    /// Returns the last text as JSON or, if it contains no JSON, as a string. Returns `None` if no agent wrote any
    /// text, or if the text was erased.
    pub(super) fn partial_output(&self) -> Option<Value> {
        let text = self.text.as_deref().filter(|text| !text.is_empty())?;
        Some(schema::value_in(text).unwrap_or_else(|| text.into()))
    }
}
