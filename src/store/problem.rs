//! What a client is told where the store does not answer.

use super::{ClaimError, StoreError};
use crate::protocol::{Code, Problem};

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        unanswered(&error)
    }
}

impl From<ClaimError> for Problem {
    fn from(error: ClaimError) -> Self {
        unanswered(&error)
    }
}

/// The words of a database may name hosts and tables: they are for the operator.
fn unanswered(error: &dyn std::fmt::Display) -> Problem {
    tracing::warn!(%error, "the store does not answer");
    Problem::new(
        Code::StoreUnavailable,
        "the database does not answer, or takes nothing; send the same again in a moment",
    )
    .retry_after(1_000)
}
