//! Schema of values whose structure the caller chooses.

use schemars::{Schema, SchemaGenerator, json_schema};

/// Returns a schema that any JSON value matches. It names all types, because client generators assume an object if a
/// schema has none.
pub(crate) fn any_json(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["object", "array", "string", "number", "boolean", "null"] })
}
