//! Interface of the store for quotas.

use async_trait::async_trait;
use uuid::Uuid;

use super::{AccountUsage, ModelAccount, ModelRequest, ModelReservation, Month, QuotaSubject, UsagePosition};
use crate::fence::Fence;
use crate::kernel::{ParticipantId, ReservedRequest, SessionId, Timestamp};
use crate::knowledge::BaseId;
use crate::store_error::StoreError;

/// Scope in which the run time of programs is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PythonAccount {
    /// All runs that this participant started.
    Participant(ParticipantId),
    /// All runs of this session.
    Session(SessionId),
}

/// Amount that an operation adds to a quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaAmount<'a> {
    /// Session that a participant creates.
    Session,
    /// Run that a participant starts.
    Run,
    /// Run that a participant starts, in the quota of the team with this account.
    TeamRun(Uuid),
    /// Content of a session file. It adds nothing if the session already has the content.
    File {
        /// Session of the file.
        session: SessionId,
        /// BLAKE3 digest of the content.
        digest: &'a str,
        /// Size of the content, in bytes.
        bytes: u64,
    },
    /// Document of a knowledge base. It replaces the document with the same name, if there is one.
    Document {
        /// Id of the knowledge base.
        base: BaseId,
        /// Name of the document.
        name: &'a str,
        /// Size of the document, in bytes.
        bytes: u64,
    },
}

impl QuotaAmount<'_> {
    /// Returns the upper bound of the amount: a number of items, or of bytes.
    pub fn number(&self) -> u64 {
        match self {
            Self::Session | Self::Run | Self::TeamRun(_) => 1,
            Self::File { bytes, .. } | Self::Document { bytes, .. } => *bytes,
        }
    }
}

/// Reserved run time of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PythonReservation {
    /// Id of the reservation.
    pub id: Uuid,
}

/// Amounts that participants, sessions and teams use, over all nodes.
///
/// Laws, each with a test in `tests/it/quota_laws.rs` or `tests/it/model_quotas.rs`:
/// 1. An amount that a participant adds counts, and stops counting when it is removed.
/// 2. A run counts from the append that starts it to the one that ends it.
/// 3. Concurrent operations that reserve first do not exceed a quota together, even on different nodes. A reservation
///    that is released, or that belongs to a node that crashed minutes ago, no longer counts.
/// 4. Reserved run time counts in full until its program ends. Run time before a quota's window does not count.
/// 5. Model usage exceeds no monthly quota by more than the bound of one request, even on different nodes. A
///    reservation that is never released counts until the end of its month.
/// 6. Once a session is claimed again, its last owner cannot reserve requests to a model.
#[async_trait]
pub trait QuotaStore: Send + Sync + 'static {
    /// Returns the number of existing sessions that a participant created.
    async fn sessions(&self, who: ParticipantId) -> Result<u64, StoreError>;

    /// Returns the number of active runs that a participant started.
    async fn runs(&self, who: ParticipantId) -> Result<u64, StoreError>;

    /// Returns the total size of the contents that count toward a participant's quota, in bytes.
    async fn file_bytes(&self, who: ParticipantId) -> Result<u64, StoreError>;

    /// Counts the content of a session file toward a participant's quota, unless it already counts toward another's.
    async fn charge_file(&self, who: ParticipantId, session: SessionId, digest: &str) -> Result<(), StoreError>;

    /// Reserves the amount that an operation will add to a quota of `limit`, of the participant or of the team. Returns
    /// the id of the reservation, or `None` if the amount would exceed the quota. The reservation counts until its
    /// release, which must follow as soon as the added amount counts itself.
    async fn reserve(
        &self,
        who: ParticipantId,
        amount: QuotaAmount<'_>,
        limit: u64,
    ) -> Result<Option<Uuid>, StoreError>;

    /// Releases a reservation.
    async fn release(&self, reservation: Uuid) -> Result<(), StoreError>;

    /// Returns whether the session has an active run that counts toward a quota.
    async fn has_counted_run(&self, session: SessionId) -> Result<bool, StoreError>;

    /// Returns the total size of all documents in a participant's knowledge bases, in bytes.
    async fn knowledge_bytes(&self, owner: ParticipantId) -> Result<u64, StoreError>;

    /// Reserves `ms` milliseconds of run time for a program that starts now.
    async fn reserve_python(
        &self,
        session: SessionId,
        caused_by: Option<ParticipantId>,
        ms: u64,
    ) -> Result<PythonReservation, StoreError>;

    /// Returns the run time within the last `window_ms` milliseconds, in milliseconds and without the reservation
    /// `without`, and the start of the first program in this window.
    async fn python_ms(
        &self,
        of: PythonAccount,
        window_ms: u64,
        without: Uuid,
    ) -> Result<(u64, Option<Timestamp>), StoreError>;

    /// Returns the tokens and the cost in millionths of the currency that count toward an account in a month: the
    /// recorded usage, and the bounds of requests that crashed nodes have lost.
    async fn model_use(&self, account: Uuid, month: Month) -> Result<(u64, u64), StoreError>;

    /// Returns the accounts of this kind of subject that used models in a month, most tokens first, starting after a
    /// position. Counts the same amounts as [`Self::model_use`].
    async fn accounts(
        &self,
        subject: QuotaSubject,
        month: Month,
        after: Option<UsagePosition>,
        limit: u32,
    ) -> Result<Vec<AccountUsage>, StoreError>;

    /// Reserves the bound of a request to a model in each of these accounts, or in none. The reservation counts until
    /// its release. Reserves nothing once the session has been claimed again.
    async fn reserve_model(
        &self,
        request: &ModelRequest,
        accounts: &[ModelAccount],
    ) -> Result<ModelReservation, StoreError>;

    /// Returns the session's requests to models that are reserved, which are those that might have been sent, and
    /// counts them as lost from now on. The next owner of a session calls this, repeatedly if necessary. If the fence
    /// is no longer that of the session's owner, has no effect and returns an empty list.
    async fn lose_requests(&self, session: SessionId, fence: Fence) -> Result<Vec<ReservedRequest>, StoreError>;

    /// Releases the reservation of a request to a model.
    async fn release_model(&self, reservation: Uuid) -> Result<(), StoreError>;

    /// Records that a program ended after `ms` milliseconds.
    async fn end_python(&self, reservation: Uuid, ms: u64) -> Result<(), StoreError>;

    /// Deletes programs that started before `before`, because they no longer count in any window, and reservations made
    /// before it, because their nodes have crashed. Deletes the model usage of earlier months too, and the model
    /// reservations of months before the previous one. Returns the number of deleted rows.
    async fn sweep(&self, before: Timestamp) -> Result<u64, StoreError>;
}
