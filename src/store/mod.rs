//! Where the truth is kept: an append-only log per session, with what is derived from it for look-ups.
//!
//! The laws on these traits hold for every engine; `tests/it` runs one suite on all of them.

mod audit;
mod backup;
mod batch;
mod connection;
mod contents;
mod database;
mod engine;
mod erasures;
mod events;
mod identity;
mod knowledge;
mod lease;
mod migrations;
mod open;
mod passages;
mod path;
mod problem;
mod quotas;
mod redactions;
mod restore;
mod scrub;
mod settings;
mod sql;
pub mod verdict;
mod vitals;
mod writer;

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

pub use backup::{BackupError, backup};
pub use contents::{Contents, Upload};
pub use lease::{ClaimError, Leases, Living, NodeId, Place, Term};
pub use open::{Engines, OpenError, open, open_existing};
pub use path::lock_file;
pub use restore::{page, restore, tail};
pub use settings::StoreSettings;
pub use vitals::Vitals;

use crate::kernel::{CommandId, Event, ParticipantId, Role, SessionId, Timestamp};

/// Directive for the log's filter: PostgreSQL says at each start that what is to be made where it is missing is there.
pub const LOG_DIRECTIVE: &str = "sqlx::postgres::notice=warn";

/// The right to write one session's log; each claim gets a higher one, and a lower one can write nothing (law 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fence(pub u64);

impl Fence {
    /// That of the next claim.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// An event with the very bytes that clients receive.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The event.
    pub event: Event,
    /// Its frame, as stored and sent: [`crate::protocol::encode_event`].
    pub frame: Bytes,
}

/// A stored frame: what replaying needs, without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its place in the log.
    pub seq: u64,
    /// The frame, byte for byte as it was appended.
    pub frame: Bytes,
}

/// What becomes durable together, or not at all.
#[derive(Debug, Clone)]
pub struct Append {
    /// The session.
    pub session: SessionId,
    /// The seq of the log's last event before these; the append fails if it is another.
    pub expected: u64,
    /// The writer's right.
    pub fence: Fence,
    /// The events, `expected + 1` onwards without a gap; none only where there is a receipt.
    pub events: Arc<[Recorded]>,
    /// The participant's command that they answer.
    pub receipt: Option<(Arc<str>, CommandId)>,
    /// The session's entry in lists after these events.
    pub listing: Listing,
    /// Participants whose membership these events change; `None`: no longer a member.
    pub members: Vec<(ParticipantId, Option<Role>)>,
    /// Participants whom these events name, where they may be the first to: see [`RedactionRequests::sessions_after`].
    pub appear: Vec<ParticipantId>,
    /// Erased together with the append, where it records a redaction.
    pub erasure: Option<Erasure>,
}

/// Content that goes for good: no byte of it stays in the store's own files. Seqs stay as they are. Earlier events read from the
/// append on as they were given to [`EventStore::stage_erasure`].
#[derive(Debug, Clone)]
pub struct Erasure {
    /// Digests of contents of files, with what is searched of them and with uploads that have the same content.
    pub contents: Vec<Arc<str>>,
    /// The state after the append: takes the place of any older one, also of one that is on its way to the store.
    pub snapshot: Bytes,
}

/// A session as lists show it; derived from its log, kept so that a list need not fold logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Its title.
    pub title: Arc<str>,
    /// When its last event was decided.
    pub updated_at: Timestamp,
    /// Work is outstanding: the session is taken up when a node starts.
    pub unfinished: bool,
    /// Somebody is waited for, at an open gate: the session does not expire.
    pub waiting: bool,
    /// What else lists show, as JSON: see `orchestrator::listing`.
    pub summary: Arc<str>,
    /// Participant who began the run under way, in whose quota it counts.
    pub run_by: Option<ParticipantId>,
    /// Days after its last event until it is redacted; absent: never.
    pub retention_days: Option<u32>,
}

/// A session in a participant's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Which.
    pub session: SessionId,
    /// The seq of its last event.
    pub head: u64,
    /// The asker's role; absent where an administrator sees it without being in it.
    pub role: Option<Role>,
    /// The rest.
    pub listing: Listing,
}

/// Which sessions a list shows.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// Who asks: entries say their role.
    pub asker: ParticipantId,
    /// Also those that the asker is not in, for an administrator.
    pub everybody: bool,
    /// Only titles that contain this, in any case of any script that has cases. Accents and full-width letters count.
    pub search: Option<String>,
    /// Only those last changed before this.
    pub before: Option<(Timestamp, SessionId)>,
    /// At most this many.
    pub limit: u32,
}

/// Why an append did not happen. Nothing of it is visible then.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    /// Another node has claimed the session since, it was removed, or the writer's own lease is over: to claim it again
    /// tells which.
    #[error("the session is not this writer's, or not now")]
    Fenced,
    /// The log's last event is another one; the writer's state is not the log's.
    #[error("the log is at {actual}")]
    Conflict {
        /// The seq of the log's last event.
        actual: u64,
    },
    /// The command was applied before; this is its first answer.
    #[error("the command was applied before")]
    Repeated {
        /// The seq of its last event.
        seq: u64,
    },
    /// The store did not answer, or not in time. Whether the append happened is unknown: read the head.
    #[error(transparent)]
    Unavailable(#[from] StoreError),
}

/// The store could not do what was asked. Trying again later may help.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the store does not answer: {0}")]
pub struct StoreError(pub Arc<str>);

/// The log of every session.
///
/// Laws, each with a test of its own in `tests/it/store_laws.rs`:
/// 1. What `append` acknowledged is there after a crash of this process or machine.
/// 2. `read` gives events in order, gapless, byte for byte as appended, or as an [`Erasure`] has left them.
/// 3. Two appends with one `expected` never both succeed, however they race.
/// 4. A fence lower than the latest claim's appends nothing.
/// 5. One `(actor, command)` is applied once in a session; the second gets the first answer.
/// 6. An append that fails leaves nothing: no event, receipt, listing or membership.
/// 7. What an acknowledged append erases is read by nobody from then on, and soon afterwards nowhere in the database's files (SQLite)
///    or in its rows (PostgreSQL). It holds up no append of another session.
#[async_trait]
pub trait EventStore: Send + Sync + 'static {
    /// Claim the session's log for this writer, if nobody has since the claim that was `seen`. Works for a session that does
    /// not exist yet, of which no claim was seen, and is needed before the first append to it: without a claim every append is
    /// `Fenced`. A session without events is in no list. A claim on a node's lease ends with that; one without takes nothing
    /// from a node that lives, and lasts until the next claim.
    ///
    /// A claim that arrives late, when its sender has given it up and claimed again, has seen too little to count: it would
    /// fence off the sender's own work, which no other node may take up.
    async fn claim_after(&self, session: SessionId, lease: Option<NodeId>, seen: Fence) -> Result<Fence, ClaimError>;

    /// Claim the log as it is now.
    async fn claim(&self, session: SessionId, lease: Option<NodeId>) -> Result<Fence, ClaimError> {
        loop {
            let seen = self.place(session).await?.fence;
            match self.claim_after(session, lease, seen).await {
                Err(ClaimError::Taken) => {}
                claimed => return claimed,
            }
        }
    }

    /// Claim the log again, for a writer whose latest claim had the fence `last`, or one below it if that claim never
    /// happened: its answer was lost. Unlike a claim it takes the log from nobody.
    async fn reclaim(&self, session: SessionId, lease: Option<NodeId>, last: Fence) -> Result<Fence, ClaimError> {
        loop {
            let place = self.place(session).await?;
            if place.claimer != lease || !(Fence(1)..=last).contains(&place.fence) {
                return Err(ClaimError::Taken);
            }
            match self.claim_after(session, lease, place.fence).await {
                Err(ClaimError::Taken) => {}
                claimed => return claimed,
            }
        }
    }

    /// Give a claim back, so that any node may have the session at once. A later claim is left alone.
    async fn release(&self, session: SessionId, fence: Fence) -> Result<(), StoreError>;

    /// Make events durable, or nothing. Concurrent appends share one commit, and one that fails disturbs no other.
    /// Checked in this order: `Fenced`, `Repeated`, `Conflict`.
    async fn append(&self, append: Append) -> Result<(), AppendError>;

    /// Begin an erasure: the staged events of one that never happened are dropped, and those of an earlier one replaced for good.
    async fn begin_erasure(&self, session: SessionId, fence: Fence) -> Result<(), StoreError>;

    /// Stage earlier events, with their seqs, as they will read once this writer's next append with an [`Erasure`] is acknowledged.
    /// After an error the writer claims the session again: these may arrive late, and would belong to its next erasure.
    async fn stage_erasure(&self, session: SessionId, fence: Fence, frames: &[(u64, Bytes)]) -> Result<(), StoreError>;

    /// Replace the events of an acknowledged erasure for good, a few at a time. The store does so by itself as well, also after
    /// a crash: this tells when it is done.
    async fn finish_erasure(&self, session: SessionId) -> Result<(), StoreError>;

    /// Events after `after`, in order, at most `limit` of them and about 1 MiB of frames; at least one if there is one.
    async fn read(&self, session: SessionId, after: u64, limit: u32) -> Result<Vec<Stored>, StoreError>;

    /// The seq of the last event; 0 where there is no such session.
    async fn head(&self, session: SessionId) -> Result<u64, StoreError>;

    /// The same of many sessions at once; those that do not exist are left out.
    async fn heads(&self, sessions: &[SessionId]) -> Result<Vec<(SessionId, u64)>, StoreError>;

    /// How far a session is, and which node has it.
    async fn place(&self, session: SessionId) -> Result<Place, StoreError>;

    /// The answer that a participant's command got, if it was applied.
    async fn receipt(&self, session: SessionId, actor: &str, command: &CommandId) -> Result<Option<u64>, StoreError>;

    /// Keep the state at `seq`, to restore it faster; replaces an older one, never a newer one.
    async fn save_snapshot(&self, session: SessionId, seq: u64, snapshot: Bytes) -> Result<(), StoreError>;

    /// The newest state that was kept.
    async fn snapshot(&self, session: SessionId) -> Result<Option<(u64, Bytes)>, StoreError>;

    /// Sessions, last changed first.
    async fn list(&self, query: ListQuery) -> Result<Vec<Listed>, StoreError>;

    /// A participant's role in a session.
    async fn role(&self, session: SessionId, participant: ParticipantId) -> Result<Option<Role>, StoreError>;

    /// Sessions with outstanding work that a writer with this lease may take over; at most `limit`, in no order.
    async fn orphans(&self, lease: Option<NodeId>, limit: u32) -> Result<Vec<SessionId>, StoreError>;

    /// Remove sessions that nothing has happened in since `before` and that wait for nobody, with all that belongs to
    /// them; how many.
    async fn remove_expired(&self, before: Timestamp) -> Result<u64, StoreError>;
}
