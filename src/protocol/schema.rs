//! The JSON Schema of every frame and command, from the types themselves.

use schemars::{JsonSchema, generate::SchemaSettings};

use super::{CallProgress, ClientFrame, CommandData, ErrorBody, Liveness, Presence, ServerFrame};

/// Everything that goes over the wire.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Wire {
    client: ClientFrame,
    command: CommandData,
    server: ServerFrame,
    error: ErrorBody,
    presence: Presence,
    liveness: Liveness,
    progress: CallProgress,
}

/// JSON Schema (draft 2020-12) whose `$defs` hold every frame.
pub fn schema() -> serde_json::Value {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Wire>();
    schema.to_value()
}
