//! Schema of values whose shape the caller chooses.

use schemars::{Schema, SchemaGenerator, json_schema};

/// Returns a schema that any JSON value matches. Without types, generators of clients assume an object.
pub(crate) fn any_json(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["object", "array", "string", "number", "boolean", "null"] })
}
