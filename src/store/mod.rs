//! Durable storage: an append-only log per session, with tables derived from it for queries.
//!
//! The laws on these traits hold for every engine; `tests/it` runs one suite on all engines.

pub mod admission;
mod audit;
mod backup;
mod batch;
mod checkpoint;
mod connection;
mod contents;
mod database;
mod engine;
mod erasures;
mod error;
mod events;
mod executions;
mod external;
mod group_commit;
mod health;
mod identity;
mod identity_rows;
mod knowledge;
mod lease;
mod migrations;
mod open;
mod passages;
mod path;
mod problem_conversion;
mod quotas;
mod redactions;
mod restore;
mod script;
mod scrub;
mod settings;
mod sql;
mod teams;

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use uuid::Uuid;

pub use crate::fence::Fence;
pub use backup::{BackupError, backup};
pub use error::AppendError;
pub use health::DatabaseHealth;
pub use lease::{ClaimError, LeaseStore, LeaseTerm, LiveNode, SessionOwnership};
pub use open::{OpenError, Stores, open, open_existing};
pub use path::lock_file;
pub use restore::{page, restore, tail};
pub use settings::StoreSettings;

use crate::agent::teams::ExecutionChange;
use crate::kernel::{CommandId, Event, ParticipantId, Role, SessionId, Timestamp};
use crate::node_id::NodeId;
use crate::store_error::StoreError;

/// Log directive that hides a PostgreSQL notice, which reports at each startup that tables already exist.
pub const LOG_DIRECTIVE: &str = "sqlx::postgres::notice=warn";

/// An event with the exact bytes that clients receive.
#[derive(Debug, Clone)]
pub struct RecordedEvent {
    /// The event.
    pub event: Event,
    /// The event's frame, as stored and sent; see [`crate::protocol::encode_event`].
    pub frame: Bytes,
}

/// A stored frame. A replay sends it without parsing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Seq of the event.
    pub seq: u64,
    /// The frame, byte for byte as it was appended.
    pub frame: Bytes,
}

/// The record that a participant's command was applied, so that it is not applied again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandReceipt {
    /// Id of the actor.
    pub actor: Arc<str>,
    /// Id that the actor gave the command.
    pub command: CommandId,
    /// Seq of the last event that the command led to, or of the event before it if it led to none.
    pub seq: u64,
}

/// Events that become durable together, or not at all.
#[derive(Debug, Clone)]
pub struct Append {
    /// The session.
    pub session: SessionId,
    /// Seq of the log's last event before these. The append fails if the log ends with a different seq.
    pub expected: u64,
    /// Fence of the writer's claim.
    pub fence: Fence,
    /// The events, from `expected + 1` on and without gaps. Empty only if there is a receipt.
    pub events: Arc<[RecordedEvent]>,
    /// Receipts of the participants' commands that caused these events.
    pub receipts: Vec<CommandReceipt>,
    /// The session's entry in lists after these events.
    pub listing: Listing,
    /// Participants whose membership these events change. `None` ends the membership.
    pub members: Vec<(ParticipantId, Option<Role>)>,
    /// Participants whom these events mention, possibly for the first time; see
    /// [`crate::redactions::RedactionStore::sessions_after`].
    pub appear: Vec<ParticipantId>,
    /// Changes to the execution of a stored team that the session belongs to. Empty for other sessions.
    pub execution: Vec<ExecutionChange>,
    /// Content to erase together with the append. `None` unless the append records a redaction.
    pub erasure: Option<Erasure>,
}

/// Content to erase permanently: no byte of it stays in the store's files. Seqs do not change. Once the append is
/// acknowledged, reads return earlier events in the form that was passed to [`EventStore::stage_erasure`].
#[derive(Debug, Clone)]
pub struct Erasure {
    /// Digests of file contents. Their search index and uploads with the same content are erased too.
    pub contents: Vec<Arc<str>>,
    /// State after the append. It replaces any older snapshot, even one that is still on its way to the store.
    pub snapshot: Bytes,
}

/// A session's entry in lists. Derived from the log and stored, so that a list does not have to fold logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Title of the session.
    pub title: Arc<str>,
    /// Time at which the last event was decided.
    pub updated_at: Timestamp,
    /// True if work is outstanding. If so, a node resumes the session at startup.
    pub unfinished: bool,
    /// True if a run is active, even if it is paused or waits for people at a gate. If so, the session does not expire.
    pub waiting: bool,
    /// Further fields of lists, as JSON; see `orchestrator::listing`.
    pub summary: Arc<str>,
    /// The participant who started the current run. The run counts toward their quota.
    pub run_by: Option<ParticipantId>,
    /// Days between the last event and the redaction of the session. `None` means never.
    pub retention_days: Option<u32>,
    /// Account of the team, for its quotas.
    pub team: Option<Uuid>,
}

/// A session in a participant's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionListing {
    /// The session.
    pub session: SessionId,
    /// Seq of the last event.
    pub head: u64,
    /// The requester's role. `None` if an administrator sees the session without being a member.
    pub role: Option<Role>,
    /// The other fields of the entry.
    pub listing: Listing,
}

/// Query for a list of sessions.
#[derive(Debug, Clone)]
pub struct SessionQuery {
    /// The participant who requests the list. Entries contain their role.
    pub asker: ParticipantId,
    /// True to include sessions of which the requester is not a member, for administrators.
    pub everybody: bool,
    /// String that titles must contain, ignoring case in every script that has it. Accents and full-width letters
    /// matter.
    pub search: Option<String>,
    /// Position of the last entry of the previous page. Only sessions that changed earlier are returned.
    pub before: Option<(Timestamp, SessionId)>,
    /// Maximum number of entries.
    pub limit: u32,
}

/// The logs of all sessions.
///
/// Laws, each with its own test in `tests/it/store_laws.rs`:
/// 1. Events that `append` acknowledged survive a crash of this process or machine.
/// 2. `read` returns events in order, without gaps, and byte for byte as appended or as an [`Erasure`] left them.
/// 3. Two appends with the same `expected` never both succeed, however they race.
/// 4. A fence lower than the latest claim's appends nothing.
/// 5. One `(actor, command)` is applied once in a session. The second gets the first result.
/// 6. A failed append leaves nothing: no event, receipt, listing or membership.
/// 7. Once an append that erases content is acknowledged, nobody can read that content. Soon afterwards, it is nowhere
///    in the database's files (SQLite) or rows (PostgreSQL). Events are replaced in short transactions, so that appends
///    of other sessions do not wait for all of them.
#[async_trait]
pub trait EventStore: Send + Sync + 'static {
    /// Claims the session's log for this writer, unless it was claimed after the claim that the writer has `seen`.
    /// Required before the first append: without a claim, every append is `Fenced`. Also works for a session that does
    /// not exist yet; `seen` is then 0. A session without events appears in no list. A claim with a node's lease ends
    /// with that lease; a claim without one takes nothing from a live node and lasts until the next claim.
    ///
    /// If a writer stops waiting for the reply to a claim and claims again, the first claim can still reach the
    /// database late. It must not count: it would fence off the writer's own work, which no other node is allowed to
    /// resume.
    async fn claim_after(&self, session: SessionId, lease: Option<NodeId>, seen: Fence) -> Result<Fence, ClaimError>;

    /// Claims the session's log after its latest claim. Retries if another claim comes in between.
    async fn claim(&self, session: SessionId, lease: Option<NodeId>) -> Result<Fence, ClaimError> {
        loop {
            let seen = self.ownership(session).await?.fence;
            match self.claim_after(session, lease, seen).await {
                Err(ClaimError::Taken) => {}
                claimed => return claimed,
            }
        }
    }

    /// Claims the log again after the reply to a claim was lost. `last` is the fence of the writer's latest claim; the
    /// actual fence is one lower if that claim never happened. Unlike [`EventStore::claim`], never takes the log from
    /// another writer.
    async fn reclaim(&self, session: SessionId, lease: Option<NodeId>, last: Fence) -> Result<Fence, ClaimError> {
        loop {
            let ownership = self.ownership(session).await?;
            if ownership.claimer != lease || !(Fence(1)..=last).contains(&ownership.fence) {
                return Err(ClaimError::Taken);
            }
            match self.claim_after(session, lease, ownership.fence).await {
                Err(ClaimError::Taken) => {}
                claimed => return claimed,
            }
        }
    }

    /// Releases a claim, so that any node can claim the session immediately. Has no effect after a later claim.
    async fn release(&self, session: SessionId, fence: Fence) -> Result<(), StoreError>;

    /// Makes all events durable, or none. Concurrent appends share one commit, and a failed append affects no other.
    /// Checked in this order: `Fenced`, `Repeated`, `Conflict`.
    async fn append(&self, append: Append) -> Result<(), AppendError>;

    /// Begins an erasure: drops the staged events of an erasure that never happened, and completes an earlier erasure.
    async fn begin_erasure(&self, session: SessionId, fence: Fence) -> Result<(), StoreError>;

    /// Stages earlier events, with their seqs, in the form that they have once this writer's next append with an
    /// [`Erasure`] is acknowledged. After an error, the writer must claim the session again: the staged events might
    /// arrive late and would belong to its next erasure.
    async fn stage_erasure(&self, session: SessionId, fence: Fence, frames: &[(u64, Bytes)]) -> Result<(), StoreError>;

    /// Permanently replaces the events of an acknowledged erasure, a few at a time, and returns when all are replaced.
    /// The store also does this in the background and after a crash.
    async fn finish_erasure(&self, session: SessionId) -> Result<(), StoreError>;

    /// Returns events after `after`, in order: at most `limit` of them and about [`StoreSettings::max_read_bytes`] of
    /// frames, but at least one event if there is one.
    async fn read(&self, session: SessionId, after: u64, limit: u32) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns the seq of the last event; 0 if there is no such session.
    async fn head(&self, session: SessionId) -> Result<u64, StoreError>;

    /// Returns the seqs of the last events of many sessions. Sessions that do not exist are omitted.
    async fn heads(&self, sessions: &[SessionId]) -> Result<Vec<(SessionId, u64)>, StoreError>;

    /// Returns the session's head and the node that has claimed it.
    async fn ownership(&self, session: SessionId) -> Result<SessionOwnership, StoreError>;

    /// Returns the seq at which a participant's command was applied. `None` if it was not.
    async fn receipt(&self, session: SessionId, actor: &str, command: &CommandId) -> Result<Option<u64>, StoreError>;

    /// Stores the state at `seq` for faster restores. Replaces an older snapshot, never a newer one.
    async fn save_snapshot(&self, session: SessionId, seq: u64, snapshot: Bytes) -> Result<(), StoreError>;

    /// Returns the newest stored snapshot and its seq. `None` if there is none.
    async fn snapshot(&self, session: SessionId) -> Result<Option<(u64, Bytes)>, StoreError>;

    /// Returns sessions, most recently changed first.
    async fn list(&self, query: SessionQuery) -> Result<Vec<SessionListing>, StoreError>;

    /// Returns a participant's role in a session. `None` if they are not a member.
    async fn role(&self, session: SessionId, participant: ParticipantId) -> Result<Option<Role>, StoreError>;

    /// Returns up to `limit` sessions with outstanding work that a writer with this lease can take over, in random
    /// order.
    async fn orphans(&self, lease: Option<NodeId>, limit: u32) -> Result<Vec<SessionId>, StoreError>;

    /// Removes sessions, with all their data, that have had no events since `before`, no outstanding work and no active
    /// run. Returns the number of removed sessions.
    async fn remove_expired(&self, before: Timestamp) -> Result<u64, StoreError>;
}
