//! Typed arguments of tools: their JSON Schema for models, and parsing of the values that a model sends.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::ToolError;

/// Returns the JSON Schema of the arguments, without keywords that some providers reject.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("title");
        // Some providers require `properties` even if there are no arguments.
        schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    for argument in schema["properties"].as_object_mut().into_iter().flat_map(|arguments| arguments.values_mut()) {
        argument.as_object_mut().and_then(|argument| argument.remove("format"));
    }
    schema
}

/// Parses the arguments.
///
/// # Errors
/// Fails with `arguments_invalid` and the parser's message.
pub(super) fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, ToolError> {
    serde_json::from_value(arguments).map_err(|error| ToolError::new("arguments_invalid", error.to_string()))
}
