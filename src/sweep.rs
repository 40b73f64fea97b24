//! What is removed by and by: sessions that have expired, what was written in sessions past their retention, credentials and invitations that are over, nodes that died long
//! ago, counts of rate limits that nobody is near, contents of files that no event came to name, texts whose passages were
//! never finished or that no document has any more, and terms of an earlier program, which are made anew.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::clock;
use crate::kernel::{SessionId, Timestamp};
use crate::node::Node;
use crate::store::{StoreError, restore};

/// Milliseconds that content waits for its event: longer than any node keeps what the store does not take.
const PATIENCE: u64 = clock::DAY;
/// Texts in a row whose terms cannot be renewed: then it is not the texts.
const FAILURES: u32 = 3;

/// Look every `sessions.sweep_minutes` until the server stops.
pub(crate) async fn sweep(node: Weak<Node>, stopping: CancellationToken) {
    loop {
        let Some(current) = node.upgrade() else { return };
        let minutes = current.config.sessions.sweep_minutes;
        tokio::select! {
            // At once when the server starts: until then some of what an earlier program kept is not found.
            () = terms(&current) => {}
            () = stopping.cancelled() => return,
        }
        drop(current);
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(minutes * 60)) => {}
            () = stopping.cancelled() => return,
        }
        let Some(node) = node.upgrade() else { return };
        now(&node).await;
    }
}

/// Remove what is over by the database's clock. A node whose own clock is ahead would remove what nobody can bring back.
pub async fn now(node: &Node) {
    match node.vitals.now().await {
        Ok(now) => at(node, now).await,
        Err(error) => tracing::warn!(%error, "cannot tell what is over"),
    }
}

/// Remove what is over at `now`. What cannot be removed now is the next look's.
pub async fn at(node: &Node, now: Timestamp) {
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
        Ok(count) => tracing::info!(count, "removed uploads that no session took"),
        Err(error) => tracing::warn!(%error, "cannot remove uploads"),
    }
    contents(node, before(now, PATIENCE)).await;
    match node.knowledge.store().remove_unused(before(now, PATIENCE)).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "removed texts that nobody can search"),
        Err(error) => tracing::warn!(%error, "cannot sweep texts"),
    }
    if let Err(error) = node.identities.remove_ended(now).await {
        tracing::warn!(%error, "cannot remove ended credentials");
    }
    match node.audit.sweep(now).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "removed old entries of the audit log"),
        Err(error) => tracing::warn!(%error, "cannot sweep the audit log"),
    }
    if let Err(error) = node.quotas.sweep(before(now, 2 * PATIENCE)).await {
        tracing::warn!(%error, "cannot sweep what quotas count");
    }
    if let Err(error) = node.leases.forget_dead().await {
        tracing::warn!(%error, "cannot forget nodes that are dead");
    }
    node.reception.limits.sweep();
}

/// Give what an earlier program kept the terms of this one. What cannot be done now is the next look's.
pub async fn terms(node: &Node) {
    let store = node.knowledge.store();
    let (mut renewed, mut failures, mut last) = (0, 0, None);
    while failures < FAILURES {
        let text = match store.outdated(last).await {
            Ok(Some(text)) => text,
            Ok(None) => break,
            Err(error) => {
                tracing::warn!(%error, "cannot tell which texts have terms of an earlier program");
                break;
            }
        };
        match store.renew_terms(text).await {
            Ok(()) => (renewed, failures) = (renewed + 1, 0),
            // A text that cannot be read keeps its own terms, and nobody else's.
            Err(error) => {
                failures += 1;
                tracing::warn!(text = text.0, %error, "cannot renew the terms of a text");
            }
        }
        last = Some(text);
    }
    if renewed > 0 {
        tracing::info!(renewed, "renewed the terms of texts");
    }
}

fn before(now: Timestamp, millis: u64) -> Timestamp {
    Timestamp::from_millis(now.millis().saturating_sub(millis))
}

/// Remove content from before `old` that was kept for an event that was never written.
async fn contents(node: &Node, old: Timestamp) {
    let sessions = match node.files.contents().loose(old).await {
        Ok(sessions) => sessions,
        Err(error) => return tracing::warn!(%error, "cannot tell which contents belong to no file"),
    };
    let mut removed = 0;
    for session in sessions {
        match settle(node, session, old).await {
            Ok(count) => removed += count,
            // A log that cannot be read keeps its own contents, and nobody else's.
            Err(error) => tracing::warn!(%session, %error, "cannot sweep the contents of a session's files"),
        }
    }
    if removed > 0 {
        tracing::info!(removed, "removed contents that belong to no file");
    }
}

async fn settle(node: &Node, session: SessionId, old: Timestamp) -> Result<u64, StoreError> {
    let state = restore(&*node.events, session, None).await?;
    let named: Vec<Arc<str>> = state.view().files.iter().map(|file| file.digest.clone()).collect();
    node.files.contents().settle(session, &named, old).await
}
