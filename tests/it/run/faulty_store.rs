//! A store whose appends can be held back, or can fail before or after they have become durable.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use roundtable::kernel::{CommandId, ParticipantId, Role, SessionId, Timestamp};
use roundtable::node_id::NodeId;
use roundtable::orchestrator::OrchestratorSettings;
use roundtable::store::*;
use roundtable::store_error::StoreError;
use tokio::sync::{Semaphore, watch};

use super::harness::RunHarness;
use crate::fresh_database::FreshDatabase;

/// Effect on appends.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
pub(crate) enum AppendMode {
    Open = 0,
    /// Appends wait for a permit.
    Held = 1,
    /// Appends fail, and nothing is written.
    Lost = 2,
    /// Appends are written, but their responses are lost.
    Unanswered = 3,
    /// The response is lost, and the append has not been written yet.
    Late = 4,
    /// Appends panic, as they would with a bug.
    Panicking = 5,
}

pub(crate) struct FaultyStore {
    pub(crate) inner: Arc<dyn EventStore>,
    gate: AtomicU8,
    pub(crate) permits: Semaphore,
    /// Number of reads of the log.
    pub(crate) reads: AtomicU64,
    pub(crate) waiting: watch::Sender<u64>,
    /// Number of fenced appends.
    pub(crate) fenced: watch::Sender<u64>,
    lost_claims: AtomicU64,
    lost_reads: AtomicU64,
    lost_releases: AtomicU64,
    holds_claims: AtomicBool,
    /// Errors of the next appends that begin, in order. These appends fail, and nothing is written.
    next_errors: Mutex<VecDeque<StoreError>>,
    /// Newest of the late appends.
    late: Mutex<Option<Append>>,
}

impl FaultyStore {
    pub(crate) fn new(inner: Arc<dyn EventStore>) -> Arc<Self> {
        let gate = AtomicU8::new(AppendMode::Open as u8);
        Arc::new(Self {
            inner,
            gate,
            permits: Semaphore::new(0),
            reads: AtomicU64::new(0),
            waiting: Default::default(),
            fenced: Default::default(),
            lost_claims: AtomicU64::new(0),
            lost_reads: AtomicU64::new(0),
            lost_releases: AtomicU64::new(0),
            holds_claims: AtomicBool::new(false),
            next_errors: Mutex::default(),
            late: Mutex::default(),
        })
    }

    /// Loses the responses to this many of the next claims, which take effect.
    pub(crate) fn lose_claim_answers(&self, claims: u64) {
        self.lost_claims.store(claims, Ordering::SeqCst);
    }

    /// Makes the next read of a log fail, and also the next release of a session.
    pub(crate) fn fail_one_read_and_release(&self) {
        self.lost_reads.store(1, Ordering::SeqCst);
        self.lost_releases.store(1, Ordering::SeqCst);
    }

    /// Lets claims take effect from now on, but makes their responses wait for a permit.
    pub(crate) fn hold_claims(&self) {
        self.holds_claims.store(true, Ordering::SeqCst);
    }

    async fn deliver_claim(&self, claimed: Fence) -> Result<Fence, ClaimError> {
        if self.holds_claims.load(Ordering::SeqCst) {
            self.waiting.send_modify(|count| *count += 1);
            self.permits.acquire().await.expect("open").forget();
        }
        consume_failure(&self.lost_claims).map_err(ClaimError::NoReply)?;
        Ok(claimed)
    }

    pub(crate) fn set_mode(&self, gate: AppendMode) {
        self.gate.store(gate as u8, Ordering::SeqCst);
    }

    /// Makes the next append that begins fail with this error. A held append has already begun.
    pub(crate) fn fail_next_append(&self, error: StoreError) {
        self.next_errors.lock().push_back(error);
    }

    /// Writes the newest of the late appends.
    pub(crate) async fn write_late(&self) -> Result<(), AppendError> {
        let late = self.late.lock().take().expect("one is late");
        self.inner.append(late).await
    }
}

/// Starts a session on a store whose appends can be held back.
pub(super) async fn start_with_faulty_store() -> (RunHarness, Arc<FaultyStore>) {
    start_with_faulty_store_and_settings(OrchestratorSettings::default()).await
}

pub(super) async fn start_with_faulty_store_and_settings(
    bounds: OrchestratorSettings,
) -> (RunHarness, Arc<FaultyStore>) {
    let fresh = FreshDatabase::sqlite().await;
    let store = FaultyStore::new(fresh.open().await.events);
    let models = ["demo-fast?hold_after_tokens=5", "demo-fast", "demo-fast"];
    let harness = RunHarness::on(fresh, store.clone(), models, bounds).await;
    (harness, store)
}

/// Fails as long as `left` is above zero, and decrements it.
fn consume_failure(left: &AtomicU64) -> Result<(), StoreError> {
    match left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) {
        Ok(_) => Err(StoreError::unavailable("the answer was lost")),
        Err(_) => Ok(()),
    }
}

#[async_trait]
impl EventStore for FaultyStore {
    async fn append(&self, append: Append) -> Result<(), AppendError> {
        let gate = self.gate.load(Ordering::SeqCst);
        self.waiting.send_modify(|count| *count += 1);
        assert!(gate != AppendMode::Panicking as u8, "as a bug would");
        if let Some(error) = self.next_errors.lock().pop_front() {
            return Err(AppendError::Unavailable(error));
        }
        let away = || AppendError::Unavailable(StoreError::unavailable("away"));
        if gate == AppendMode::Held as u8 {
            self.permits.acquire().await.expect("open").forget();
        }
        let gate = self.gate.load(Ordering::SeqCst);
        if gate == AppendMode::Lost as u8 {
            return Err(away());
        }
        if gate == AppendMode::Late as u8 {
            *self.late.lock() = Some(append);
            return Err(away());
        }
        let result = self.inner.append(append).await;
        if matches!(result, Err(AppendError::Fenced)) {
            self.fenced.send_modify(|count| *count += 1);
        }
        if gate == AppendMode::Unanswered as u8 { Err(away()) } else { result }
    }

    async fn claim_after(&self, session: SessionId, lease: Option<NodeId>, seen: Fence) -> Result<Fence, ClaimError> {
        let claimed = self.inner.claim_after(session, lease, seen).await?;
        self.deliver_claim(claimed).await
    }

    async fn release(&self, session: SessionId, fence: Fence) -> Result<(), StoreError> {
        consume_failure(&self.lost_releases)?;
        self.inner.release(session, fence).await
    }

    async fn begin_erasure(&self, session: SessionId, fence: Fence) -> Result<(), StoreError> {
        self.inner.begin_erasure(session, fence).await
    }

    async fn stage_erasure(&self, session: SessionId, fence: Fence, frames: &[(u64, Bytes)]) -> Result<(), StoreError> {
        self.inner.stage_erasure(session, fence, frames).await
    }

    async fn finish_erasure(&self, session: SessionId) -> Result<(), StoreError> {
        self.inner.finish_erasure(session).await
    }

    async fn read(&self, session: SessionId, after: u64, limit: u32) -> Result<Vec<StoredEvent>, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        consume_failure(&self.lost_reads)?;
        self.inner.read(session, after, limit).await
    }

    async fn head(&self, session: SessionId) -> Result<u64, StoreError> {
        self.inner.head(session).await
    }

    async fn heads(&self, sessions: &[SessionId]) -> Result<Vec<(SessionId, u64)>, StoreError> {
        self.inner.heads(sessions).await
    }

    async fn ownership(&self, session: SessionId) -> Result<SessionOwnership, StoreError> {
        self.inner.ownership(session).await
    }

    async fn receipt(&self, session: SessionId, actor: &str, command: &CommandId) -> Result<Option<u64>, StoreError> {
        self.inner.receipt(session, actor, command).await
    }

    async fn save_snapshot(&self, session: SessionId, seq: u64, snapshot: Bytes) -> Result<(), StoreError> {
        self.inner.save_snapshot(session, seq, snapshot).await
    }

    async fn snapshot(&self, session: SessionId) -> Result<Option<(u64, Bytes)>, StoreError> {
        self.inner.snapshot(session).await
    }

    async fn list(&self, query: SessionQuery) -> Result<Vec<SessionListing>, StoreError> {
        self.inner.list(query).await
    }

    async fn role(&self, session: SessionId, participant: ParticipantId) -> Result<Option<Role>, StoreError> {
        self.inner.role(session, participant).await
    }

    async fn orphans(&self, lease: Option<NodeId>, limit: u32) -> Result<Vec<SessionId>, StoreError> {
        self.inner.orphans(lease, limit).await
    }

    async fn remove_expired(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.inner.remove_expired(before).await
    }
}
