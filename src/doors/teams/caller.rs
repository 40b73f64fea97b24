//! Callers of the door. Unlike the other doors, it has no guests without a credential: a team belongs to its creator.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::error::TeamError;
use crate::identity::{Participant, ServerRole};
use crate::protocol::{Code, Problem};

/// Participant of the request's token or cookie.
pub(super) struct TeamCaller(pub(super) Participant);

impl TeamCaller {
    /// Returns the participant if they can have teams of their own.
    ///
    /// # Errors
    /// `forbidden` for guests.
    pub(super) fn creator(self) -> Result<Participant, Problem> {
        match self.0.server_role {
            ServerRole::Member | ServerRole::Admin => Ok(self.0),
            ServerRole::Guest => {
                let message = "the server role guest cannot create teams; ask an administrator for a member's token";
                Err(Problem::new(Code::Forbidden, message))
            }
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TeamCaller {
    type Rejection = TeamError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, TeamError> {
        parts.extensions.get().cloned().map(Self).ok_or_else(|| {
            let message = "sign in first, or send Authorization: Bearer with a token";
            Problem::new(Code::Unauthenticated, message).into()
        })
    }
}
