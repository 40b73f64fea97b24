//! Settings of the log and of traces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Log on standard error. It never contains secrets or message texts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LogSettings {
    /// Level: `error`, `warn`, `info` (default), `debug` or `trace`, or levels by module as in
    /// `info,roundtable::store=debug`. `RUST_LOG` has precedence.
    pub filter: String,
    /// True to write one JSON object per line. Default false.
    pub json: bool,
    /// URL of an OpenTelemetry collector that accepts traces over HTTP, for example `http://127.0.0.1:4318`. If absent,
    /// there are no traces.
    pub otlp_endpoint: Option<String>,
    /// Milliseconds from which an operation is slow, so that a warning is logged: a database statement, an append, a
    /// command, also on another node, or messages to other nodes. A series of slow operations is logged seldom. 0 for
    /// no warnings. At most 600000, default 1000.
    #[schemars(range(min = 0, max = 600_000))]
    pub slow_operation_ms: u64,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { filter: "info".into(), json: false, otlp_endpoint: None, slow_operation_ms: 1_000 }
    }
}
