//! Reasons why a session's orchestrator did not apply a command.

use crate::protocol::Problem;
use crate::store::ClaimError;
use crate::store_error::StoreError;

/// Reason why this node did not apply a command.
#[derive(Debug)]
pub(super) enum SubmitError {
    /// A problem for the sender.
    Problem(Problem),
    /// Another node has the session or is about to claim it. A retry can succeed there.
    Elsewhere,
}

impl From<Problem> for SubmitError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Reason why a session's task cannot write.
pub(super) enum WriteError {
    /// The store does not respond. A retry can succeed.
    Unavailable(StoreError),
    /// Another node writes this log now, so this task has to end.
    Fenced,
}

/// Reason why one pass of the core loop applied nothing.
pub(super) enum ApplyError {
    /// The only command is rejected.
    Problem(Problem),
    /// One of the commands was applied before. This is the seq of its last event.
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
            // The lease is renewed as soon as the store responds.
            ClaimError::Lapsed => Self::Unavailable(StoreError::unavailable(error)),
            ClaimError::Unavailable(error) | ClaimError::NoReply(error) => Self::Unavailable(error),
        }
    }
}
