//! Requests to redact, as they are kept.

use async_trait::async_trait;

use crate::kernel::{Actor, ParticipantId, SessionId, Timestamp};
use crate::store::StoreError;

/// Target of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestTarget {
    /// One session.
    Session(SessionId),
    /// A participant, on the whole server.
    Participant {
        /// Who.
        participant: ParticipantId,
        /// Their messages and files as well.
        content: bool,
    },
}

/// Request to redact something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactionRequest {
    /// Its number.
    pub id: u64,
    /// What is to be redacted.
    pub target: RequestTarget,
    /// Who asks, as the events of the redaction will say.
    pub by: Actor,
}

/// A session whose retention is over. In the order of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastRetention {
    /// Time of its last event.
    pub updated_at: Timestamp,
    /// The session.
    pub session: SessionId,
}

/// Requests that are not done yet, and what carrying them out needs to know. Implemented by every store engine.
#[async_trait]
pub trait RedactionRequests: Send + Sync + 'static {
    /// Keep a request; its number.
    async fn request_redaction(&self, target: RequestTarget, by: &Actor) -> Result<u64, StoreError>;

    /// The next requests after this one that are not done, oldest first, at most 100; 0 for the first ones.
    async fn redaction_requests(&self, after: u64) -> Result<Vec<RedactionRequest>, StoreError>;

    /// Forget a request that is done.
    async fn complete_redaction(&self, id: u64) -> Result<(), StoreError>;

    /// Replace a participant's name, disable them and remove their credentials; with `content` their uploads as well. False
    /// where nobody has this id. Again is harmless.
    async fn erase_identity(&self, participant: ParticipantId, name: &str, content: bool) -> Result<bool, StoreError>;

    /// The next sessions after this one by id whose logs name the participant; none after the last.
    async fn sessions_after(
        &self,
        after: Option<SessionId>,
        participant: ParticipantId,
    ) -> Result<Vec<SessionId>, StoreError>;

    /// Whether the log of a session names the participant.
    async fn has_appeared(&self, session: SessionId, participant: ParticipantId) -> Result<bool, StoreError>;

    /// The next sessions after this one in which nothing has happened for as many days before `now` as they are to be kept,
    /// by when something last did, at most 100; none after the last.
    async fn past_retention(
        &self,
        now: Timestamp,
        after: Option<PastRetention>,
    ) -> Result<Vec<PastRetention>, StoreError>;
}
