//! Interface of the store for redaction requests.

use async_trait::async_trait;

use crate::kernel::{Actor, ParticipantId, SessionId, Timestamp};
use crate::store_error::StoreError;

/// Target of a redaction request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedactionRequestTarget {
    /// One session.
    Session(SessionId),
    /// A participant, on the whole server.
    Participant {
        /// Id of the participant.
        participant: ParticipantId,
        /// True to also erase the participant's messages and files.
        content: bool,
    },
}

/// Request for a redaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactionRequest {
    /// Number of the request.
    pub id: u64,
    /// Target of the redaction.
    pub target: RedactionRequestTarget,
    /// Actor who requested the redaction. The events of the redaction record this actor.
    pub by: Actor,
}

/// Session past its retention, used as a position in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionRow {
    /// Time of the session's last event.
    pub updated_at: Timestamp,
    /// The session.
    pub session: SessionId,
}

/// Outstanding redaction requests, and the queries for their execution. Every store engine implements this interface.
#[async_trait]
pub trait RedactionStore: Send + Sync + 'static {
    /// Stores a request, and returns its number.
    async fn request_redaction(&self, target: RedactionRequestTarget, by: &Actor) -> Result<u64, StoreError>;

    /// Returns up to 100 outstanding requests with numbers greater than `after`, oldest first. Pass 0 for the first
    /// ones.
    async fn redaction_requests(&self, after: u64) -> Result<Vec<RedactionRequest>, StoreError>;

    /// Deletes a completed request.
    async fn complete_redaction(&self, id: u64) -> Result<(), StoreError>;

    /// Replaces a participant's name, disables them and deletes their credentials and their rights to teams; with
    /// `content`, also their uploads and teams. Returns false if the participant is unknown. Repeating the call has no
    /// further effect.
    async fn erase_identity(&self, participant: ParticipantId, name: &str, content: bool) -> Result<bool, StoreError>;

    /// Returns the next sessions whose logs mention the participant, in the order of their ids, starting after `after`
    /// if it is given. The result is empty after the last one.
    async fn sessions_after(
        &self,
        after: Option<SessionId>,
        participant: ParticipantId,
    ) -> Result<Vec<SessionId>, StoreError>;

    /// Returns whether the log of a session mentions the participant.
    async fn has_appeared(&self, session: SessionId, participant: ParticipantId) -> Result<bool, StoreError>;

    /// Returns up to 100 sessions that are neither unfinished nor waiting and whose last event is more than their
    /// `retention_days` before `now`, oldest first, starting after the position `after` if it is given. The result is
    /// empty after the last one.
    async fn past_retention(
        &self,
        now: Timestamp,
        after: Option<RetentionRow>,
    ) -> Result<Vec<RetentionRow>, StoreError>;
}
