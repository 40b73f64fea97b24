//! Places that comments at a gate are about: parts of what the gate shows, and lines of session files.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Gate, GateKind, SubjectId};
use crate::draft::Draft;
use crate::{FileId, GateId, MessageId, Rejection, View, call, first_chars, is_within_chars};

/// Maximum number of characters in a path, which is recorded with each comment of its thread.
const MAX_PATH_CHARS: usize = 500;
/// Maximum number of characters in the text that a comment quotes.
const MAX_QUOTE_CHARS: usize = 200;

/// Place that a comment is about: in what the gate shows, or in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentPlace {
    /// Gate of the comment. Example: `g_30`.
    pub gate: GateId,
    /// First comment of the thread, which identifies it. Example: `m_42`.
    pub thread: MessageId,
    /// Revision of the gate's subject at the time of the first comment, from 1.
    pub rev: u32,
    /// File that the thread is about. Absent: the thread is about what the gate shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<CommentFile>,
    /// JSON Pointer into the plan or the arguments. Empty if the comment is about the whole content, or if the content
    /// is plain text. Example: `/items/0/action`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub path: Arc<str>,
    /// Line of the text at `path` or of the file, from 1. Absent: no specific line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Beginning of the content at this place, at most 200 characters. Empty if the comment is about the whole content
    /// or the whole file.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub quote: Arc<str>,
}

/// Version of a session file that a comment is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentFile {
    /// Id of the version. Example: `f_17`.
    pub id: FileId,
    /// Name of the file. Example: `report.md`.
    pub name: Arc<str>,
    /// Number of the version, from 1.
    pub version: u32,
}

/// Subject of a comment, as its sender named it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommentTarget {
    /// The thread with this first comment: the comment is a reply.
    Thread(MessageId),
    /// A part of what the gate shows.
    Subject {
        /// JSON Pointer to the part. Empty: the whole content.
        path: Arc<str>,
        /// Line of the text at `path`, from 1. `None`: no specific line.
        line: Option<u32>,
    },
    /// A session file.
    File {
        /// Version that the sender saw.
        file: FileId,
        /// Line of the file. Absent: the whole file.
        line: Option<FileLine>,
    },
}

/// Line of a file, with its text, because the kernel cannot read files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLine {
    /// Number of the line, from 1.
    pub number: u32,
    /// Text of the line, or its beginning. `None` if the file has no such line.
    pub text: Option<Arc<str>>,
}

impl CommentPlace {
    /// Returns whether the place is in this version of a file.
    pub(crate) fn is_in(&self, file: FileId) -> bool {
        self.file.as_ref().is_some_and(|own| own.id == file)
    }

    /// Returns the place of a new thread in what the gate shows.
    pub(super) fn in_subject(
        draft: &Draft,
        gate: &Gate,
        thread: MessageId,
        path: &Arc<str>,
        line: Option<u32>,
    ) -> Result<Self, Rejection> {
        let invalid = |reason: &str| Rejection::Invalid(reason.into());
        let content = content(draft, gate)
            .ok_or_else(|| invalid("this gate shows nothing to comment on; write a message instead"))?;
        let quote = quote(&content, path, line).map_err(invalid)?.into();
        Ok(Self { gate: gate.id, thread, rev: gate.rev, file: None, path: path.clone(), line, quote })
    }

    /// Returns the place of a new thread in a file.
    pub(super) fn in_file(
        draft: &Draft,
        gate: &Gate,
        thread: MessageId,
        file: FileId,
        line: Option<&FileLine>,
    ) -> Result<Self, Rejection> {
        let invalid = |reason: &str| Rejection::Invalid(reason.into());
        if !gate.kind.takes_comments() {
            return Err(invalid("this gate takes no comments; answer it, or write a message"));
        }
        let known = draft.view().file(file).filter(|file| file.is_there()).ok_or(Rejection::UnknownFile(file))?;
        let newest = draft.view().newest_version(&known.name).filter(|newest| newest.version != known.version);
        if let Some(newest) = newest {
            return Err(Rejection::OldFileVersion { file: newest.id, newest: newest.version });
        }
        let quote = match line {
            Some(_) if !known.is_text() => return Err(invalid("only a text file has lines; leave line out")),
            Some(FileLine { text: None, .. }) => {
                return Err(invalid("the file has no such line; count lines from 1"));
            }
            Some(FileLine { text: Some(text), .. }) => first_chars(text, MAX_QUOTE_CHARS).into(),
            None => "".into(),
        };
        let file = Some(CommentFile { id: file, name: known.name.clone(), version: known.version });
        let line = line.map(|line| line.number);
        Ok(Self { gate: gate.id, thread, rev: gate.rev, file, path: "".into(), line, quote })
    }
}

impl GateKind {
    /// Returns whether people can comment at gates of this kind. Agents would not read comments at other gates.
    fn takes_comments(self) -> bool {
        match self {
            Self::Feedback | Self::Plan | Self::Tool | Self::Uncertain => true,
            Self::Question | Self::Budget | Self::Rule | Self::Command => false,
        }
    }
}

/// Returns the content that a gate shows; `None` if it has no content in which a place can be named.
fn content(draft: &Draft, gate: &Gate) -> Option<Value> {
    let view: &View = draft.view();
    match gate.kind {
        GateKind::Feedback => match gate.subject.as_ref()?.id {
            SubjectId::Message(message) => Some(Value::from(&*view.message(message)?.text)),
            SubjectId::Call(_) | SubjectId::Run(_) => None,
        },
        GateKind::Plan => {
            let plan = view.active_run()?.plan.as_ref()?;
            Some(serde_json::to_value(plan).expect("a plan serializes: its keys are strings"))
        }
        GateKind::Tool | GateKind::Uncertain => {
            let (_, call) = call::lifecycle::current(draft, gate.call?)?;
            Some(serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::from(&*call.arguments)))
        }
        GateKind::Question | GateKind::Budget | GateKind::Rule | GateKind::Command => None,
    }
}

/// Returns the beginning of the content at a place.
fn quote(content: &Value, path: &str, line: Option<u32>) -> Result<String, &'static str> {
    if !is_within_chars(path, MAX_PATH_CHARS) {
        return Err("path has more than 500 characters; name a part that contains it");
    }
    let value = content.pointer(path).ok_or("path names nothing here; name an item or argument by its JSON Pointer")?;
    let text = match (value, line) {
        (Value::String(text), Some(line)) => {
            let at = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
            at.and_then(|at| text.lines().nth(at)).ok_or("the text has no such line; count lines from 1")?.to_owned()
        }
        (_, Some(_)) => return Err("only a text has lines; leave line out"),
        (_, None) if path.is_empty() => String::new(),
        (Value::String(text), None) => text.lines().next().unwrap_or_default().to_owned(),
        (value, None) => value.to_string(),
    };
    Ok(first_chars(&text, MAX_QUOTE_CHARS).to_owned())
}
