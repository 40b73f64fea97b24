//! The envelope: the format of each entry in a prompt. It tells the model who wrote the entry, and no text can break
//! out of it.
//!
//! Each entry of a conversation begins with a header line, which only the server writes, and each line of quoted text
//! begins with `|`. All other lines are the server's own. Without this format, a line break in a message, name or file
//! name would be enough to impersonate another person, or to tell an agent that people have approved.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use crate::kernel::call::CallSourceKind;
use crate::kernel::{AbortReason, Actor, ActorKind, CallAnswer, Message, Target, both_ends, truncate_middle};

/// Prefix of each quoted line.
const QUOTE: &str = "| ";

/// Characters that some readers treat as a line break.
const LINE_ENDS: [char; 10] =
    ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Control tokens of chat templates with a special form. Most others look like `<|im_end|>`.
const CONTROL_TOKENS: [&str; 8] = [
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "<start_of_turn>",
    "<end_of_turn>",
];

/// Kinds of entries in headers.
const KINDS: [&str; 14] = [
    "message",
    "feedback",
    "result",
    "answer",
    "file",
    "files",
    "notice",
    "plan",
    "removed",
    "step",
    "rejected",
    "reason",
    "schema",
    "node_event",
];

/// Part of a prompt: the text of one author after a header, or lines of the server itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptBlock {
    /// Header line. `None` for a tool result that is alone in its message.
    header: Option<Arc<str>>,
    /// The author's text before quoting. `None` for the server's own lines.
    body: Option<Arc<str>>,
    /// Further entries after the text, already rendered.
    more: Option<Arc<str>>,
    text: Arc<str>,
}

impl PromptBlock {
    /// Quotes the text after this header.
    pub(super) fn quoted(header: ServerLine, body: &str) -> Self {
        Self::quoted_above(header, body, None)
    }

    /// Quotes the text after this header, followed by `more`.
    fn quoted_above(header: ServerLine, body: &str, more: Option<Arc<str>>) -> Self {
        let body: Arc<str> = neutralize_control_tokens(&normalize_line_ends(body)).into();
        let mut text = header.0.clone();
        push_quoted(&mut text, &body);
        text.extend(more.iter().flat_map(|more| ["\n\n", &**more]));
        Self { header: Some(header.0.into()), body: Some(body), more, text: text.into() }
    }

    /// Wraps a tool result that is alone in its message. The result stays verbatim, because models read it best this
    /// way, unless part of it looks like a header. Such a result is quoted, because a model could mistake that part for
    /// another author's entry.
    pub fn returned(body: &str) -> Self {
        let body = neutralize_control_tokens(body);
        if contains_header(&body) {
            return Self::quoted(ServerLine::new("[result]"), &body);
        }
        let body: Arc<str> = body.into();
        Self { header: None, body: Some(body.clone()), more: None, text: body }
    }

    /// Wraps a tool result that can contain text from outside and is alone in its message. The result is quoted and
    /// marked with its kinds of source, unless all of its text comes from code bases.
    pub(super) fn returned_from(kinds: &BTreeSet<CallSourceKind>, body: &str) -> Self {
        // Agents read and write code bases line by line, so their text stays verbatim.
        if kinds.iter().all(|kind| *kind == CallSourceKind::Code) {
            return Self::returned(body);
        }
        Self::quoted(ServerLine::new("[result").sources(kinds).push("]"), body)
    }

    /// Appends another envelope. The text of this envelope becomes quoted.
    pub(crate) fn followed_by(&self, other: &Self) -> Self {
        let more = self.more.iter().chain([&other.text]).map(|more| &**more).collect::<Vec<_>>().join("\n\n");
        let header = self.header.as_deref().unwrap_or("[result]");
        Self::quoted_above(ServerLine(header.to_owned()), self.body.as_deref().unwrap_or_default(), Some(more.into()))
    }

    /// Wraps the server's own lines.
    pub(super) fn server(line: ServerLine) -> Self {
        let text: Arc<str> = line.0.into();
        Self { header: Some(text.clone()), body: None, more: None, text }
    }

    /// Quotes text without naming its author, for conversations outside of a session.
    pub fn anonymous(body: &str) -> Self {
        Self::quoted(ServerLine::new("[message]"), body)
    }

    /// Quotes a message, with the identity of its author as the server knows it. `kind` is `message` or `feedback`.
    pub(super) fn message(kind: &'static str, message: &Message) -> Self {
        let mut header = ServerLine::new("[").push(kind).author(&message.by);
        let to: Vec<&str> = message.to.iter().filter_map(addressee).collect();
        for (place, name) in to.iter().enumerate() {
            header = header.push(if place == 0 { " to=@" } else { ",@" }).id(name);
        }
        if let Some(role) = message.relays {
            header = header.push(" relays=").push(role.as_str());
        }
        if let Some(place) = &message.comment_on {
            header = match &place.file {
                Some(file) => {
                    let header = header.push(" comment_on_file=").quoted(&file.name);
                    header.push(" version=").number(file.version.into())
                }
                None => header.push(" comment_on=").quoted(&place.path),
            };
            if let Some(line) = place.line {
                header = header.push(" line=").number(line.into());
            }
            if !place.quote.is_empty() {
                header = header.push(" quote=").quoted(&place.quote);
            }
        }
        let header = match message.aborted {
            Some(AbortReason::Interrupted) => header.push(" incomplete=interrupted"),
            Some(_) => header.push(" incomplete=broken_off"),
            None if message.truncated => header.push(" incomplete=token_limit"),
            None => header,
        };
        if message.redacted.is_some() {
            return Self::server(header.push(" redacted]"));
        }
        Self::quoted(header.push("]"), &message.text)
    }

    /// Joins several envelopes into one.
    pub(super) fn together(parts: impl IntoIterator<Item = Self>) -> Self {
        let texts: Vec<Arc<str>> = parts.into_iter().map(|part| part.text).collect();
        Self::server(ServerLine(texts.join("\n")))
    }

    /// Returns the text that the model reads.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the size of the author's text before quoting, in bytes.
    pub(super) fn quoted_bytes(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.len())
    }

    /// Cuts the author's text to about `max_bytes`. Both ends stay, and a line of the server between them states how
    /// much is missing.
    pub(crate) fn cut(&self, max_bytes: usize) -> Self {
        let Some(body) = self.body.as_ref().filter(|body| body.len() > max_bytes) else { return self.clone() };
        let Some(header) = &self.header else {
            return Self { text: truncate_middle(body, max_bytes).into(), ..self.clone() };
        };
        let (head, missing, tail) = both_ends(body, max_bytes);
        let mut text = header.to_string();
        push_quoted(&mut text, head);
        let _ = write!(text, "\n[… {missing} bytes left out …]");
        push_quoted(&mut text, tail);
        text.extend(self.more.iter().flat_map(|more| ["\n\n", &**more]));
        Self { text: text.into(), ..self.clone() }
    }
}

/// Wraps the server's own text. Only literals in the source code are converted, never other authors' text.
impl From<&'static str> for PromptBlock {
    fn from(text: &'static str) -> Self {
        Self::server(ServerLine::new(text))
    }
}

/// Lines that the server writes. Data from elsewhere enters only as a number, an id or a quoted field.
#[derive(Debug, Clone)]
pub(super) struct ServerLine(String);

impl ServerLine {
    pub(super) fn new(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// Creates the beginning of a notice from the server to the agent.
    pub(super) fn notice(text: &'static str) -> Self {
        Self::new("[notice] ").push(text)
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    pub(super) fn push(mut self, text: &'static str) -> Self {
        self.0.push_str(text);
        self
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        let _ = write!(self.0, "{number}");
        self
    }

    /// Appends an id. It is quoted if it contains characters that ids cannot have.
    pub(super) fn id(mut self, id: &str) -> Self {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if id.is_empty() || !id.bytes().all(fits) {
            return self.quoted(id);
        }
        self.0.push_str(id);
        self
    }

    /// Appends text as a JSON string without line breaks.
    pub(super) fn quoted(self, text: &str) -> Self {
        self.json(&Value::from(text))
    }

    /// Appends a value as JSON on one line.
    pub(super) fn json(mut self, value: &Value) -> Self {
        for letter in neutralize_control_tokens(&value.to_string()).chars() {
            match letter {
                // The other line breaks are already escaped in JSON.
                '\u{85}' | '\u{2028}' | '\u{2029}' => {
                    let _ = write!(self.0, "\\u{:04x}", u32::from(letter));
                }
                letter => self.0.push(letter),
            }
        }
        self
    }

    /// Appends the identity of an author, as the server knows it.
    pub(super) fn author(self, by: &Actor) -> Self {
        let kind = match by.kind {
            ActorKind::User => "user",
            ActorKind::Bot => "bot",
            ActorKind::Agent => "agent",
            ActorKind::System => "server",
        };
        let mut line = self.push(" from=").push(kind).push(" id=").id(&by.id);
        if let Some(role) = by.role {
            line = line.push(" role=").push(role.as_str());
        }
        if by.guest {
            line = line.push(" guest=true");
        }
        if by.name == by.id { line } else { line.push(" name=").quoted(&by.name) }
    }

    /// Appends the kinds of sources of a result, if there are any.
    pub(super) fn sources<'k>(self, kinds: impl IntoIterator<Item = &'k CallSourceKind>) -> Self {
        kinds.into_iter().fold(self, |line, kind| line.push(" source=").push(kind.as_str()))
    }

    /// Appends the author of the answer that ended a call, and the server's reason if the call was not allowed.
    pub(super) fn answered(self, answer: &CallAnswer) -> Self {
        let line = self.author(&answer.by);
        match &answer.refusal {
            Some(refusal) => line.push(" refusal=").quoted(refusal),
            None => line,
        }
    }
}

fn addressee(target: &Target) -> Option<&str> {
    match target {
        Target::All => Some("all"),
        Target::Agent(agent) => Some(agent.as_str()),
        _ => None,
    }
}

/// Returns whether a reader could mistake part of the text for the header of an entry.
pub(super) fn contains_header(text: &str) -> bool {
    text.match_indices('[').any(|(at, _)| {
        let inside = &text[at + 1..];
        let rest = KINDS.iter().find_map(|kind| inside.strip_prefix(kind));
        rest.is_some_and(|rest| rest.starts_with([' ', ']']))
    })
}

/// Appends the text on new lines, each of which is quoted.
fn push_quoted(text: &mut String, body: &str) {
    for line in body.split('\n') {
        text.push('\n');
        text.push_str(if line.is_empty() { QUOTE.trim_end() } else { QUOTE });
        text.push_str(line);
    }
}

/// Returns the text with `|` before each line, for text by several authors.
pub(crate) fn quote_lines(body: &str) -> String {
    let mut text = String::new();
    push_quoted(&mut text, &normalize_line_ends(body));
    text.split_off(1)
}

/// Returns a name or title as a JSON string.
pub(crate) fn quote_name(name: &str) -> String {
    ServerLine(String::new()).quoted(name).0
}

/// Returns a valid id verbatim, and anything else as a JSON string.
pub(crate) fn quote_id_if_needed(id: &str) -> String {
    ServerLine(String::new()).id(id).0
}

/// Returns the text without its line breaks.
pub(crate) fn to_single_line(text: &str) -> String {
    text.replace(LINE_ENDS, " ")
}

/// Returns the text with line feeds in place of all other line breaks.
fn normalize_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace(LINE_ENDS, "\n")
}

/// Returns the text with a space in each control token of a chat template. Many servers interpret these tokens even
/// inside a message, which would end the message there.
pub(super) fn neutralize_control_tokens(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(['<', '[']) {
        kept.push_str(&rest[..=at]);
        if starts_with_control_token(&rest[at..]) {
            kept.push(' ');
        }
        rest = &rest[at + 1..];
    }
    kept.push_str(rest);
    kept
}

fn starts_with_control_token(text: &str) -> bool {
    const BARS: [char; 2] = ['|', '｜'];
    let inside = text.strip_prefix('<').and_then(|rest| rest.strip_prefix(BARS));
    inside.is_some_and(|inside| {
        let after = inside.trim_start_matches(|letter: char| letter.is_alphanumeric() || "_▁".contains(letter));
        after.len() < inside.len() && after.strip_prefix(BARS).is_some_and(|end| end.starts_with('>'))
    }) || CONTROL_TOKENS.iter().any(|token| text.starts_with(token))
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
