//! Invitations: links that let others join a session.

use std::time::Duration;

use super::SecretHash;
use crate::kernel::{ParticipantId, Role, SessionId, Timestamp};

/// Invitation to add to the store.
#[derive(Debug, Clone)]
pub struct NewInvitation {
    /// Hash of the secret.
    pub hash: SecretHash,
    /// Session that the link opens.
    pub session: SessionId,
    /// Role that the link grants.
    pub role: Role,
    /// Creator of the link.
    pub by: ParticipantId,
    /// Lifetime, counted from when the invitation is added to the store.
    pub lasts: Duration,
    /// Maximum number of people who can join with the link. If absent, unlimited.
    pub max_uses: Option<u32>,
    /// True if the link only lets people ask to join.
    pub knock: bool,
}

/// Open invitation to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Hash of the secret.
    pub hash: SecretHash,
    /// Session that the link opens.
    pub session: SessionId,
    /// Role that the link grants.
    pub role: Role,
    /// Creator of the link.
    pub by: ParticipantId,
    /// Time of expiry.
    pub expires_at: Timestamp,
    /// Number of people who can still join with the link. If absent, unlimited.
    pub uses_left: Option<u64>,
    /// True if the link only lets people ask to join.
    pub knock: bool,
}
