//! Invitations: links that let others into a session.

use std::time::Duration;

use super::SecretHash;
use crate::kernel::{ParticipantId, Role, SessionId, Timestamp};

/// An invitation to be known to the store.
#[derive(Debug, Clone)]
pub struct NewInvitation {
    /// The hash of its secret.
    pub hash: SecretHash,
    /// Where to.
    pub session: SessionId,
    /// As what.
    pub role: Role,
    /// Who invites.
    pub by: ParticipantId,
    /// For how long from now.
    pub lasts: Duration,
    /// How many may come in by it; absent: as many as like to.
    pub uses: Option<u32>,
    /// Whether it only lets its bearer ask to come in.
    pub knock: bool,
}

/// An open invitation to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// The hash of its secret.
    pub hash: SecretHash,
    /// Where to.
    pub session: SessionId,
    /// As what.
    pub role: Role,
    /// Who invites.
    pub by: ParticipantId,
    /// When it ends.
    pub expires_at: Timestamp,
    /// How many may still come in by it; absent: as many as like to.
    pub uses_left: Option<u64>,
    /// Whether it only lets its bearer ask to come in.
    pub knock: bool,
}
