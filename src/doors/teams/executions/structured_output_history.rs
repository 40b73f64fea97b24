//! History of the structured output of an execution: every request for it, from the log of the execution's session.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::newest_entries::NewestEntries;
use super::projection::error_code;
use super::structured_outcome::{SchemaValidation, StructuredOutcome, StructuredOutputVersion};
use crate::doors::wording::error_text;
use crate::kernel::flow::STRUCTURE;
use crate::kernel::{Actor, Event, Fact, Language, MessageId, RunId, Timestamp, truncate_middle};
use crate::openapi::any_json;

/// Maximum number of entries in a response.
const MAX_ENTRIES: usize = 20;
/// Maximum number of bytes of all entries in a response. The newest entry alone can be larger.
const MAX_BYTES: usize = 2 << 20;
/// Maximum number of bytes of an output that does not match its schema. The middle of a longer output is left out.
const MAX_PARTIAL_BYTES: usize = 64 << 10;

/// Status of a request for structured output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StructuredOutputStatus {
    /// The agent is writing.
    Running,
    /// The output matches the schema.
    Valid,
    /// No output matched the schema.
    Invalid,
    /// The run ended for another reason before there was any output.
    Failed,
}

/// Structured output that was requested.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StructuredOutputEntry {
    /// Run that writes the output, in the session of the execution.
    run_id: RunId,
    /// Time of the request.
    requested_at: Timestamp,
    /// Participant who made the request.
    requested_by: Actor,
    /// Time of the output, or of the end of a run without output. Null while the agent is writing.
    timestamp: Option<Timestamp>,
    /// Status of the request.
    status: StructuredOutputStatus,
    /// JSON Schema of the request. Null if it was erased.
    #[schemars(schema_with = "any_json")]
    output_schema: Value,
    /// The output. Null if there is none, or if it was erased.
    #[schemars(schema_with = "any_json")]
    structured_output: Value,
    /// Result of the check. Null unless the status is `valid` or `invalid`.
    schema_validation: Option<SchemaValidation>,
    /// Last output that did not match the schema, if the status is `invalid`. A string if the output contained no JSON,
    /// or if it had more than 65536 bytes, in which case its middle is left out. Null with any other status, or if the
    /// output was erased.
    #[schemars(schema_with = "any_json")]
    partial_output: Value,
    /// File of the session with the output. Null if there is none, for example because the session had no room for it,
    /// or if the file was erased.
    file: Option<StructuredOutputVersion>,
    /// Code of the error if the status is `failed`, otherwise null. Example: `EXECUTION_CANCELLED`.
    error_code: Option<Arc<str>>,
    /// Explanation of the error for people if the status is `failed`, otherwise null.
    error_message: Option<Arc<str>>,
    /// True if the output or its violations of the schema were erased.
    redacted: bool,
}

/// Message that can start a run.
struct StructuredOutputRequestMessage {
    id: MessageId,
    by: Actor,
    at: Timestamp,
    schema: Option<Value>,
}

/// History of the structured output in a log.
pub(super) struct StructuredOutputHistory {
    language: Language,
    posted: Option<StructuredOutputRequestMessage>,
    current: Option<(RunId, StructuredOutputRequestMessage, StructuredOutcome)>,
    entries: NewestEntries<StructuredOutputEntry>,
}

impl StructuredOutputHistory {
    /// Creates the history before the first event. Error messages are in this language.
    pub(super) fn new(language: Language) -> Self {
        Self { language, posted: None, current: None, entries: NewestEntries::new(MAX_ENTRIES) }
    }

    /// Applies the next event of the log.
    pub(super) fn take(&mut self, event: &Event) {
        match &event.fact {
            Fact::MessagePosted { message, request, .. } => {
                let schema = request.as_ref().and_then(|request| request.output_schema.clone());
                let (by, at) = (event.by.clone(), event.at);
                self.posted = Some(StructuredOutputRequestMessage { id: *message, by, at, schema });
            }
            Fact::RunStarted { run, flow, input, .. } => {
                // A redacted request has lost its schema, so its run is identified by the flow.
                let posted = self.posted.take().filter(|posted| posted.id == *input);
                let posted = posted.filter(|posted| posted.schema.is_some() || **flow == *STRUCTURE);
                self.current = posted.map(|posted| (*run, posted, StructuredOutcome::default()));
            }
            // Other facts concern the outcome of the run.
            _ => {}
        }
        if let Some((_, _, outcome)) = &mut self.current {
            outcome.take(event);
            if outcome.is_over {
                self.close();
            }
        }
    }

    /// Adds the entry of the current run, if there is one.
    fn close(&mut self) {
        let Some((run, request, outcome)) = self.current.take() else { return };
        let status = match &outcome {
            StructuredOutcome { output: Some(_), .. } => StructuredOutputStatus::Valid,
            StructuredOutcome { is_over: false, .. } => StructuredOutputStatus::Running,
            outcome if outcome.is_invalid() => StructuredOutputStatus::Invalid,
            StructuredOutcome { .. } => StructuredOutputStatus::Failed,
        };
        let (valid, invalid) = (status == StructuredOutputStatus::Valid, status == StructuredOutputStatus::Invalid);
        let partial = outcome.partial_output().filter(|_| invalid);
        let error = outcome.error.filter(|_| status == StructuredOutputStatus::Failed);
        let errors = if invalid { outcome.violations } else { vec![] };
        self.entries.push(StructuredOutputEntry {
            run_id: run,
            requested_at: request.at,
            requested_by: request.by,
            timestamp: (status != StructuredOutputStatus::Running).then_some(outcome.at),
            status,
            output_schema: request.schema.unwrap_or_default(),
            structured_output: outcome.output.unwrap_or_default(),
            schema_validation: (valid || invalid).then_some(SchemaValidation { valid, errors }),
            partial_output: partial.map(shorten).unwrap_or_default(),
            file: outcome.file,
            error_code: error.as_ref().map(error_code),
            error_message: error.map(|error| error_text(&error, self.language)),
            redacted: outcome.redacted,
        });
    }

    /// Returns the number of all requests so far.
    pub(super) fn total(&self) -> u64 {
        self.entries.total + u64::from(self.current.is_some())
    }

    /// Returns the newest entries within the limits, oldest first.
    pub(super) fn into_entries(mut self) -> Vec<StructuredOutputEntry> {
        self.close();
        let mut bytes = 0;
        let fits = |entry: &StructuredOutputEntry| {
            let first = bytes == 0;
            bytes += serde_json::to_string(entry).expect("an entry serializes: its keys are strings").len();
            first || bytes <= MAX_BYTES
        };
        let mut entries: Vec<_> = self.entries.entries.into_iter().rev().take_while(fits).collect();
        entries.reverse();
        entries
    }
}

fn shorten(output: Value) -> Value {
    let text = output.to_string();
    if text.len() <= MAX_PARTIAL_BYTES { output } else { truncate_middle(&text, MAX_PARTIAL_BYTES).into() }
}
