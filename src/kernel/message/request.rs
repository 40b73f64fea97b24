//! Data that a program sends with the message of a run.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Rejection;
use crate::schema::bounds::{ValueBounds, ValueError};
use crate::schema::output_schema::OutputSchema;

/// Data that a program sends with the message of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct MessageRequest {
    /// Data for prompt templates, as `{context.KEY}`, at most 65536 bytes of JSON in at most 16 levels. Default: none.
    /// Example: `{"region":"eu"}`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// JSON Schema (2020-12) that the structured output of the run must match, at most 65536 bytes of JSON in at most
    /// 32 levels. Absent: the run has no such output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Maximum duration of the run in seconds, 1 to 86400; after that, the run fails with `run_timeout`. Time during
    /// pauses and open gates counts. Absent: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u32>,
}

impl MessageRequest {
    /// Bounds of the context.
    pub const CONTEXT: ValueBounds = ValueBounds { max_bytes: 64 << 10, max_depth: 16 };
    /// Bounds of the output schema.
    pub const OUTPUT_SCHEMA: ValueBounds = ValueBounds { max_bytes: 64 << 10, max_depth: 32 };
    /// Maximum of `timeout_seconds`.
    pub const MAX_TIMEOUT_SECONDS: u32 = 86_400;
    /// Maximum number of bytes in a request, as JSON.
    pub const MAX_BYTES: usize = Self::CONTEXT.max_bytes + Self::OUTPUT_SCHEMA.max_bytes;

    /// Returns the request with these parts; `None` if all are absent.
    pub fn of(
        context: Map<String, Value>,
        output_schema: Option<Value>,
        timeout_seconds: Option<u32>,
    ) -> Option<Arc<Self>> {
        let request = Self { context, output_schema, timeout_seconds };
        (request != Self::default()).then(|| Arc::new(request))
    }

    /// Checks the sizes of the parts. The error names the part.
    pub fn check_bounds(&self) -> Result<(), (&'static str, ValueError)> {
        Self::CONTEXT.check(&self.context).map_err(|error| ("context", error))?;
        let schema = self.output_schema.as_ref();
        schema.map_or(Ok(()), |schema| Self::OUTPUT_SCHEMA.check(schema)).map_err(|error| ("output_schema", error))
    }

    /// Checks the sizes of the parts, and that output can be checked against the schema.
    pub(crate) fn check(&self) -> Result<(), Rejection> {
        self.check_bounds().map_err(|(part, error)| Rejection::Invalid(format!("{part}: {error}").into()))?;
        if self.timeout_seconds.is_some_and(|seconds| !(1..=Self::MAX_TIMEOUT_SECONDS).contains(&seconds)) {
            let message = format!("timeout_seconds must be between 1 and {}", Self::MAX_TIMEOUT_SECONDS);
            return Err(Rejection::Invalid(message.into()));
        }
        let schema = self.output_schema.as_ref().map_or(Ok(()), |schema| OutputSchema::compile(schema).map(drop));
        schema.map_err(|message| Rejection::Invalid(format!("output_schema: {message}").into()))
    }
}
