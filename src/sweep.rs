//! Periodic deletion of expired data: expired sessions, content of sessions past their retention, expired credentials
//! and invitations, nodes that died long ago, unused rate limit counters, file contents that no event names, and texts
//! that are incomplete or belong to no document. Texts that an earlier version of the term splitter indexed are
//! re-indexed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::clock;
use crate::kernel::{SessionId, Timestamp};
use crate::node::Node;
use crate::store::{StoreError, restore};

/// Minimum age in milliseconds of content without an event before its deletion. It is longer than any node keeps an
/// event that the store does not accept.
const CONTENT_RETENTION_MS: u64 = clock::DAY;
/// Number of consecutive texts that fail to be re-indexed before the sweep stops, because then the texts are not the
/// cause.
const MAX_FAILURES: u32 = 3;

/// Sweeps every `sessions.sweep_minutes` until the server stops.
pub(crate) async fn sweep(node: Weak<Node>, stopping: CancellationToken) {
    loop {
        let Some(current) = node.upgrade() else { return };
        let minutes = current.config.sessions.sweep_minutes;
        tokio::select! {
            // Immediately at the start: until then, searches miss some texts that an earlier version indexed.
            () = refresh_terms(&current) => {}
            () = stopping.cancelled() => return,
        }
        drop(current);
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(minutes * 60)) => {}
            () = stopping.cancelled() => return,
        }
        let Some(node) = node.upgrade() else { return };
        sweep_now(&node).await;
    }
}

/// Removes data that is expired by the database's clock. A node whose own clock is ahead would delete data too early,
/// and nobody could restore it.
pub async fn sweep_now(node: &Node) {
    match node.vitals.now().await {
        Ok(now) => sweep_at(node, now).await,
        Err(error) => tracing::warn!(%error, "cannot read the database's clock"),
    }
}

/// Removes data that is expired at `now`. The next sweep retries failures.
pub async fn sweep_at(node: &Node, now: Timestamp) {
    let kept = node.config.sessions.expire_hours * 60 * 60 * 1000;
    match node.events.remove_expired(before(now, kept)).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "removed expired sessions"),
        Err(error) => tracing::warn!(%error, "cannot remove expired sessions"),
    }
    match node.redactions.sweep(node, now).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "redacted sessions past their retention"),
        Err(problem) => tracing::warn!(%problem, "cannot redact sessions past their retention"),
    }
    let kept = node.files.settings().upload_hours * 60 * 60 * 1000;
    match node.files.contents().remove_uploads(before(now, kept)).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "removed unused uploads"),
        Err(error) => tracing::warn!(%error, "cannot remove uploads"),
    }
    sweep_contents(node, before(now, CONTENT_RETENTION_MS)).await;
    match node.knowledge.store().remove_unused(before(now, CONTENT_RETENTION_MS)).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "removed unused texts"),
        Err(error) => tracing::warn!(%error, "cannot sweep texts"),
    }
    if let Err(error) = node.identities.remove_ended(now).await {
        tracing::warn!(%error, "cannot remove expired credentials");
    }
    match node.audit.sweep(now).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "removed old entries of the audit log"),
        Err(error) => tracing::warn!(%error, "cannot sweep the audit log"),
    }
    if let Err(error) = node.quotas.sweep(before(now, 2 * CONTENT_RETENTION_MS)).await {
        tracing::warn!(%error, "cannot sweep quota counters");
    }
    if let Err(error) = node.leases.forget_dead().await {
        tracing::warn!(%error, "cannot remove dead nodes");
    }
    node.reception.limits.sweep();
}

/// Re-indexes texts that an earlier version of the term splitter indexed. The next sweep retries failures.
pub async fn refresh_terms(node: &Node) {
    let store = node.knowledge.store();
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
            // A text that cannot be read keeps its old terms, and does not keep others from new ones.
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

fn before(now: Timestamp, millis: u64) -> Timestamp {
    Timestamp::from_millis(now.millis().saturating_sub(millis))
}

/// Removes content from before `old` whose event was never written.
async fn sweep_contents(node: &Node, old: Timestamp) {
    let sessions = match node.files.contents().loose(old).await {
        Ok(sessions) => sessions,
        Err(error) => return tracing::warn!(%error, "cannot list contents that belong to no file"),
    };
    let mut removed = 0;
    for session in sessions {
        match settle_contents(node, session, old).await {
            Ok(count) => removed += count,
            // A log that cannot be read protects only its own contents from deletion.
            Err(error) => tracing::warn!(%session, %error, "cannot sweep the contents of a session's files"),
        }
    }
    if removed > 0 {
        tracing::info!(removed, "removed contents that belong to no file");
    }
}

async fn settle_contents(node: &Node, session: SessionId, old: Timestamp) -> Result<u64, StoreError> {
    let state = restore(&*node.events, session, None).await?;
    let named: Vec<Arc<str>> = state.view().files.iter().map(|file| file.digest.clone()).collect();
    node.files.contents().settle(session, &named, old).await
}
