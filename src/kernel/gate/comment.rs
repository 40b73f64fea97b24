//! Comments on what a gate shows: threads on an item of a plan, an argument of a call, or a line of a text, bound to
//! the revision that their authors saw. A comment is text by a person, never a vote. Agents read the comments of open
//! threads if the gate is not approved.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Gate, GateKind, Outcome, SubjectId, vote};
use crate::draft::Draft;
use crate::message::mention::{Route, RouteReason};
use crate::message::say;
use crate::{
    Actor, Fact, GateId, Message, MessageId, Rejection, Target, Timestamp, View, call, first_chars, is_within_chars,
};

/// Place that a comment is about, in what a gate shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentPlace {
    /// Gate of the comment. Example: `g_30`.
    pub gate: GateId,
    /// First comment of the thread, which identifies it. Example: `m_42`.
    pub thread: MessageId,
    /// Revision of the subject that the thread is about, from 1.
    pub rev: u32,
    /// JSON Pointer into the plan or the arguments. Empty if the comment is about the whole content, or if the content
    /// is a text. Example: `/items/0/action`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub path: Arc<str>,
    /// Line of the text there, from 1. Absent: no specific line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Beginning of the content at this place, at most 200 characters. Empty if the comment is about the whole.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub quote: Arc<str>,
}

/// Comments on one place, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentThread {
    /// Place that the thread is about. It is outdated if the gate has a newer revision.
    pub place: Arc<CommentPlace>,
    /// Messages with the comments, oldest first.
    pub comments: Vec<Arc<Message>>,
    /// Resolution of the thread. Absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<ThreadResolution>,
}

/// Resolution of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadResolution {
    /// Participant who resolved it.
    pub by: Actor,
    /// Time at which it was resolved.
    pub at: Timestamp,
}

/// Maximum number of characters in a comment.
const MAX_CHARS: usize = 2000;
/// Maximum number of characters in a path, which is recorded with each comment of its thread.
const MAX_PATH_CHARS: usize = 500;
/// Maximum number of characters in the text that a comment quotes.
const MAX_QUOTE_CHARS: usize = 200;

/// A comment as its sender wrote it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewComment<'a> {
    /// Revision of the subject that the sender saw.
    pub(crate) rev: u32,
    pub(crate) thread: Option<MessageId>,
    pub(crate) path: &'a str,
    pub(crate) line: Option<u32>,
    pub(crate) text: &'a Arc<str>,
}

impl CommentThread {
    /// Returns whether the thread is not resolved and has a comment that was not erased. An erased comment would block
    /// the gate without a reason that anybody can read.
    fn is_open(&self) -> bool {
        self.resolved.is_none() && self.comments.iter().any(|comment| comment.redacted.is_none())
    }
}

impl Gate {
    /// Maximum number of comments at a gate.
    pub const MAX_COMMENTS: usize = 50;

    /// Returns whether open comments keep the gate from being approved.
    pub(super) fn is_held(&self) -> bool {
        self.comments_hold && self.threads.iter().any(CommentThread::is_open)
    }

    /// Returns the comments of open threads that agents read with this outcome. With an approval, they read none:
    /// exactly what was approved runs.
    pub(super) fn open_comments(&self, outcome: Outcome) -> Vec<MessageId> {
        let open = self.threads.iter().filter(|thread| thread.is_open() && outcome != Outcome::Approved);
        open.flat_map(|thread| &thread.comments).map(|comment| comment.id).collect()
    }
}

/// Applies the command `comment`.
pub(crate) fn comment(draft: &mut Draft, id: GateId, comment: NewComment<'_>) -> Result<(), Rejection> {
    let NewComment { rev, thread, path, line, text } = comment;
    let gate = vote::open_gate(draft, id)?;
    if rev != gate.rev {
        return Err(Rejection::StaleRevision { given: rev, current: gate.rev });
    }
    say::require_text(text)?;
    if !is_within_chars(text, MAX_CHARS) {
        return Err(Rejection::Invalid(format!("a comment has at most {MAX_CHARS} characters; shorten it").into()));
    }
    if gate.threads.iter().map(|thread| thread.comments.len()).sum::<usize>() >= Gate::MAX_COMMENTS {
        return Err(Rejection::CommentsFull { limit: Gate::MAX_COMMENTS });
    }
    let message = MessageId(draft.next_seq());
    let place = match thread {
        Some(thread) => CommentPlace::clone(&find_thread(gate, thread)?.place),
        None => {
            let content = content(draft, gate).ok_or_else(|| {
                Rejection::Invalid("this gate shows nothing to comment on; answer it, or write a message".into())
            })?;
            let quote = quote(&content, path, line).map_err(|reason| Rejection::Invalid(reason.into()))?.into();
            CommentPlace { gate: id, thread: message, rev, path: path.into(), line, quote }
        }
    };
    // For people only, until the gate ends without an approval.
    let route = Route { to: vec![Target::People], reason: RouteReason::Comment, unresolved: vec![] };
    say::post(draft, text, route, None);
    draft.emit(Fact::GateCommented { message, place });
    Ok(())
}

/// Applies the command `resolve_comment`: resolves a thread, or opens it again.
pub(crate) fn resolve(draft: &mut Draft, id: GateId, thread: MessageId, resolved: bool) -> Result<(), Rejection> {
    let gate = vote::open_gate(draft, id)?;
    let known = find_thread(gate, thread)?;
    let begun_by = known.comments.first().and_then(|first| first.by.participant_id());
    // An open thread can block the gate. Participants who may not approve here cannot remove a block by others.
    if begun_by != draft.by().participant_id() {
        // The gate lists the roles that could vote when it opened. The right might have been denied since.
        vote::require_vote(draft, id)?;
        vote::may_vote(draft, gate)?;
        vote::may_approve(draft, gate)?;
    }
    if known.resolved.is_some() != resolved {
        draft.emit(Fact::GateThreadChanged { gate: id, thread, resolved });
    }
    Ok(())
}

/// Applies the command `delete_comment`: erases the sender's own comment. Agents read no comments before the gate is
/// decided, so this is possible in the middle of a run, unlike a redaction of what they read.
pub(crate) fn delete(draft: &mut Draft, id: GateId, message: MessageId) -> Result<(), Rejection> {
    let mut comments = vote::open_gate(draft, id)?.threads.iter().flat_map(|thread| &thread.comments);
    let comment = comments.find(|comment| comment.id == message).ok_or(Rejection::UnknownMessage(message))?;
    if comment.by.participant_id() != draft.by().participant_id() {
        return Err(Rejection::NotTheAuthor);
    }
    if comment.redacted.is_none() {
        draft.emit(Fact::MessageRedacted { message, reason: None });
    }
    Ok(())
}

fn find_thread(gate: &Gate, thread: MessageId) -> Result<&CommentThread, Rejection> {
    gate.threads.iter().find(|known| known.place.thread == thread).ok_or(Rejection::UnknownThread(thread))
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
