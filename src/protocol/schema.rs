//! JSON Schema of every frame and command, generated from the types.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

use super::{CallProgress, ClientFrame, CommandData, ErrorBody, Liveness, Presence, ServerFrame};

/// Properties with the content of a variant: the property with the name of the variant, the one with its content, and
/// the description of the content.
const CONTENTS: [(&str, &str, &str); 3] = [
    ("do", "data", "Arguments of the command."),
    ("event", "data", "Fields of the event."),
    ("kind", "id", "Id of the agent or participant, or name of the role."),
];

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
pub fn schema() -> Value {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<WireSchema>();
    let mut schema = schema.to_value();
    describe_contents(&mut schema);
    schema
}

/// Describes the properties that contain the content of a variant. They have no doc comment of their own, because they
/// are not fields of a type.
pub(crate) fn describe_contents(schema: &mut Value) {
    match schema {
        Value::Object(schema) => {
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                for (tag, content, description) in CONTENTS {
                    let is_variant = properties.get(tag).is_some_and(|tag| tag.get("const").is_some());
                    if let Some(Value::Object(content)) = properties.get_mut(content).filter(|_| is_variant) {
                        content.entry("description").or_insert_with(|| description.into());
                    }
                }
            }
            schema.values_mut().for_each(describe_contents);
        }
        Value::Array(parts) => parts.iter_mut().for_each(describe_contents),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
