//! Conversion of a server's result to text for an agent.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

/// Converts a result. Text stays unchanged, other content is replaced by its name and size, and the structured form is
/// added unless the text already contains it.
pub(super) fn result_text(result: &CallToolResult) -> String {
    let mut parts: Vec<String> = result.content.iter().map(block_text).collect();
    let structured = result.structured_content.as_ref().filter(|value| !value.is_null());
    if let Some(structured) = structured.filter(|structured| !contains_structured(&parts, structured)) {
        parts.push(structured.to_string());
    }
    parts.join("\n")
}

/// Returns whether the parts already contain the structured form as JSON. A common library wraps a plain value or an
/// array in an object with the single member `result`. The parts then contain the value itself, or one part for each
/// item.
fn contains_structured(parts: &[String], structured: &Value) -> bool {
    let wrapped = structured.as_object().filter(|object| object.len() == 1).and_then(|object| object.get("result"));
    let items = |list: &Vec<Value>| {
        list.len() == parts.len() && list.iter().zip(parts).all(|(item, part)| is_in_text(item, part))
    };
    let is_included = |value: &Value| parts.iter().any(|part| is_in_text(value, part));
    is_included(structured) || wrapped.is_some_and(|value| is_included(value) || value.as_array().is_some_and(items))
}

fn is_in_text(value: &Value, part: &str) -> bool {
    value.as_str() == Some(part) || serde_json::from_str::<Value>(part).is_ok_and(|read| is_same_value(&read, value))
}

/// Returns whether two values are equal, regardless of the notation of numbers: `1` equals `1.0`.
fn is_same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same_value(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same =
                |(name, value): (&String, &Value)| other.get(name).is_some_and(|other| is_same_value(value, other));
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

fn block_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => describe_binary("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => describe_binary("sound", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[{uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                describe_binary(uri, mime_type.as_deref().unwrap_or("unknown type"), blob)
            }
            _ => "[a resource of an unknown kind]".into(),
        },
        ContentBlock::ResourceLink(link) => {
            let kind = link.mime_type.as_deref().map(|kind| format!(", {kind}")).unwrap_or_default();
            let size = link.size.map(|size| format!(", {size} bytes")).unwrap_or_default();
            format!("[{} at {}{kind}{size}]", link.name, link.uri)
        }
        _ => "[content of an unknown kind]".into(),
    }
}

fn describe_binary(what: &str, kind: &str, base64: &str) -> String {
    let padding = base64.bytes().rev().take_while(|byte| *byte == b'=').count().min(2);
    let bytes = (base64.len() / 4 * 3).saturating_sub(padding);
    format!("[{what}, {kind}, {bytes} bytes, not shown]")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(value: Value) -> String {
        result_text(&serde_json::from_value(value).expect("a valid result"))
    }

    #[test]
    fn texts_stay_and_the_rest_is_named() {
        let text = of(json!({ "content": [
            { "type": "text", "text": "here" },
            { "type": "image", "mimeType": "image/png", "data": "QUJD" },
            { "type": "audio", "mimeType": "audio/wav", "data": "QUI=" },
            { "type": "resource", "resource": { "uri": "note:1", "text": "a note" } },
            { "type": "resource", "resource": { "uri": "blob:1", "mimeType": "application/gzip", "blob": "QQ==" } },
            { "type": "resource_link", "uri": "note:2", "name": "second", "size": 7 },
        ] }));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "here",
                "[image, image/png, 3 bytes, not shown]",
                "[sound, audio/wav, 2 bytes, not shown]",
                "[note:1]",
                "a note",
                "[blob:1, application/gzip, 1 bytes, not shown]",
                "[second at note:2, 7 bytes]",
            ]
        );
    }

    #[test]
    fn a_structured_result_is_said_once() {
        let both = json!({ "content": [{ "type": "text", "text": "{\"b\": 1, \"a\": 2}" }], "structuredContent": { "a": 2, "b": 1 } });
        assert_eq!(of(both), "{\"b\": 1, \"a\": 2}");
        assert_eq!(of(json!({ "content": [], "structuredContent": { "a": 2 } })), "{\"a\":2}");
        // This is how the Python library wraps a value that is not an object.
        let text = |texts: &[&str], structured: Value| {
            let content: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
            of(json!({ "content": content, "structuredContent": structured }))
        };
        assert_eq!(text(&["42"], json!({ "result": 42 })), "42");
        assert_eq!(text(&["{\"n\": 1.0}"], json!({ "n": 1 })), "{\"n\": 1.0}");
        assert_eq!(text(&["hello"], json!({ "result": "hello" })), "hello");
        assert_eq!(text(&["a", "{\"b\": 1}"], json!({ "result": ["a", { "b": 1 }] })), "a\n{\"b\": 1}");
        // The text differs from the structured form.
        assert_eq!(text(&["42 apples"], json!({ "result": 42 })), "42 apples\n{\"result\":42}");
        assert_eq!(text(&["a"], json!({ "result": ["a", "b"] })), "a\n{\"result\":[\"a\",\"b\"]}");
    }
}
