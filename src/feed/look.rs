//! Looking, now and then, whether a followed session has moved on unheard. News is at most once: the last before a silence
//! leaves no gap to notice.

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::{Feed, Feeds};
use crate::bus::BusStatus;
use crate::kernel::SessionId;
use crate::store::StoreError;
use crate::telemetry::Trouble;

/// Sessions that are read at a time: one after the other, many would wait longer for each other than for the look.
const READS: usize = 8;

impl Feeds {
    /// Look until the server ends, at all sessions in one statement.
    pub async fn keep_up(self, mut status: watch::Receiver<BusStatus>) {
        let (mut up, mut trouble) = (true, Trouble::default());
        // A bus that changes puts no look off: the pause is counted from the last one.
        let mut looked = Instant::now();
        loop {
            let was_up = std::mem::replace(&mut up, status.borrow_and_update().is_up());
            if up != was_up {
                self.all().iter().for_each(|feed| feed.say_how_live());
            }
            let pause = if up { self.bounds.check_ms } else { self.bounds.poll_ms };
            // One that is back is a reason to look at once: what it lost is in the store.
            let is_back = up && !was_up;
            let due = if is_back { looked } else { looked + Duration::from_millis(pause) };
            tokio::select! {
                biased;
                () = sleep_until(due) => {
                    match self.look().await {
                        Ok(()) => drop(trouble.over()),
                        Err(error) if trouble.again() => {
                            tracing::warn!(%error, "cannot look whether viewers have missed anything");
                        }
                        Err(_) => {}
                    }
                    looked = Instant::now();
                }
                changed = status.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Also at those that this node writes itself: it may have lost one and not know yet.
    async fn look(&self) -> Result<(), StoreError> {
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
        // Each is read, whatever becomes of the others.
        let reads = stream::iter(behind).map(|feed| async move { feed.catch_up().await }).buffer_unordered(READS);
        reads.fold(Ok(()), |so_far, read| ready(so_far.and(read))).await
    }
}
