//! The kernel's ways of saying no. A rejection leaves no trace in the log.

use std::sync::Arc;

use super::{FileId, GateId, MessageId, Right, gate::Decision};

/// Why a command is refused, in words that tell its sender what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message says it")]
pub enum Rejection {
    #[error("there is no session with this id, or it is not yours to see")]
    UnknownSession,
    #[error("the session is closed; start a new one")]
    SessionClosed,
    #[error("you are not in this session; ask one of its members for an invitation")]
    NotAMember,
    #[error("{message}")]
    Forbidden { right: Right, message: Arc<str> },
    #[error("{0}")]
    Invalid(Arc<str>),
    #[error("a run is under way; take part in it, wait for its end, or cancel it first")]
    RunActive,
    #[error("no run is under way")]
    NoRun,
    #[error("{0} is over, so nothing was done; look at what runs now")]
    TargetOver(Arc<str>),
    #[error("nothing is being written that could be interrupted")]
    NothingRunning,
    #[error("the run is already paused")]
    AlreadyPaused,
    #[error("the run is not paused")]
    NotPaused,
    #[error("this was already asked for and is on its way")]
    AlreadyRequested,
    #[error("there is no gate {0}")]
    UnknownGate(GateId),
    #[error("this was already decided by {}", .decision.by.name)]
    AlreadyDecided { gate: GateId, decision: Box<Decision> },
    #[error("gate {0} is closed: its run ended or its time ran out")]
    GateClosed(GateId),
    #[error("{}; look at revision {current} and decide again", stale(*given, *current))]
    StaleRevision { given: u32, current: u32 },
    #[error("say what should change: a vote against needs a comment")]
    CommentRequired,
    #[error("there is no such message waiting; it was already consumed or withdrawn")]
    NotWaiting,
    #[error("only its author can withdraw a message")]
    NotTheAuthor,
    #[error("{limit} messages are already waiting for this run; wait until some are consumed, or withdraw one")]
    InboxFull { limit: u32 },
    #[error("there is no such participant in this session")]
    UnknownParticipant,
    #[error("nobody of this id waits to be let in; somebody may have answered already")]
    NobodyKnocks,
    #[error("too many people wait to be let in already; an owner has to answer them first")]
    TooManyKnocks,
    #[error("a session needs an owner; make somebody else owner first")]
    LastOwner,
    #[error("there is no message {0} in this session")]
    UnknownMessage(MessageId),
    #[error("there is no file {0} in this session")]
    UnknownFile(FileId),
    #[error("there is no file {0} in this session")]
    UnknownFileName(Arc<str>),
    #[error("{0}")]
    FilesFull(Arc<str>),
    #[error("the session has as many participants as it may have")]
    SessionFull,
}

fn stale(given: u32, current: u32) -> String {
    if given > current {
        format!("the subject has no revision {given} yet")
    } else {
        format!("the subject has changed since revision {given}")
    }
}
