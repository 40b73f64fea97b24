//! One follower's place: what was heard and not yet taken, within a bound.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::followers::Followers;
use crate::kernel::SessionId;

/// What a follower hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// News, as it was published.
    News(Bytes),
    /// Something may be missing from here back: read the store.
    Lost,
}

/// What one piece of news costs beside its bytes, about.
const OVERHEAD: usize = 64;

/// What one follower was told and has not taken yet.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    grown: Notify,
}

/// A loss lies before all news that waits.
#[derive(Debug, Default)]
struct Waiting {
    lost: bool,
    news: VecDeque<Bytes>,
    bytes: usize,
}

impl Inbox {
    /// One more; false where there were too many, and all before this one are lost.
    pub(super) fn put(&self, news: Bytes, bound: usize) -> bool {
        let mut waiting = self.waiting.lock();
        let fits = waiting.news.is_empty() || waiting.bytes + news.len() + OVERHEAD <= bound;
        if !fits {
            *waiting = Waiting { lost: true, ..Waiting::default() };
        }
        waiting.bytes += news.len() + OVERHEAD;
        waiting.news.push_back(news);
        drop(waiting);
        self.grown.notify_one();
        fits
    }

    /// Something was lost: what still waits goes with it, for the store knows all of that too.
    pub(super) fn lose(&self) {
        *self.waiting.lock() = Waiting { lost: true, ..Waiting::default() };
        self.grown.notify_one();
    }

    fn take(&self) -> Option<Heard> {
        let mut waiting = self.waiting.lock();
        if std::mem::take(&mut waiting.lost) {
            return Some(Heard::Lost);
        }
        let news = waiting.news.pop_front()?;
        waiting.bytes -= news.len() + OVERHEAD;
        Some(Heard::News(news))
    }
}

/// A place to hear news, until dropped.
#[must_use = "dropping it ends it"]
pub struct Following {
    session: SessionId,
    inbox: Arc<Inbox>,
    followers: Arc<Followers>,
}

impl Following {
    pub(super) fn new(session: SessionId, inbox: Arc<Inbox>, followers: Arc<Followers>) -> Self {
        Self { session, inbox, followers }
    }

    /// What is heard next; waits for it. Giving up the wait loses nothing.
    pub async fn next(&mut self) -> Heard {
        loop {
            if let Some(heard) = self.inbox.take() {
                return heard;
            }
            self.inbox.grown.notified().await;
        }
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.followers.leave(self.session, &self.inbox);
    }
}
