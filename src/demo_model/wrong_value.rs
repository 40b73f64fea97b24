//! A value that its schema rejects, for tests of how the server handles it.

use serde_json::{Value, json};

use crate::json_pointer;
use crate::kernel::schema::output_schema::OutputSchema;

/// Maximum number of changes to a value that are tried.
const MAX_TRIES: usize = 500;

/// Returns a value like `value` with one mistake that the schema rejects. Returns `value` itself if the schema accepts
/// every value that is tried.
pub(super) fn wrong_value(schema: &Value, value: &Value) -> Value {
    let Ok(checked) = OutputSchema::compile(schema) else { return json!("mistaken") };
    let mut changes = vec![];
    collect_changes(value, String::new(), &mut changes);
    let mistaken = changes.iter().map(|change| change.apply(value));
    let whole = [json!("mistaken"), json!(null), json!(7), json!([]), json!({})];
    mistaken.chain(whole).find(|value| checked.check(value).is_err()).unwrap_or_else(|| value.clone())
}

/// Change to a part of a value.
enum Change {
    /// Another value for the part at this JSON Pointer.
    Replace(String),
    /// The object at this JSON Pointer without the property of this name.
    Remove(String, String),
}

impl Change {
    fn apply(&self, value: &Value) -> Value {
        let mut value = value.clone();
        match self {
            Self::Replace(at) => value.pointer_mut(at).into_iter().for_each(|part| *part = json!("mistaken")),
            Self::Remove(at, name) => {
                let object = value.pointer_mut(at).and_then(Value::as_object_mut);
                object.into_iter().for_each(|object| drop(object.remove(name)));
            }
        }
        value
    }
}

/// Lists the changes from the inside out, because a wrong leaf is most similar to the mistakes of real models.
fn collect_changes(value: &Value, at: String, changes: &mut Vec<Change>) {
    if changes.len() >= MAX_TRIES {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                collect_changes(field, json_pointer::child(&at, name), changes);
            }
            changes.extend(fields.keys().map(|name| Change::Remove(at.clone(), name.clone())));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_changes(item, format!("{at}/{index}"), changes);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => changes.push(Change::Replace(at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mistake_is_made_where_the_schema_sees_it() {
        let table = [
            (json!({ "properties": { "a": { "enum": ["x"] } } }), json!({ "a": "x" }), json!({ "a": "mistaken" })),
            (json!({ "required": ["a"] }), json!({ "a": "x", "b": 1 }), json!({ "b": 1 })),
            (json!({ "type": "array", "items": { "type": "integer" } }), json!([1, 2]), json!(["mistaken", 2])),
            (json!({ "type": "string" }), json!("x"), json!(null)),
            (json!({}), json!("x"), json!("x")),
        ];
        for (schema, value, wrong) in table {
            assert_eq!(wrong_value(&schema, &value), wrong, "{schema}");
        }
    }
}
