//! JSON Schema of every frame and command, generated from the types.

use schemars::{JsonSchema, generate::SchemaSettings};

use super::{CallProgress, ClientFrame, CommandData, ErrorBody, Liveness, Presence, ServerFrame};

/// All types of the wire protocol.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct WireSchema {
    /// Frame from a client.
    client: ClientFrame,
    /// Command with its arguments.
    command: CommandData,
    /// Frame from the server.
    server: ServerFrame,
    /// Error, over the socket and over HTTP.
    error: ErrorBody,
    /// Data of a `presence` signal.
    presence: Presence,
    /// Data of a `liveness` signal.
    liveness: Liveness,
    /// Data of a `progress` signal.
    progress: CallProgress,
}

/// Returns the JSON Schema (draft 2020-12) whose `$defs` contain every frame.
pub fn schema() -> serde_json::Value {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<WireSchema>();
    schema.to_value()
}
