//! Rejections of commands. A rejection leaves no trace in the log.

use std::sync::Arc;

use crate::gate::Decision;
use crate::{FileId, GateId, MessageId, PermissionId, Right, Role, RunId};

/// Reason for the rejection of a command. Its error message says what the sender of the command can do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The session does not exist, or the sender has no access to it.
    #[error("no session with this id exists, or you have no access to it")]
    UnknownSession,
    /// The session is closed.
    #[error("the session is closed; start a new one")]
    SessionClosed,
    /// The sender is not in the session.
    #[error("you are not in this session; ask one of its members for an invitation")]
    NotAMember,
    /// The sender lacks a right.
    #[error("{message}")]
    Forbidden {
        /// Right that the sender lacks.
        right: Right,
        /// Explanation for the sender.
        message: Arc<str>,
    },
    /// The sender has the right, but their token does not.
    #[error("this token gives at most the role {} here, which cannot do this; use one with a higher role", max_role.as_str())]
    BeyondToken {
        /// Right that the token lacks.
        right: Right,
        /// Highest role of the token.
        max_role: Role,
    },
    /// The sender must ask the owners for a right. Never sent to a client, because a gate opens instead.
    #[error("this requires the approval of an owner")]
    NeedsApproval {
        /// Right to ask for.
        right: Right,
    },
    /// Too many commands of the sender are already waiting for the owners' approval.
    #[error("{limit} of your commands are already waiting for an owner; wait for a decision, or withdraw one of them")]
    TooManyAsked {
        /// Maximum number of commands that can wait.
        limit: u32,
    },
    /// The command is invalid; the message says why.
    #[error("{0}")]
    Invalid(Arc<str>),
    /// The command requires that no run is in progress.
    #[error("a run is in progress; take part in it, wait until it ends, or cancel it first")]
    RunActive,
    /// The command requires a run.
    #[error("no run is in progress; send a message to start one")]
    NoRun,
    /// A run other than the one that the control names is in progress.
    #[error("run {requested} is not in progress; name the active run, {active}")]
    OtherRun {
        /// Run that the control names.
        requested: RunId,
        /// Run that is in progress.
        active: RunId,
    },
    /// The run, step or message with this id has ended, or there never was one.
    #[error("{0} has ended or never existed; check what is running now")]
    TargetOver(Arc<str>),
    /// The step or message with this id does not exist yet.
    #[error("{0} is not running; check what is running now")]
    UnknownTarget(Arc<str>),
    /// Nothing is running that can be interrupted.
    #[error("nothing that can be interrupted is running; to stop the whole run, cancel it")]
    NothingRunning,
    /// The run is already paused.
    #[error("the run is already paused; use resume to continue it")]
    AlreadyPaused,
    /// The run is not paused.
    #[error("the run is not paused; use pause to pause it")]
    NotPaused,
    /// The same control is already in progress.
    #[error("the same request is already in progress; wait for it to take effect")]
    AlreadyRequested,
    /// The same command of the sender is already waiting for the owners' approval.
    #[error(
        "this command is already waiting for the approval of an owner; wait for the decision, or withdraw the command"
    )]
    AlreadyAsked,
    /// The gate does not exist.
    #[error("gate {0} does not exist, or it ended a while ago; check its id")]
    UnknownGate(GateId),
    /// The standing permission does not exist.
    #[error("there is no standing permission {0}; it ended or was revoked, or its id is wrong")]
    UnknownPermission(PermissionId),
    /// The votes suggest no rule with this id.
    #[error("the votes do not suggest this rule now; read the suggestions again")]
    UnknownSuggestion,
    /// The gate was already decided.
    #[error("this gate was already decided by {}", .decision.by.name)]
    AlreadyDecided {
        /// Gate of the command.
        gate: GateId,
        /// Decision of the gate.
        decision: Box<Decision>,
    },
    /// The gate ended without a decision.
    #[error("gate {0} was closed without a decision, because nothing waits for it any longer")]
    GateClosed(GateId),
    /// The deadline of the gate passed before it was decided.
    #[error("gate {0} expired, because nobody decided it before its deadline; ask for the work again")]
    GateExpired(GateId),
    /// A message approves an edited subject. It names no revision, so its sender might have read an earlier one.
    #[error(
        "this was edited, and a text does not say which revision it approves; look at revision {current}, then approve it with a vote"
    )]
    UnnamedRevision {
        /// Current revision of the subject.
        current: u32,
    },
    /// The vote or comment names a revision other than the current one.
    #[error("{}; look at revision {current}, then send it again", stale(*given, *current))]
    StaleRevision {
        /// Revision that the vote or comment names.
        given: u32,
        /// Current revision of the subject.
        current: u32,
    },
    /// The comment is about a version of a file that is not the newest.
    #[error("the file has a newer version, {newest}; look at it, then comment on that version")]
    OldFileVersion {
        /// Id of the newest version.
        file: FileId,
        /// Number of the newest version.
        newest: u32,
    },
    /// One vote of a batch was rejected, so the whole batch was rejected.
    #[error("{gate}: {reason}; no vote of the batch counts")]
    InBatch {
        /// Gate of the vote.
        gate: GateId,
        /// Reason for the rejection of the vote.
        reason: Box<Rejection>,
    },
    /// The gate has no thread of comments with this id.
    #[error("there is no comment thread {0} at this gate; name the first comment of a thread")]
    UnknownThread(MessageId),
    /// The gate already has the maximum number of comments.
    #[error(
        "this gate has {limit} comments already, which is the limit; decide it, or answer it with what should change"
    )]
    CommentsFull {
        /// Maximum number of comments at a gate.
        limit: usize,
    },
    /// The vote needs a comment.
    #[error("a vote to reject requires a comment; say what should change")]
    CommentRequired,
    /// The message is not waiting for a run.
    #[error("no message with this id is waiting: it was consumed or withdrawn, or never waited")]
    NotWaiting,
    /// The sender is not the author of the message.
    #[error("only the author of the message can withdraw it")]
    NotTheAuthor,
    /// Too many messages are waiting for the run.
    #[error("{limit} messages are already waiting for this run; wait until some are consumed, or withdraw one")]
    InboxFull {
        /// Maximum number of messages that can wait.
        limit: u32,
    },
    /// The participant is not in the session.
    #[error("there is no such participant in this session")]
    UnknownParticipant,
    /// The participant has no pending request to join.
    #[error("no participant with this id is waiting to join; check whether another owner has already decided")]
    NobodyKnocks,
    /// [`crate::View::KNOCKS`] participants are already waiting to join.
    #[error("too many people are waiting to join; retry after an owner has admitted or refused some of them")]
    TooManyKnocks,
    /// The session would be left without an owner.
    #[error("a session needs a person as its owner; make another person owner first")]
    LastOwner,
    /// The message does not exist.
    #[error("there is no message {0} in this session")]
    UnknownMessage(MessageId),
    /// The version of a file does not exist.
    #[error("there is no file {0} in this session")]
    UnknownFile(FileId),
    /// There is no file with this name.
    #[error("there is no file {0} in this session")]
    UnknownFileName(Arc<str>),
    /// The session has no room for the file; the message says why.
    #[error("{0}")]
    FilesFull(Arc<str>),
    /// The session already has [`crate::View::PARTICIPANTS`] participants.
    #[error("too many participants in this session; remove one first")]
    SessionFull,
}

fn stale(given: u32, current: u32) -> String {
    if given > current {
        format!("the subject has no revision {given} yet")
    } else {
        format!("the subject has changed since revision {given}")
    }
}
