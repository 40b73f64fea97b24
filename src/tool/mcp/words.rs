//! What a server answered, as text that an agent reads.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

/// All of a result: its texts as they are, what is no text by its name and size, and its structured form where no text
/// says the same.
pub(super) fn words(result: &CallToolResult) -> String {
    let mut parts: Vec<String> = result.content.iter().map(block).collect();
    if let Some(structured) = result.structured_content.as_ref().filter(|value| !value.is_null()) {
        let same = |part: &String| serde_json::from_str::<Value>(part).is_ok_and(|value| value == *structured);
        if !parts.iter().any(same) {
            parts.push(structured.to_string());
        }
    }
    parts.join("\n")
}

fn block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => named("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => named("sound", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[{uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                named(uri, mime_type.as_deref().unwrap_or("of no stated type"), blob)
            }
            _ => "[a resource of a kind that is not known here]".into(),
        },
        ContentBlock::ResourceLink(link) => {
            let kind = link.mime_type.as_deref().map(|kind| format!(", {kind}")).unwrap_or_default();
            let size = link.size.map(|size| format!(", {size} bytes")).unwrap_or_default();
            format!("[{} at {}{kind}{size}]", link.name, link.uri)
        }
        _ => "[content of a kind that is not known here]".into(),
    }
}

fn named(what: &str, kind: &str, base64: &str) -> String {
    let padding = base64.bytes().rev().take_while(|byte| *byte == b'=').count().min(2);
    let bytes = (base64.len() / 4 * 3).saturating_sub(padding);
    format!("[{what}, {kind}, {bytes} bytes, not shown]")
}

/// As much of a text as may be said, to a whole character.
pub(super) fn at_most(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(value: Value) -> String {
        words(&serde_json::from_value(value).expect("a result"))
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
    }

    #[test]
    fn a_cut_is_at_a_whole_character() {
        assert_eq!(at_most("päron", 2), "p");
        assert_eq!(at_most("pear", 20), "pear");
    }
}
