//! Generates a string for a JSON Schema.

use serde_json::Value;

use crate::kernel::schema::output_schema::OutputSchema;

/// Strings that are tried for a pattern. In addition, strings of a repeated letter or digit are tried.
const SAMPLES: [&str; 26] = [
    "a",
    "A",
    "1",
    "abc",
    "ABC",
    "Abc",
    "a-b",
    "a_b",
    "ABC-123",
    "abc-123",
    "A-1",
    "v1.0.0",
    "1.0.0",
    "1.0",
    "#a1b2c3",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "12:00",
    "00:00:00",
    "+15550100",
    "555-0100",
    "127.0.0.1",
    "somebody@example.com",
    "https://example.com/",
    "00000000-0000-4000-8000-000000000000",
    "example.com",
];

/// Maximum length of a string of a repeated letter or digit.
const MAX_REPEATS: usize = 40;
/// Maximum length of a padded string.
const MAX_PADDING: u64 = 10_000;

/// Returns a string for the schema. Siblings with a different `index` get a different string where possible.
pub(super) fn text(schema: &Value, base: &str, index: usize) -> String {
    match schema["format"].as_str() {
        Some("date-time") => return "2026-01-01T00:00:00Z".into(),
        Some("date") => return "2026-01-01".into(),
        Some("time") => return "00:00:00Z".into(),
        Some("duration") => return "P1D".into(),
        Some("email" | "idn-email") => return "somebody@example.com".into(),
        Some("hostname" | "idn-hostname") => return "example.com".into(),
        Some("ipv4") => return "127.0.0.1".into(),
        Some("ipv6") => return "::1".into(),
        Some("uri" | "url" | "iri" | "uri-reference" | "iri-reference" | "uri-template") => {
            return "https://example.com/".into();
        }
        Some("uuid") => return "00000000-0000-4000-8000-000000000000".into(),
        Some("json-pointer") => return "/a".into(),
        Some("relative-json-pointer") => return "0".into(),
        _ => {}
    }
    if schema["pattern"].is_string()
        && let Some(sample) = sample(schema, base, index)
    {
        return sample;
    }
    let least = usize::try_from(schema["minLength"].as_u64().unwrap_or(0).min(MAX_PADDING)).unwrap_or(0);
    let limit = usize::try_from(schema["maxLength"].as_u64().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let text = if index == 0 { base.to_owned() } else { format!("{base} {}", index + 1) };
    let padding = std::iter::repeat_n('.', least.saturating_sub(text.chars().count()));
    text.chars().chain(padding).take(limit).collect()
}

/// Returns a sample that matches the pattern of the schema: the matching sample at `index`, or the first one. Returns
/// `None` if no sample matches.
fn sample(schema: &Value, base: &str, index: usize) -> Option<String> {
    let checked = OutputSchema::compile(schema).ok()?;
    let repeated = (1..=MAX_REPEATS).flat_map(|times| ["a", "A", "1", "0"].map(|letter| letter.repeat(times)));
    let samples = std::iter::once(base.to_owned()).chain(SAMPLES.map(str::to_owned)).chain(repeated);
    let mut matching = samples.filter(|sample| checked.check(&Value::from(sample.as_str())).is_ok()).peekable();
    let first = matching.peek().cloned();
    matching.nth(index).or(first)
}
