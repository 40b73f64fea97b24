//! Conversion of the store's errors to problems for clients.

use super::ClaimError;
use crate::protocol::{Code, Problem};
use crate::store_error::StoreError;

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        if error.is_retryable() { unavailable_problem(&error) } else { Self::internal(error) }
    }
}

impl From<ClaimError> for Problem {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Unavailable(error) | ClaimError::NoReply(error) => error.into(),
            ClaimError::Held(_) | ClaimError::Taken | ClaimError::Lapsed => unavailable_problem(&error),
        }
    }
}

/// Returns a problem that omits the database's message, which can contain names of hosts and tables. Logs the message
/// for the operator.
fn unavailable_problem(error: &dyn std::fmt::Display) -> Problem {
    tracing::warn!(%error, "the store does not respond");
    Problem::new(Code::StoreUnavailable, "the database does not respond or accepts no writes; retry in a moment")
        .retry_after(1_000)
}
