//! What quotas need of a database.

use async_trait::async_trait;
use uuid::Uuid;

use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::knowledge::BaseId;
use crate::store::StoreError;

/// Whose time of programs is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PythonUse {
    /// Of runs that this participant began.
    Participant(ParticipantId),
    /// Of this session.
    Session(SessionId),
}

/// The amount that an act adds to a quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaAmount<'a> {
    /// A session that a participant creates.
    Session,
    /// A run that a participant begins.
    Run,
    /// The content of a session's file; nothing where that counts already.
    File {
        /// The session.
        session: SessionId,
        /// Digest of the content.
        digest: &'a str,
        /// Its bytes.
        bytes: u64,
    },
    /// A document of a base, in place of the one that has its name.
    Document {
        /// The base.
        base: BaseId,
        /// Name of the document.
        name: &'a str,
        /// Its bytes.
        bytes: u64,
    },
}

impl QuotaAmount<'_> {
    /// Its upper bound.
    pub fn number(&self) -> u64 {
        match self {
            Self::Session | Self::Run => 1,
            Self::File { bytes, .. } | Self::Document { bytes, .. } => *bytes,
        }
    }
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
/// 3. Acts that reserve first exceed no quota together, on whatever nodes they come at once; what is given back, or was
///    reserved by a node that crashed minutes ago, is free again.
/// 4. Time that is reserved counts in full until its program ends; after its window it does not count.
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

    /// Reserve what an act will add to a participant's quota of `limit`; `None` where it would exceed it. It counts until it
    /// is released, which is due as soon as what the act has added counts itself.
    async fn reserve(
        &self,
        who: ParticipantId,
        amount: QuotaAmount<'_>,
        limit: u64,
    ) -> Result<Option<Uuid>, StoreError>;

    /// The act of a reservation is over.
    async fn release(&self, reservation: Uuid) -> Result<(), StoreError>;

    /// Whether a run is under way in a session that counts in somebody's quota.
    async fn has_counted_run(&self, session: SessionId) -> Result<bool, StoreError>;

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

    /// Remove programs that began before `before`, which count in no window any more, and reservations from before it, whose node
    /// has crashed.
    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError>;
}
