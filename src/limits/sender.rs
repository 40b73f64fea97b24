//! Sender of an operation that rate limits count.

use crate::identity::{Participant, SecretHash};
use crate::kernel::ParticipantId;

/// Participant, with the token that they act with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitSender {
    /// The participant.
    pub participant: ParticipantId,
    /// Token that identifies them. `None` in a browser that signed in without one.
    pub token: Option<SecretHash>,
}

impl From<&Participant> for RateLimitSender {
    fn from(who: &Participant) -> Self {
        Self { participant: who.id, token: who.token }
    }
}

impl From<ParticipantId> for RateLimitSender {
    fn from(participant: ParticipantId) -> Self {
        Self { participant, token: None }
    }
}
