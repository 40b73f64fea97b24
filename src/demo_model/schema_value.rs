//! Generates a value for a JSON Schema.

use serde_json::{Map, Value, json};

use super::schema_merge::{merge, merged};
use super::schema_text::text;
use crate::kernel::schema::output_schema::OutputSchema;

/// Maximum depth of optional properties. At greater depths, only required properties are generated. Parts deeper than
/// `MAX_DEPTH` are null, so that a recursive schema terminates.
const MAX_OPTIONAL_DEPTH: usize = 4;
const MAX_DEPTH: usize = 16;
/// Maximum number of parts of one value, which also bounds nested arrays with many items.
const MAX_PARTS: usize = 5_000;
/// Maximum number of items in an array.
const MAX_ITEMS: u64 = 20;
/// Maximum number of values that are tried. If none matches the schema, the first one is returned.
const MAX_TRIES: usize = 24;

/// Generates a value that the schema accepts, on a best-effort basis. Strings contain `text` where the schema allows
/// it.
pub(super) fn instance(schema: &Value, text: &str) -> Value {
    let first = Generator::new(schema, text, 0).value(schema, 0, 0);
    let Ok(checked) = OutputSchema::compile(schema) else { return first };
    if checked.check(&first).is_ok() {
        return first;
    }
    let tries = (1..MAX_TRIES).map(|at| Generator::new(schema, text, at).value(schema, 0, 0));
    tries.into_iter().find(|value| checked.check(value).is_ok()).unwrap_or(first)
}

struct Generator<'a> {
    root: &'a Value,
    text_base: &'a str,
    /// Index that determines which alternatives are taken. Two consecutive attempts share an index.
    at: usize,
    /// True if only required properties are generated, as in every second attempt.
    bare: bool,
    left: usize,
}

impl<'a> Generator<'a> {
    fn new(root: &'a Value, text_base: &'a str, at: usize) -> Self {
        Self { root, text_base, at: at / 2, bare: at % 2 == 1, left: MAX_PARTS }
    }

    /// Generates a value for the schema. `index` is the index of the value among its siblings.
    fn value(&mut self, schema: &Value, depth: usize, index: usize) -> Value {
        if depth > MAX_DEPTH || self.left == 0 {
            return Value::Null;
        }
        self.left -= 1;
        let Some(part) = merged(self.root, schema, self.at) else { return json!(self.text_base) };
        let schema = &Value::Object(part);
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(options) = schema["enum"].as_array().filter(|options| !options.is_empty()) {
            return options[index % options.len()].clone();
        }
        if let Some(value) = schema.get("default").filter(|_| self.at == 0) {
            return value.clone();
        }
        match kind(schema, self.at) {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "integer" => json!(number(schema, 1.0, true, index) as i64),
            "number" => json!(number(schema, 0.5, false, index)),
            "boolean" => json!(index.is_multiple_of(2)),
            "null" => Value::Null,
            _ => json!(text(schema, self.text_base, index)),
        }
    }

    fn array(&mut self, schema: &Value, depth: usize) -> Value {
        let limit = |name: &str| schema[name].as_u64();
        let prefix = schema["prefixItems"].as_array().map_or(&[][..], Vec::as_slice);
        let contained = schema.get("contains").map(|part| (part, limit("minContains").unwrap_or(1).min(MAX_ITEMS)));
        let least = limit("minItems").unwrap_or(0).min(MAX_ITEMS);
        let usual = if depth > MAX_OPTIONAL_DEPTH || self.bare { 0 } else { 1.max(prefix.len() as u64) };
        let wanted =
            least.max(usual).max(contained.map_or(0, |(_, count)| count)).min(limit("maxItems").unwrap_or(u64::MAX));
        let any = json!({});
        let items = if schema["items"].is_object() { &schema["items"] } else { &any };
        let mut values = vec![];
        for index in 0..wanted as usize {
            let part = match (prefix.get(index), contained) {
                (Some(part), _) => part.clone(),
                (None, Some((part, count))) if (index as u64) < count + prefix.len() as u64 => merge(items, part),
                (None, _) => items.clone(),
            };
            values.push(self.value(&part, depth + 1, index));
        }
        values.into()
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let required = |made: &Map<String, Value>| {
            let own = schema["required"].as_array().into_iter().flatten();
            let dependent = schema["dependentRequired"].as_object().into_iter().flatten();
            let dependent = dependent.filter(|(name, _)| made.contains_key(*name));
            let names = own.chain(dependent.flat_map(|(_, names)| names.as_array().into_iter().flatten()));
            names.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let (mut made, empty) = (Map::new(), Map::new());
        let properties = schema["properties"].as_object().unwrap_or(&empty);
        let needed = required(&made);
        for (name, property) in properties {
            let is_optional = !self.bare && depth <= MAX_OPTIONAL_DEPTH && *property != Value::Bool(false);
            if is_optional || needed.contains(name) {
                made.insert(name.clone(), self.value(property, depth + 1, 0));
            }
        }
        // Names can require further names. The loop ends because each name is added only once.
        while let Some(name) = required(&made).into_iter().find(|name| !made.contains_key(name)) {
            let value = self.value(part_of(schema, &name), depth + 1, 0);
            made.insert(name, value);
        }
        let least = schema["minProperties"].as_u64().unwrap_or(0).min(MAX_ITEMS) as usize;
        let names = &schema["propertyNames"];
        for index in 0..MAX_ITEMS as usize {
            if made.len() >= least {
                break;
            }
            let name =
                if names.is_object() { self.value(names, depth + 1, index) } else { json!(format!("key{index}")) };
            let name = name.as_str().map_or_else(|| format!("key{index}"), str::to_owned);
            let value = self.value(part_of(schema, &name), depth + 1, index);
            made.entry(name).or_insert(value);
        }
        made.into()
    }
}

/// Returns the schema of the property with this name.
fn part_of<'s>(schema: &'s Value, name: &str) -> &'s Value {
    let known = schema["properties"].get(name);
    let by_pattern = schema["patternProperties"].as_object().and_then(|parts| parts.values().next());
    known.or(by_pattern).or_else(|| schema.get("additionalProperties")).unwrap_or(&Value::Null)
}

fn kind(schema: &Value, at: usize) -> &str {
    const BY_KEYWORD: [(&str, &[&str]); 4] = [
        ("object", &["properties", "required", "minProperties", "patternProperties", "additionalProperties"]),
        ("array", &["items", "prefixItems", "minItems", "contains"]),
        ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
        ("string", &["minLength", "maxLength", "pattern", "format"]),
    ];
    match &schema["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
            if kinds.is_empty() { "null" } else { kinds[at % kinds.len()] }
        }
        _ => {
            let has = |names: &&[&str]| names.iter().any(|name| schema.get(*name).is_some());
            BY_KEYWORD.iter().find(|(_, names)| has(names)).map_or("string", |(kind, _)| kind)
        }
    }
}

fn number(schema: &Value, wanted: f64, whole: bool, index: usize) -> f64 {
    let bound = |key: &str| schema[key].as_f64();
    let step = bound("multipleOf").filter(|step| *step > 0.0).unwrap_or(if whole { 1.0 } else { 0.0 });
    let unit = if step > 0.0 { step } else { 0.5 };
    let least =
        bound("minimum").unwrap_or(f64::MIN).max(bound("exclusiveMinimum").map_or(f64::MIN, |at| at + unit * 0.5));
    let limit =
        bound("maximum").unwrap_or(f64::MAX).min(bound("exclusiveMaximum").map_or(f64::MAX, |at| at - unit * 0.5));
    let start = wanted.max(least).min(limit);
    let fitted = |value: f64| match step > 0.0 {
        true if (value / step).ceil() * step <= limit => (value / step).ceil() * step,
        true => (value / step).floor() * step,
        false => value,
    };
    // Siblings differ where there is room, so that arrays can have distinct items.
    let next = fitted(start) + unit * index as f64;
    if next <= limit { next } else { fitted(start) }
}

#[cfg(test)]
#[path = "schema_value_tests.rs"]
mod tests;
