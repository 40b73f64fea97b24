//! What is removed by and by: sessions that have expired, credentials and invitations that are over, nodes that died long
//! ago, counts of rate limits that nobody is near.

use std::sync::Weak;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::kernel::Timestamp;
use crate::node::Node;

/// Look every `sessions.sweep_minutes` until the server stops.
pub(crate) async fn sweep(node: Weak<Node>, stopping: CancellationToken) {
    loop {
        let Some(minutes) = node.upgrade().map(|node| node.config.sessions.sweep_minutes) else { return };
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
    let before = Timestamp::from_millis(now.millis().saturating_sub(kept));
    match node.events.remove_expired(before).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "removed expired sessions"),
        Err(error) => tracing::warn!(%error, "cannot remove expired sessions"),
    }
    if let Err(error) = node.identities.remove_ended(now).await {
        tracing::warn!(%error, "cannot remove ended credentials");
    }
    if let Err(error) = node.leases.forget_dead().await {
        tracing::warn!(%error, "cannot forget nodes that are dead");
    }
    node.reception.limits.sweep();
}
