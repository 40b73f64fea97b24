//! Settings of the log and of traces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Log on standard error. It never contains secrets or message texts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LogSettings {
    /// Level: `error`, `warn`, `info` (default), `debug` or `trace`, or levels by module as in
    /// `info,roundtable::store=debug`. `RUST_LOG` takes precedence.
    pub filter: String,
    /// True to write one JSON object per line. Default false.
    pub json: bool,
    /// URL of an OpenTelemetry collector that accepts traces over HTTP, for example `http://127.0.0.1:4318`. If absent,
    /// there are no traces.
    pub otlp_endpoint: Option<String>,
    /// Duration from which an operation counts as slow and a warning is logged, in milliseconds. Operations are
    /// database statements, appends, commands (even on another node) and messages to other nodes. A series of slow
    /// operations is logged only occasionally. 0 disables the warnings. At most 600000, default 1000.
    #[schemars(range(min = 0, max = 600_000))]
    pub slow_operation_ms: u64,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { filter: "info".into(), json: false, otlp_endpoint: None, slow_operation_ms: 1_000 }
    }
}
