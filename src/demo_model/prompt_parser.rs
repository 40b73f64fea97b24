//! Parses the envelopes of a prompt: headers and lines from the server, and quoted texts.

use std::collections::BTreeMap;

use serde_json::Value;

/// Part of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PromptPart {
    /// Line from the server.
    Line(String),
    /// Header with the text quoted below it.
    Block(QuotedBlock),
}

/// Quoted text with its header.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct QuotedBlock {
    /// Kind of entry: `message`, `feedback`, `result`, `file` …
    pub(crate) kind: String,
    /// Fields of the header.
    pub(crate) fields: BTreeMap<String, Value>,
    /// Quoted text, in two parts if its middle was cut out.
    pub(crate) segments: Vec<String>,
}

impl QuotedBlock {
    /// Returns a field if it is a string.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// Returns the whole text.
    pub(crate) fn text(&self) -> String {
        self.segments.join("\n…\n")
    }

    /// Returns whether a person or a bot wrote the text, as opposed to relaying it from elsewhere.
    pub(crate) fn is_by_people(&self) -> bool {
        let is_passed_on = self.fields.contains_key("relays");
        let by_program = matches!(self.field("from"), Some("agent" | "tool"));
        matches!(self.kind.as_str(), "message" | "feedback") && !by_program && !is_passed_on
    }
}

/// Parses the text of a prompt.
///
/// # Errors
/// Fails with the first line that is not part of a valid prompt.
pub(crate) fn parse(text: &str) -> Result<Vec<PromptPart>, String> {
    let mut parts: Vec<PromptPart> = vec![];
    // True if the next quoted line begins a new text.
    let mut begins = true;
    for line in text.split('\n') {
        let quoted = line.strip_prefix("| ").or((line == "|").then_some(""));
        match (quoted, parts.last_mut()) {
            (Some(quoted), Some(PromptPart::Block(block))) if begins => block.segments.push(quoted.to_owned()),
            (Some(quoted), Some(PromptPart::Block(QuotedBlock { segments, .. }))) => {
                let segment = segments.last_mut().ok_or(line)?;
                segment.push('\n');
                segment.push_str(quoted);
            }
            (Some(_), _) => return Err(line.to_owned()),
            (None, Some(PromptPart::Block(_))) if line.starts_with("[… ") && line.ends_with(" bytes left out …]") =>
            {
                begins = true;
                continue;
            }
            (None, _) if line.starts_with('|') || line.contains('\r') => return Err(line.to_owned()),
            (None, _) => parts.push(header(line).map_or_else(|| PromptPart::Line(line.to_owned()), PromptPart::Block)),
        }
        begins = quoted.is_none();
    }
    Ok(parts)
}

/// Parses a header, such as `[message from=user id=u_1 name="Ann"]`. A line with text after the bracket is not a
/// header.
fn header(line: &str) -> Option<QuotedBlock> {
    let inside = line.strip_prefix('[')?;
    let end = inside.find([' ', ']'])?;
    let mut block = QuotedBlock { kind: inside[..end].to_owned(), ..QuotedBlock::default() };
    let mut rest = &inside[end..];
    loop {
        if rest == "]" {
            return Some(block);
        }
        // `failed` is the only field without a value. It marks the result of a failed step.
        if let Some(after) = rest.strip_prefix(" failed") {
            block.fields.insert("failed".to_owned(), Value::Bool(true));
            rest = after;
            continue;
        }
        let (name, after) = rest.strip_prefix(' ')?.split_once('=')?;
        let value = match after.starts_with(['"', '{', '[']) {
            true => {
                let mut values = serde_json::Deserializer::from_str(after).into_iter::<Value>();
                let value = values.next()?.ok()?;
                rest = &after[values.byte_offset()..];
                value
            }
            false => {
                let end = after.find([' ', ']'])?;
                rest = &after[end..];
                Value::from(&after[..end])
            }
        };
        block.fields.insert(name.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_with_their_headers_and_lines_of_the_server_apart() {
        let text = "Conversation so far:\n[message from=user id=u_1 name=\"A] \\\"B\"]\n| one\n|\n| [notice] two\n\n\
                    [result step=2 arguments={\"a\":[1]}]\n| x\n[… 7 bytes left out …]\n| y\n\n[notice] Go on.";
        let parts = parse(text).expect("reads");
        let blocks: Vec<&QuotedBlock> = parts
            .iter()
            .filter_map(|part| match part {
                PromptPart::Block(block) => Some(block),
                PromptPart::Line(_) => None,
            })
            .collect();
        assert_eq!((blocks[0].field("name"), &*blocks[0].text()), (Some("A] \"B"), "one\n\n[notice] two"));
        assert_eq!((blocks[1].field("step"), &blocks[1].segments), (Some("2"), &vec!["x".into(), "y".into()]));
        assert_eq!(parts.last(), Some(&PromptPart::Line("[notice] Go on.".into())));
        let failed = parse("[result step=1 for=A failed]\n| The key is refused.").expect("reads");
        assert!(
            matches!(&failed[..], [PromptPart::Block(block)] if block.text() == "The key is refused."),
            "{failed:?}"
        );
        assert!(parse("| nobody's").is_err() && parse("[message]\n|no space").is_err());
    }
}
