//! The envelope: the form in which a model reads who said what, which nobody's words can leave.
//!
//! Each entry of a conversation begins with a header line that only the server writes, and every line of quoted words
//! begins with `|`. A line that does not is the server's. Without that, a line break in somebody's words, name or file name
//! would be enough to speak for another person, or to tell an agent that people have approved.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use crate::kernel::{AbortReason, Actor, ActorKind, CallAnswer, Message, Target, cut};

/// Stands before each quoted line.
const QUOTE: &str = "| ";

/// Everything that some reader takes as the end of a line.
const LINE_ENDS: [char; 10] =
    ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Control tokens of chat templates that have a form of their own; most have that of `<|im_end|>`.
const CONTROL: [&str; 8] = [
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "<start_of_turn>",
    "<end_of_turn>",
];

/// Kinds of entries that a header names.
const KINDS: [&str; 11] =
    ["message", "feedback", "result", "answer", "file", "files", "notice", "plan", "step", "rejected", "reason"];

/// A piece of a prompt: words of one author behind a header, or lines of the server's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// `None` above what a tool returned, where that stands alone in a message.
    header: Option<Arc<str>>,
    /// The words, before they are quoted; `None` in what is the server's own.
    words: Option<Arc<str>>,
    /// The parts that follow the words, each line with its own owner.
    more: Option<Arc<str>>,
    text: Arc<str>,
}

impl Envelope {
    /// These words behind this header.
    pub(super) fn quoted(header: Line, words: &str) -> Self {
        Self::quoted_above(header, words, None)
    }

    /// These words behind this header, and more below them.
    fn quoted_above(header: Line, words: &str, more: Option<Arc<str>>) -> Self {
        let words: Arc<str> = harmless(&with_plain_lines(words)).into();
        let mut text = header.0.clone();
        quote(&mut text, &words);
        text.extend(more.iter().flat_map(|more| ["\n\n", &**more]));
        Self { header: Some(header.0.into()), words: Some(words), more, text: text.into() }
    }

    /// The result of a tool, for a message that holds nothing else: as it is, which models read best, unless something in
    /// it looks like a header, and so like an entry of somebody else's.
    pub fn returned(words: &str) -> Self {
        let words = harmless(words);
        if looks_like_header(&words) {
            return Self::quoted(Line::new("[result]"), &words);
        }
        let words: Arc<str> = words.into();
        Self { header: None, words: Some(words.clone()), more: None, text: words }
    }

    /// The same with other words below it: from then on its own words are quoted.
    pub(super) fn followed_by(&self, other: &Self) -> Self {
        let more = self.more.iter().chain([&other.text]).map(|more| &**more).collect::<Vec<_>>().join("\n\n");
        let header = self.header.as_deref().unwrap_or("[result]");
        Self::quoted_above(Line(header.to_owned()), self.words.as_deref().unwrap_or_default(), Some(more.into()))
    }

    /// The server's own lines.
    pub(super) fn server(line: Line) -> Self {
        let text: Arc<str> = line.0.into();
        Self { header: Some(text.clone()), words: None, more: None, text }
    }

    /// Words whose author is not named, for a conversation outside of any session.
    pub fn said(words: &str) -> Self {
        Self::quoted(Line::new("[message]"), words)
    }

    /// What somebody wrote, with who they are as the server knows it; `kind` is `message` or `feedback`.
    pub(super) fn message(kind: &'static str, message: &Message) -> Self {
        let mut header = Line::new("[").words(kind).author(&message.by);
        let to: Vec<&str> = message.to.iter().filter_map(addressee).collect();
        for (place, name) in to.iter().enumerate() {
            header = header.words(if place == 0 { " to=@" } else { ",@" }).id(name);
        }
        if let Some(role) = message.relays {
            header = header.words(" relays=").words(role.as_str());
        }
        let header = match message.aborted {
            Some(AbortReason::Interrupted) => header.words(" incomplete=interrupted"),
            Some(_) => header.words(" incomplete=broken_off"),
            None if message.truncated => header.words(" incomplete=token_limit"),
            None => header,
        };
        if message.redacted.is_some() {
            return Self::server(header.words(" redacted]"));
        }
        Self::quoted(header.words("]"), &message.text)
    }

    /// Several as one.
    pub(super) fn together(parts: impl IntoIterator<Item = Self>) -> Self {
        let texts: Vec<Arc<str>> = parts.into_iter().map(|part| part.text).collect();
        Self::server(Line(texts.join("\n")))
    }

    /// What the model reads.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes of its author's words.
    pub(super) fn quoted_bytes(&self) -> usize {
        self.words.as_ref().map_or(0, |words| words.len())
    }

    /// The same with at most about `max_bytes` of its words, both ends of them, and between them a line of the server's
    /// that says how much is missing.
    pub(super) fn cut(&self, max_bytes: usize) -> Self {
        let Some(words) = self.words.as_ref().filter(|words| words.len() > max_bytes) else { return self.clone() };
        let Some(header) = &self.header else { return Self { text: cut(words, max_bytes).into(), ..self.clone() } };
        let head = words.floor_char_boundary(max_bytes / 3 * 2);
        let tail = words.ceil_char_boundary(words.len() - max_bytes / 3);
        let mut text = header.to_string();
        quote(&mut text, &words[..head]);
        let _ = write!(text, "\n[… {} bytes left out …]", tail - head);
        quote(&mut text, &words[tail..]);
        text.extend(self.more.iter().flat_map(|more| ["\n\n", &**more]));
        Self { text: text.into(), ..self.clone() }
    }
}

/// The server's own words, which are written in the source.
impl From<&'static str> for Envelope {
    fn from(words: &'static str) -> Self {
        Self::server(Line::new(words))
    }
}

/// Lines that the server writes. What comes from elsewhere gets in as a number, an id or a quoted field only.
#[derive(Debug, Clone)]
pub(super) struct Line(String);

impl Line {
    pub(super) fn new(words: &'static str) -> Self {
        Self(words.to_owned())
    }

    /// A notice: the server's words to the agent.
    pub(super) fn notice(words: &'static str) -> Self {
        Self::new("[notice] ").words(words)
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    pub(super) fn words(mut self, words: &'static str) -> Self {
        self.0.push_str(words);
        self
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        let _ = write!(self.0, "{number}");
        self
    }

    /// An id, which is quoted where it has other characters than ids have.
    pub(super) fn id(mut self, id: &str) -> Self {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        if id.is_empty() || !id.bytes().all(fits) {
            return self.quoted(id);
        }
        self.0.push_str(id);
        self
    }

    /// A text as a JSON string, which ends where its quotation mark does and has no line break.
    pub(super) fn quoted(self, text: &str) -> Self {
        self.json(&Value::from(text))
    }

    /// A value as JSON on one line.
    pub(super) fn json(mut self, value: &Value) -> Self {
        for letter in harmless(&value.to_string()).chars() {
            match letter {
                // JSON escapes the other line ends itself.
                '\u{85}' | '\u{2028}' | '\u{2029}' => {
                    let _ = write!(self.0, "\\u{:04x}", u32::from(letter));
                }
                letter => self.0.push(letter),
            }
        }
        self
    }

    /// Who somebody is, as the server knows it.
    pub(super) fn author(self, by: &Actor) -> Self {
        let kind = match by.kind {
            ActorKind::User => "user",
            ActorKind::Bot => "bot",
            ActorKind::Agent => "agent",
            ActorKind::System => "server",
        };
        let mut line = self.words(" from=").words(kind).words(" id=").id(&by.id);
        if let Some(role) = by.role {
            line = line.words(" role=").words(role.as_str());
        }
        if by.guest {
            line = line.words(" guest=true");
        }
        if by.name == by.id { line } else { line.words(" name=").quoted(&by.name) }
    }

    /// Whose answer ended a call, and what the server says of a call that was not allowed.
    pub(super) fn answered(self, answer: &CallAnswer) -> Self {
        let line = self.author(&answer.by);
        match &answer.refusal {
            Some(refusal) => line.words(" refusal=").quoted(refusal),
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

/// Whether some reader could take a part of the text for the header of an entry.
pub(super) fn looks_like_header(text: &str) -> bool {
    text.match_indices('[').any(|(at, _)| {
        let inside = &text[at + 1..];
        let rest = KINDS.iter().find_map(|kind| inside.strip_prefix(kind));
        rest.is_some_and(|rest| rest.starts_with([' ', ']']))
    })
}

/// Put the words below what is there, each line quoted.
fn quote(text: &mut String, words: &str) {
    for line in words.split('\n') {
        text.push('\n');
        text.push_str(if line.is_empty() { QUOTE.trim_end() } else { QUOTE });
        text.push_str(line);
    }
}

/// Words as lines that each begin with `|`, for a text in which several authors speak.
pub(crate) fn quoted_lines(words: &str) -> String {
    let mut text = String::new();
    quote(&mut text, &with_plain_lines(words));
    text.split_off(1)
}

/// A name or title as a JSON string.
pub(crate) fn quoted_name(name: &str) -> String {
    Line(String::new()).quoted(name).0
}

/// An id as it is, and a JSON string of anything else that stands in its place.
pub(crate) fn plain_id(id: &str) -> String {
    Line(String::new()).id(id).0
}

/// A text as one line, whatever it has in it.
pub(crate) fn in_one_line(text: &str) -> String {
    text.replace(LINE_ENDS, " ")
}

/// The text with every line ended by a line feed, whatever it was ended by.
fn with_plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace(LINE_ENDS, "\n")
}

/// The text with a space in each control token of a chat template: many servers take them for what they are also where
/// they stand in somebody's words, and a message would end there.
pub(super) fn harmless(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(['<', '[']) {
        kept.push_str(&rest[..=at]);
        if begins_control(&rest[at..]) {
            kept.push(' ');
        }
        rest = &rest[at + 1..];
    }
    kept.push_str(rest);
    kept
}

fn begins_control(text: &str) -> bool {
    const BARS: [char; 2] = ['|', '｜'];
    let inside = text.strip_prefix('<').and_then(|rest| rest.strip_prefix(BARS));
    inside.is_some_and(|inside| {
        let after = inside.trim_start_matches(|letter: char| letter.is_alphanumeric() || "_▁".contains(letter));
        after.len() < inside.len() && after.strip_prefix(BARS).is_some_and(|end| end.starts_with('>'))
    }) || CONTROL.iter().any(|token| text.starts_with(token))
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
