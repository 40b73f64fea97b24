//! Writer of the audit log, with a bounded queue in front of the store, so that no request waits for an entry.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use parking_lot::Mutex;
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::sync::{Mutex as AsyncMutex, oneshot};

use super::denial_limiter::DenialLimiter;
use super::{AuditAction, AuditOutcome, AuditSettings, AuditStore, NewAuditEntry};
use crate::backoff;
use crate::identity::Participant;
use crate::kernel::{ParticipantId, SessionId, Timestamp};
use crate::protocol::Code;
use crate::store_error::StoreError;
use crate::supervise::supervise;
use crate::telemetry::{LogThrottle, metrics};

/// Maximum number of entries per statement.
const BATCH_ENTRIES: usize = 64;
/// Maximum number of attempts to write a batch. With a backoff of up to 5 seconds, an outage of about ten minutes loses
/// nothing that fits in the queue, and a batch that the database always rejects does not block the log forever.
const ATTEMPTS: u32 = 120;
const FIRST_PAUSE_MS: u64 = 50;
const MAX_PAUSE_MS: u64 = 5_000;
/// Period within which repeated reads of one session by one participant, or repeated uses of doors by one guest, add
/// only one entry.
const READ_INTERVAL_SECONDS: u64 = 600;

/// Audit log. Clones share one queue.
#[derive(Clone)]
pub struct AuditLog(Arc<AuditRecorder>);

struct AuditRecorder {
    queue: mpsc::Sender<AuditQueueItem>,
    store: Arc<dyn AuditStore>,
    denials: DenialLimiter,
    /// Rate limiter for entries about reads of sessions by administrators and about uses of doors by guests. Uses of
    /// doors are counted under the nil session.
    recent_access: DefaultKeyedRateLimiter<(ParticipantId, SessionId)>,
    full: Mutex<LogThrottle>,
    settings: AuditSettings,
}

enum AuditQueueItem {
    Entry(Box<NewAuditEntry>),
    /// Request to signal when all items before this one are written or lost.
    Flush(oneshot::Sender<()>),
}

impl AuditLog {
    /// Starts the writer of an audit log in this store. The writer ends when the last clone is dropped.
    pub fn start(store: Arc<dyn AuditStore>, settings: AuditSettings) -> Self {
        let (queue, items) = mpsc::channel(settings.max_waiting.max(1));
        let (items, target) = (Arc::new(AsyncMutex::new(items)), store.clone());
        tokio::spawn(supervise("audit log writer", move || write(items.clone(), target.clone())));
        let once =
            Quota::with_period(Duration::from_secs(READ_INTERVAL_SECONDS)).unwrap_or(Quota::per_hour(NonZeroU32::MIN));
        let (denials, recent_access) = (DenialLimiter::new(&settings), RateLimiter::keyed(once));
        Self(Arc::new(AuditRecorder { queue, store, denials, recent_access, full: Mutex::default(), settings }))
    }

    /// Adds an entry. This neither waits nor fails: if the queue is full, the entry is lost, counted and logged.
    /// Denials over their rate limit are only counted.
    pub fn record(&self, mut entry: NewAuditEntry) {
        if entry.outcome == AuditOutcome::Denied {
            let Some(suppressed) = self.0.denials.admit(entry.origin.address) else {
                return metrics().audit_entries.count(["suppressed"]);
            };
            if suppressed > 0 {
                entry = entry.detail("suppressed_before", suppressed);
            }
        }
        let action = entry.action.as_str();
        match self.0.queue.try_send(AuditQueueItem::Entry(Box::new(entry))) {
            Ok(()) => drop(self.0.full.lock().over()),
            Err(TrySendError::Full(_) | TrySendError::Closed(_)) => {
                metrics().audit_entries.count(["lost"]);
                if self.0.full.lock().again() {
                    tracing::error!(action, "audit log entries lost: too many wait for the database");
                }
            }
        }
    }

    /// Records that a participant with a role in every session read a session that they are not in. Adds at most one
    /// entry per participant and session in ten minutes, and none for other participants.
    pub fn session_read(&self, who: &Participant, session: SessionId) {
        if who.granted_role().is_some() && self.0.recent_access.check_key(&(who.id, session)).is_ok() {
            self.record(NewAuditEntry::new(AuditAction::SessionRead).by(who).session(session));
        }
    }

    /// Records that a guest used a door. Adds at most one entry per guest in ten minutes, for all doors together.
    pub fn guest_door(&self, guest: &Participant, door: &str) {
        if self.0.recent_access.check_key(&(guest.id, SessionId(uuid::Uuid::nil()))).is_ok() {
            self.record(NewAuditEntry::new(AuditAction::GuestDoor).by(guest).subject(door));
        }
    }

    /// Records that a request or a command was denied. `subject` is the route of the request, or the type of the frame.
    pub fn denial(&self, who: Option<&Participant>, session: Option<SessionId>, subject: &str, code: Option<Code>) {
        let mut entry = NewAuditEntry::new(AuditAction::Denial).denied().subject(subject);
        entry.session = session;
        entry.actor = who.map(Into::into);
        self.record(match code {
            Some(code) => entry.detail("code", code.as_str()),
            None => entry,
        });
    }

    /// Waits until all entries recorded so far are written or lost.
    pub async fn flush(&self) {
        let (done, written) = oneshot::channel();
        if self.0.queue.send(AuditQueueItem::Flush(done)).await.is_ok() {
            let _ = written.await;
        }
    }

    /// Returns the store, for reading the log.
    pub fn store(&self) -> &dyn AuditStore {
        &*self.0.store
    }

    /// Deletes the entries that are past their retention at `now`, and the oldest denials beyond their maximum number.
    /// Returns the number of deleted entries.
    pub async fn sweep(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.0.denials.sweep();
        self.0.recent_access.retain_recent();
        let kept = self.0.settings.retention_days * crate::clock::DAY;
        let before = Timestamp::from_millis(now.millis().saturating_sub(kept));
        self.0.store.remove_audit_entries(before, self.0.settings.max_denials).await
    }
}

async fn write(items: Arc<AsyncMutex<mpsc::Receiver<AuditQueueItem>>>, store: Arc<dyn AuditStore>) {
    let mut items = items.lock().await;
    let (mut received, mut trouble) = (Vec::with_capacity(BATCH_ENTRIES), LogThrottle::default());
    while items.recv_many(&mut received, BATCH_ENTRIES).await > 0 {
        let (mut entries, mut flushed) = (vec![], vec![]);
        for item in received.drain(..) {
            match item {
                AuditQueueItem::Entry(entry) => entries.push(*entry),
                AuditQueueItem::Flush(done) => flushed.push(done),
            }
        }
        if !entries.is_empty() {
            add(&*store, &entries, &mut trouble).await;
        }
        for done in flushed {
            let _ = done.send(());
        }
    }
}

async fn add(store: &dyn AuditStore, entries: &[NewAuditEntry], trouble: &mut LogThrottle) {
    for attempt in 1..=ATTEMPTS {
        match store.add_audit_entries(entries).await {
            Ok(()) => {
                metrics().audit_entries.add(["written"], entries.len() as u64);
                if trouble.over().is_some() {
                    tracing::info!("audit log is being written again");
                }
                return;
            }
            Err(error) if trouble.again() => tracing::warn!(%error, "cannot write the audit log; retrying"),
            Err(_) => {}
        }
        tokio::time::sleep(Duration::from_millis(backoff::delay_ms(attempt, FIRST_PAUSE_MS, MAX_PAUSE_MS))).await;
    }
    metrics().audit_entries.add(["lost"], entries.len() as u64);
    tracing::error!(count = entries.len(), "audit log entries lost: the database did not accept them");
}
