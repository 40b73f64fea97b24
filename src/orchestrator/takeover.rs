//! Takeover of sessions from dead nodes.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::registry::ReadRetries;
use super::{Cluster, SessionRegistry};
use crate::backoff;
use crate::store_error::StoreError;
use crate::telemetry::{LogThrottle, log_spans};

/// Result of a search for sessions that no live node has.
#[derive(Default)]
pub(super) struct TakeoverScan {
    /// One token per session, cancelled when the session has been claimed or could not be claimed immediately.
    pub(super) claims: Vec<CancellationToken>,
    /// True if there might be more such sessions than this search took over.
    pub(super) is_full: bool,
}

impl TakeoverScan {
    /// Waits until the next search is due. If there might be more sessions, it is due as soon as this node has claimed
    /// the current ones, so that the node takes no more than it can handle, and faster nodes take more.
    async fn rest(self, takeover_ms: u64) {
        if self.is_full && !self.claims.is_empty() {
            for claim in self.claims {
                claim.cancelled().await;
            }
        } else {
            // Add jitter, because nodes that search at the same time would compete for the same sessions.
            let jitter = backoff::random() % 101;
            sleep(Duration::from_millis(takeover_ms) * (50 + jitter) / 100).await;
        }
    }
}

impl SessionRegistry {
    /// Takes over sessions with outstanding work that no live node has, for example after a crash.
    pub(super) async fn claim_orphans(&self) -> Result<TakeoverScan, StoreError> {
        let room = self.shared.settings.max_live_sessions.saturating_sub(self.len());
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        // Nodes take over a dead node's sessions in batches, so that no single node gets all of them.
        let max_takeovers =
            self.shared.cluster.as_ref().map_or(room, |cluster| room.min(cluster.settings.max_takeovers));
        let sessions = self.shared.store.orphans(self.shared.me(), max_takeovers).await?;
        let is_full = sessions.len() >= max_takeovers as usize;
        let mut claims = vec![];
        for session in sessions.into_iter().filter(|session| !self.is_live(*session)) {
            log_spans::own_session(session).in_scope(|| match self.wake(session, ReadRetries::UntilTaken) {
                Ok(live) => {
                    tracing::debug!("taking over a session that no live node has");
                    claims.push(live.claimed);
                }
                Err(error) => tracing::warn!(?error, "session not taken over"),
            });
        }
        Ok(TakeoverScan { claims, is_full })
    }

    /// Takes over unfinished sessions of dead nodes periodically, starting after the search `scan`, until this node
    /// stops.
    pub(super) async fn take_over_sessions(self, mut scan: TakeoverScan) {
        let Some(Cluster { settings, .. }) = &self.shared.cluster else { return };
        let mut trouble = LogThrottle::default();
        while self.shared.stopping.run_until_cancelled(scan.rest(settings.takeover_ms)).await.is_some() {
            scan = match self.claim_orphans().await {
                Ok(scan) => {
                    trouble.over();
                    scan
                }
                Err(error) => {
                    if trouble.again() {
                        tracing::warn!(%error, "cannot search for sessions of dead nodes");
                    }
                    TakeoverScan::default()
                }
            };
            let count = scan.claims.len();
            if count > 0 {
                tracing::info!(count, "taking over sessions of dead nodes");
            }
        }
    }
}
