//! Names of all settings, derived from the JSON Schema of [`super::Config`].

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::Config;
use crate::spelling;

/// Returns the schema of the whole configuration, with all tables inlined.
pub(super) fn schema() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<Config>().to_value()
}

/// Returns the schema of `name` inside a table. A table with names that the operator chooses, such as `providers`, has
/// one schema for all its names.
pub(super) fn schema_of<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    let table = table_schema(schema)?;
    table["properties"].get(name).or_else(|| table.get("additionalProperties").filter(|free| free.is_object()))
}

/// Returns the schema if it is a table, or the table inside the `anyOf` of an optional one.
pub(super) fn table_schema(schema: &Value) -> Option<&Value> {
    if schema["properties"].is_object() || schema["additionalProperties"].is_object() {
        return Some(schema);
    }
    schema["anyOf"].as_array()?.iter().find_map(table_schema)
}

/// Returns whether the schema accepts values of this JSON type.
pub(super) fn accepts_kind(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(some) => some.iter().any(|one| one == kind),
        _ => schema["anyOf"].as_array().is_some_and(|some| some.iter().any(|one| accepts_kind(one, kind))),
    }
}

/// Returns the values that the schema of an enumeration accepts, or `None` for other settings.
pub(super) fn accepted_values(schema: &Value) -> Option<Vec<&str>> {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::as_str).filter(Option::is_some).collect();
    }
    if let Some(variants) = schema["oneOf"].as_array() {
        let values = variants.iter().map(|variant| match variant["const"].as_str() {
            Some(word) => Some(vec![word]),
            None => accepted_values(variant),
        });
        return Some(values.collect::<Option<Vec<_>>>()?.concat());
    }
    schema["anyOf"].as_array()?.iter().find_map(accepted_values)
}

/// Returns the dotted names of all settings and tables. `*` is a placeholder for a name that the operator chooses.
pub(super) fn setting_names(schema: &Value) -> Vec<String> {
    let mut names = vec![];
    collect_names(schema, "", &mut names);
    names
}

fn collect_names(schema: &Value, prefix: &str, names: &mut Vec<String>) {
    names.extend(Some(prefix.to_owned()).filter(|name| !name.is_empty()));
    let Some(table) = table_schema(schema) else { return };
    let below = |name: &str| if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
    for (name, schema) in table["properties"].as_object().into_iter().flatten() {
        collect_names(schema, &below(name), names);
    }
    if let Some(free) = table.get("additionalProperties").filter(|free| free.is_object()) {
        collect_names(free, &below("*"), names);
    }
}

/// Returns the known name that is most similar to an unknown one, even if only its table is missing. Returns `None` if
/// no name is similar enough. A name in the same table takes precedence, unless another table contains exactly the
/// unknown name.
pub(super) fn nearest_name(schema: &Value, unknown: &str) -> Option<String> {
    let (path, last) = unknown.rsplit_once('.').unwrap_or(("", unknown));
    let names = setting_names(schema);
    if !names.iter().any(|name| name.rsplit('.').next() == Some(last))
        && let Some(near) = nearest_in_table(schema, path, last)
    {
        return Some(near);
    }
    let score = |known: &str| {
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let alike = strsim::normalized_damerau_levenshtein;
        alike(known, unknown).max(alike(&last(known), &last(unknown)) * 0.97)
    };
    let near = names.into_iter().map(|name| (score(&name), name)).filter(|(score, _)| *score > 0.65);
    near.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// Returns the name in a table that is most similar to an unknown one. If no name is similar, returns the one that
/// contains the longest part of the unknown name, for example `max_concurrent_requests` for `concurrency`, provided
/// that this is most of the unknown name.
fn nearest_in_table(schema: &Value, path: &str, unknown: &str) -> Option<String> {
    let tables = path.split('.').filter(|table| !table.is_empty());
    let table = table_schema(tables.into_iter().try_fold(schema, schema_of)?)?;
    let common = |known: &str| {
        let begin = (0..unknown.len()).flat_map(|from| (from..=unknown.len()).map(move |to| (from, to)));
        let common = begin.filter_map(|(from, to)| unknown.get(from..to)).filter(|part| known.contains(part));
        let common = common.map(str::len).max().unwrap_or_default();
        #[allow(clippy::cast_precision_loss, reason = "names are short")]
        {
            common as f64 / unknown.len().max(1) as f64
        }
    };
    let names = || table["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    let with_most_of_it = || {
        let near = names().map(|name| (common(name), name)).filter(|(share, _)| *share > 0.7);
        near.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name)
    };
    let near = spelling::nearest(unknown, names()).or_else(with_most_of_it)?;
    Some(if path.is_empty() { near.to_owned() } else { format!("{path}.{near}") })
}

/// Returns the environment variable of a setting, for example `ROUNDTABLE_HTTP__MAX_BODY_BYTES`.
pub(super) fn environment_variable(name: &str) -> String {
    format!("ROUNDTABLE_{}", name.replace('.', "__").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_description() {
        let schema = schema();
        let bare = |name: &String| {
            let setting = name.split('.').try_fold(&schema, schema_of);
            !name.ends_with('*') && setting.is_none_or(|setting| !setting["description"].is_string())
        };
        let bare: Vec<String> = setting_names(&schema).into_iter().filter(bare).collect();
        assert!(bare.is_empty(), "write a doc comment for: {bare:?}");
    }
}
