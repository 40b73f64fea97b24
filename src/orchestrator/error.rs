//! Reasons why a session's orchestrator did not apply a command.

use crate::protocol::Problem;
use crate::store::ClaimError;
use crate::store_error::StoreError;

/// Reason why this node did not apply a command.
#[derive(Debug)]
pub(super) enum SubmitError {
    /// A problem for the sender.
    Problem(Problem),
    /// Another node has the session or is about to claim it, or the session's task on this node is ending. A retry can
    /// succeed.
    Elsewhere,
}

impl From<Problem> for SubmitError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Reason why a session's task cannot write.
pub(super) enum WriteError {
    /// The store failed. A retry can succeed if [`StoreError::is_retryable`] returns true.
    Unavailable(StoreError),
    /// This task has lost its claim, usually to another node, so it has to end.
    Fenced,
}

/// Reason why one pass of the core loop applied nothing.
pub(super) enum ApplyError {
    /// The only command is rejected.
    Problem(Problem),
    /// One of the commands was applied before. Contains the seq of its last event.
    Repeated(u64),
    Write(WriteError),
}

impl From<WriteError> for ApplyError {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error)
    }
}

impl From<StoreError> for ApplyError {
    fn from(error: StoreError) -> Self {
        Self::Write(error.into())
    }
}

impl From<ClaimError> for WriteError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Held(_) | ClaimError::Taken => Self::Fenced,
            // The lease is renewed as soon as the store responds, so a retry can succeed.
            ClaimError::Lapsed => Self::Unavailable(StoreError::unavailable(error)),
            ClaimError::Unavailable(error) | ClaimError::NoReply(error) => Self::Unavailable(error),
        }
    }
}
