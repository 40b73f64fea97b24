//! Periodic comparison of followed sessions with the store. The bus delivers at most once: if it loses the last message
//! before a silence, no gap in the sequence reveals the loss.

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::{Feed, FeedRegistry};
use crate::bus::BusStatus;
use crate::kernel::SessionId;
use crate::store_error::StoreError;
use crate::telemetry::LogThrottle;

/// Number of concurrent catch-up reads. Sequential reads of many sessions would take longer than the interval between
/// two checks.
const MAX_CONCURRENT_READS: usize = 8;

impl FeedRegistry {
    /// Compares all followed sessions with the store periodically, in one statement per 64 sessions, until the server
    /// stops.
    pub async fn keep_up(self, mut status: watch::Receiver<BusStatus>) {
        let (mut up, mut trouble) = (true, LogThrottle::default());
        // The pause is measured from the last check, so that a bus that changes state often cannot postpone checks.
        let mut checked = Instant::now();
        loop {
            let was_up = std::mem::replace(&mut up, status.borrow_and_update().is_up());
            if up != was_up {
                self.all().iter().for_each(|feed| feed.signal_liveness());
            }
            let pause = if up { self.settings.check_ms } else { self.settings.poll_ms };
            // Check immediately when the bus is back: the store has the messages that the bus lost.
            let is_back = up && !was_up;
            let due = if is_back { checked } else { checked + Duration::from_millis(pause) };
            tokio::select! {
                biased;
                () = sleep_until(due) => {
                    match self.reconcile().await {
                        Ok(()) => drop(trouble.over()),
                        Err(error) if trouble.again() => {
                            tracing::warn!(%error, "cannot check for missed events");
                        }
                        Err(_) => {}
                    }
                    checked = Instant::now();
                }
                changed = status.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Compares all followed sessions with the store, including those that this node writes: another node might have
    /// claimed one of them without this node knowing it yet.
    async fn reconcile(&self) -> Result<(), StoreError> {
        let followed: BTreeMap<SessionId, Arc<Feed>> =
            self.all().into_iter().filter(|feed| feed.is_following()).map(|feed| (feed.session(), feed)).collect();
        if followed.is_empty() {
            return Ok(());
        }
        let sessions: Vec<SessionId> = followed.keys().copied().collect();
        let heads = self.store.heads(&sessions).await?;
        let behind = heads.into_iter().filter_map(|(session, head)| {
            let feed = followed.get(&session)?.clone();
            (feed.head() < head).then_some(feed)
        });
        // Read every session, even if reading another one fails.
        let reads = stream::iter(behind)
            .map(|feed| async move { feed.catch_up().await })
            .buffer_unordered(MAX_CONCURRENT_READS);
        reads.fold(Ok(()), |so_far, read| ready(so_far.and(read))).await
    }
}
