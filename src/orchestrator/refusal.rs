//! Why a session's orchestrator did not apply a command.

use crate::protocol::Problem;
use crate::store::{ClaimError, StoreError};

/// Why a command was not applied here.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Its sender is told.
    Problem(Problem),
    /// Another node has the session, or is about to: the same may succeed there.
    Elsewhere,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Why a command was not applied.
pub(super) enum NotApplied {
    Problem(Problem),
    /// The store does not answer; the same may succeed later.
    Unavailable(StoreError),
    /// Another node writes this log now: this task is over.
    Fenced,
}

impl From<ClaimError> for NotApplied {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Held(_) | ClaimError::Taken => Self::Fenced,
            // It is renewed as soon as the store answers.
            ClaimError::Lapsed => Self::Unavailable(StoreError(error.to_string().into())),
            ClaimError::Unavailable(error) | ClaimError::Unanswered(error) => Self::Unavailable(error),
        }
    }
}
