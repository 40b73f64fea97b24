//! What quotas need of a database.

use async_trait::async_trait;
use uuid::Uuid;

use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::store::StoreError;

/// Whose time of programs is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PythonUse {
    /// Of runs that this participant began.
    Participant(ParticipantId),
    /// Of this session.
    Session(SessionId),
}

/// Time that is reserved for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservedPython {
    /// Id of the reservation.
    pub id: Uuid,
}

/// Counts of what participants and sessions have and use, over all nodes.
///
/// Laws, each with a test in `tests/it/quota_laws.rs`:
/// 1. What a participant adds is counted, and what is removed is not counted any more.
/// 2. A run counts from the append that begins it to the one that ends it.
/// 3. Time that is reserved counts in full until its program ends; after its window it does not count.
#[async_trait]
pub trait QuotaStore: Send + Sync + 'static {
    /// Sessions that a participant has created and that exist.
    async fn sessions(&self, who: ParticipantId) -> Result<u64, StoreError>;

    /// Runs under way that a participant has begun.
    async fn runs(&self, who: ParticipantId) -> Result<u64, StoreError>;

    /// Bytes of the contents that are counted as a participant's.
    async fn file_bytes(&self, who: ParticipantId) -> Result<u64, StoreError>;

    /// Count the content of a session's file as a participant's, where it is nobody's yet.
    async fn charge_file(&self, who: ParticipantId, session: SessionId, digest: &str) -> Result<(), StoreError>;

    /// Bytes of all documents in a participant's knowledge bases.
    async fn knowledge_bytes(&self, owner: ParticipantId) -> Result<u64, StoreError>;

    /// Reserve milliseconds for a program that begins now.
    async fn reserve_python(
        &self,
        session: SessionId,
        caused_by: Option<ParticipantId>,
        ms: u64,
    ) -> Result<ReservedPython, StoreError>;

    /// Milliseconds within the last `window_ms`, but for those of one reservation, and when the first of them began.
    async fn python_ms(
        &self,
        of: PythonUse,
        window_ms: u64,
        without: Uuid,
    ) -> Result<(u64, Option<Timestamp>), StoreError>;

    /// A program has ended after this long.
    async fn end_python(&self, reservation: Uuid, ms: u64) -> Result<(), StoreError>;

    /// Remove what began before `before` and counts in no window.
    async fn remove_python(&self, before: Timestamp) -> Result<u64, StoreError>;
}
