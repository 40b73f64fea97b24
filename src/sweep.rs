//! Periodic deletion of expired data: expired sessions, content of sessions past their retention, unused uploads, file
//! contents that no event names, texts that are incomplete or belong to no document, expired credentials, invitations
//! and sign-ins, old entries of the audit log, old quota counters, nodes that died long ago, and unused rate limit
//! counters. Texts that an earlier version of the term splitter indexed are re-indexed.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::audit::AuditLog;
use crate::clock;
use crate::config::SessionSettings;
use crate::files::FileRepository;
use crate::identity::{ExternalIdentityStore, IdentityStore};
use crate::kernel::{SessionId, Timestamp};
use crate::knowledge::KnowledgeRepository;
use crate::limits::RateLimiters;
use crate::quotas::QuotaStore;
use crate::redaction_worker::RedactionWorker;
use crate::store::{DatabaseHealth, EventStore, LeaseStore, restore};
use crate::store_error::StoreError;
use crate::telemetry::log_spans;

/// Minimum age of content without an event before its deletion, in milliseconds. It is longer than the time for which
/// any node keeps an event that the store does not accept.
const CONTENT_RETENTION_MS: u64 = clock::DAY;
/// Number of consecutive failures to re-index a text after which the sweep stops re-indexing, because the cause is then
/// not in the texts.
const MAX_FAILURES: u32 = 3;

/// Deletes expired data.
pub struct Sweeper {
    /// Lifetimes of sessions, and the time between two sweeps.
    pub(crate) settings: SessionSettings,
    /// Clock of the database.
    pub(crate) database: Arc<dyn DatabaseHealth>,
    /// Session logs.
    pub(crate) events: Arc<dyn EventStore>,
    /// Redactions of sessions past their retention.
    pub(crate) redactions: RedactionWorker,
    /// Contents of session files, and uploads.
    pub(crate) files: FileRepository,
    /// Texts of knowledge bases and files.
    pub(crate) knowledge: KnowledgeRepository,
    /// Credentials and invitations.
    pub(crate) identities: Arc<dyn IdentityStore>,
    /// Sign-ins at the identity provider.
    pub(crate) external: Arc<dyn ExternalIdentityStore>,
    /// Audit log.
    pub(crate) audit: AuditLog,
    /// Counters of quotas.
    pub(crate) quotas: Arc<dyn QuotaStore>,
    /// Leases of nodes.
    pub(crate) leases: Arc<dyn LeaseStore>,
    /// Counters of rate limits.
    pub(crate) limits: Arc<RateLimiters>,
}

impl Sweeper {
    /// Sweeps at the interval `sessions.sweep_minutes` until the server stops.
    pub(crate) async fn run(self: Arc<Self>, stopping: CancellationToken) {
        let pause = Duration::from_secs(self.settings.sweep_minutes * 60);
        loop {
            tokio::select! {
                // Immediately at startup, because searches miss some texts that an earlier version indexed until then.
                () = self.refresh_terms() => {}
                () = stopping.cancelled() => return,
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = stopping.cancelled() => return,
            }
            self.sweep_now().await;
        }
    }

    /// Removes data that has expired according to the database's clock. A node whose own clock is ahead would delete
    /// data too early, and the data could not be restored.
    pub async fn sweep_now(&self) {
        match self.database.now().await {
            Ok(now) => self.sweep_at(now).await,
            Err(error) => tracing::warn!(%error, "cannot read the database's clock"),
        }
    }

    /// Removes data that has expired at `now`. The next sweep retries failures.
    pub async fn sweep_at(&self, now: Timestamp) {
        let kept = self.settings.expire_hours * 60 * 60 * 1000;
        match self.events.remove_expired(before(now, kept)).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "removed expired sessions"),
            Err(error) => tracing::warn!(%error, "cannot remove expired sessions"),
        }
        match self.redactions.sweep(now).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "redacted sessions past their retention"),
            Err(problem) => tracing::warn!(%problem, "cannot redact sessions past their retention"),
        }
        let kept = self.files.settings().upload_retention_hours * 60 * 60 * 1000;
        match self.files.contents().remove_uploads(before(now, kept)).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "removed unused uploads"),
            Err(error) => tracing::warn!(%error, "cannot remove uploads"),
        }
        self.sweep_contents(before(now, CONTENT_RETENTION_MS)).await;
        match self.knowledge.store().remove_unused(before(now, CONTENT_RETENTION_MS)).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "removed unused texts"),
            Err(error) => tracing::warn!(%error, "cannot sweep texts"),
        }
        if let Err(error) = self.identities.remove_ended(now).await {
            tracing::warn!(%error, "cannot remove expired credentials");
        }
        if let Err(error) = self.external.remove_expired_sign_ins(now).await {
            tracing::warn!(%error, "cannot remove expired sign-ins");
        }
        match self.audit.sweep(now).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "removed old entries of the audit log"),
            Err(error) => tracing::warn!(%error, "cannot sweep the audit log"),
        }
        if let Err(error) = self.quotas.sweep(before(now, 2 * CONTENT_RETENTION_MS)).await {
            tracing::warn!(%error, "cannot sweep quota counters");
        }
        if let Err(error) = self.leases.remove_expired_nodes().await {
            tracing::warn!(%error, "cannot remove dead nodes");
        }
        self.limits.sweep();
    }

    /// Re-indexes texts that an earlier version of the term splitter indexed. The next sweep retries failures.
    pub async fn refresh_terms(&self) {
        let store = self.knowledge.store();
        let (mut renewed, mut failures, mut last) = (0, 0, None);
        while failures < MAX_FAILURES {
            let text = match store.outdated(last).await {
                Ok(Some(text)) => text,
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "cannot list texts with outdated terms");
                    break;
                }
            };
            match store.renew_terms(text).await {
                Ok(()) => (renewed, failures) = (renewed + 1, 0),
                // A text that cannot be read keeps its old terms, and does not prevent others from getting new ones.
                Err(error) => {
                    failures += 1;
                    tracing::warn!(text = text.0, %error, "cannot re-index a text");
                }
            }
            last = Some(text);
        }
        if renewed > 0 {
            tracing::info!(renewed, "re-indexed texts");
        }
    }

    /// Removes file contents that were stored before `old` and whose event was never written.
    async fn sweep_contents(&self, old: Timestamp) {
        let sessions = match self.files.contents().sessions_with_unreferenced(old).await {
            Ok(sessions) => sessions,
            Err(error) => return tracing::warn!(%error, "cannot list contents that belong to no file"),
        };
        let mut removed = 0;
        for session in sessions {
            let span = log_spans::own_session(session);
            match self.settle_contents(session, old).instrument(span.clone()).await {
                Ok(count) => removed += count,
                // A log that cannot be read protects only its own contents from deletion.
                Err(error) => {
                    span.in_scope(|| tracing::warn!(%error, "cannot sweep the contents of the session's files"));
                }
            }
        }
        if removed > 0 {
            tracing::info!(removed, "removed contents that belong to no file");
        }
    }

    async fn settle_contents(&self, session: SessionId, old: Timestamp) -> Result<u64, StoreError> {
        let state = restore(&*self.events, session, None).await?;
        let named: Vec<Arc<str>> = state.view().files.iter().map(|file| file.digest.clone()).collect();
        self.files.contents().delete_unreferenced(session, &named, old).await
    }
}

fn before(now: Timestamp, ms: u64) -> Timestamp {
    Timestamp::from_millis(now.millis().saturating_sub(ms))
}
