//! Comments at a gate: threads on an item of a plan, an argument of a call, a line of text, or a line of a file, bound
//! to the revision that their authors saw. A comment is text by a person, never a vote. Agents read the comments of
//! open threads if the gate is not approved.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CommentPlace, CommentTarget, Gate, Outcome, vote, voting_right};
use crate::draft::Draft;
use crate::message::mention::{Route, RouteReason};
use crate::message::say;
use crate::{Actor, Fact, GateId, Message, MessageId, Rejection, Target, Timestamp, is_within_chars};

/// Comments on one place, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentThread {
    /// Place that the thread is about. A place in what the gate shows is outdated if the gate has a newer revision, a
    /// place in a file if the file has a newer version.
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

    /// Returns the comments of open threads that agents read with this outcome. After an approval, they read none,
    /// because exactly what was approved runs.
    pub(super) fn open_comments(&self, outcome: Outcome) -> Vec<MessageId> {
        let open = self.threads.iter().filter(|thread| thread.is_open() && outcome != Outcome::Approved);
        open.flat_map(|thread| &thread.comments).map(|comment| comment.id).collect()
    }
}

/// Applies the `comment` command.
pub(crate) fn comment(
    draft: &mut Draft,
    id: GateId,
    rev: u32,
    target: &CommentTarget,
    text: &Arc<str>,
) -> Result<(), Rejection> {
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
    let place = match target {
        CommentTarget::Thread(thread) => CommentPlace::clone(&find_thread(gate, *thread)?.place),
        CommentTarget::Subject { path, line } => CommentPlace::in_subject(draft, gate, message, path, *line)?,
        CommentTarget::File { file, line } => CommentPlace::in_file(draft, gate, message, *file, line.as_ref())?,
    };
    // The comment is for people only until the gate ends without an approval.
    let route = Route { to: vec![Target::People], reason: RouteReason::Comment, unresolved: vec![] };
    say::post(draft, text, route, None);
    draft.emit(Fact::GateCommented { message, place });
    Ok(())
}

/// Applies the `resolve_comment` command: resolves a thread, or opens it again.
pub(crate) fn resolve(draft: &mut Draft, id: GateId, thread: MessageId, resolved: bool) -> Result<(), Rejection> {
    let gate = vote::open_gate(draft, id)?;
    let known = find_thread(gate, thread)?;
    let begun_by = known.comments.first().and_then(|first| first.by.participant_id());
    // An open thread can block the gate. Participants who may not approve here cannot remove a block by others.
    if begun_by != draft.by().participant_id() {
        // The gate lists the roles that could vote when it opened. The right might have been denied since.
        voting_right::require_vote(draft, id)?;
        voting_right::may_vote(draft, gate)?;
        voting_right::may_approve(draft, gate)?;
    }
    if known.resolved.is_some() != resolved {
        draft.emit(Fact::GateThreadChanged { gate: id, thread, resolved });
    }
    Ok(())
}

/// Applies the `delete_comment` command: erases the sender's own comment. Agents read no comments before the gate is
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
