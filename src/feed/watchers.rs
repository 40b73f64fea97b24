//! The connections that watch a feed.

use std::sync::Arc;
use std::task::Waker;

use tokio_util::sync::DropGuard;

use super::delivery::{DirectWriter, FrameBatch, MAX_DIRECT_CONNECTIONS};
use super::feed::FeedCore;

/// The connections that watch a feed, in one dense list that the feed iterates for every event.
///
/// Other nodes are followed while the list is not empty. One lock guards both the list and the subscription to other
/// nodes. If a viewer joins while the last one leaves, either the join comes first and following continues, or the
/// leave comes first and following restarts.
#[derive(Default)]
pub(super) struct Watchers {
    slots: Vec<WatcherSlot>,
    free: Vec<usize>,
    following: Option<DropGuard>,
    /// Head of the feed at the last batch. Once that batch is delivered, every parked connection has everything before
    /// this position.
    delivered_to: u64,
    /// Epoch of the feed's participants at the last batch; see [`FeedCore`].
    epoch: u64,
    /// Number of times that all connections were woken. A batch of an earlier generation is no longer delivered.
    generation: u64,
    /// True while a batch is delivered. One delivery at a time, so that no connection gets frames twice.
    is_delivering: bool,
    /// Number of connections with a writer.
    writer_count: usize,
}

#[derive(Default)]
struct WatcherSlot {
    waker: Option<Waker>,
    /// True if the connection has copied everything. An awake connection checks for frames before it sleeps and needs
    /// no wake-up.
    parked: bool,
    /// True if frames were delivered directly since the connection was parked.
    has_moved: bool,
    /// Position of the parked connection.
    position: ViewerPosition,
    writer: Option<Arc<dyn DirectWriter>>,
}

/// Position of a viewer in a feed.
#[derive(Default, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ViewerPosition {
    /// Number of bytes since the feed began.
    pub(super) offset: u64,
    /// Seq of the newest event before that offset.
    pub(super) seq: u64,
}

impl Watchers {
    /// Adds a connection. `follow` starts following other nodes, if there are any.
    pub(super) fn add(&mut self, follow: impl FnOnce() -> Option<DropGuard>) -> usize {
        if self.following.is_none() {
            self.following = follow();
        }
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(WatcherSlot::default());
            self.slots.len() - 1
        })
    }

    /// Removes a connection. If it was the last one, returns the guard that ends the subscription to other nodes when
    /// the caller drops it.
    pub(super) fn remove(&mut self, key: usize) -> Option<DropGuard> {
        let slot = std::mem::take(&mut self.slots[key]);
        self.writer_count -= usize::from(slot.writer.is_some());
        self.free.push(key);
        if self.len() == 0 { self.following.take() } else { None }
    }

    /// Returns the number of connections.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn are_following(&self) -> bool {
        self.following.is_some()
    }

    /// Lets the feed write to a connection while it is parked.
    pub(super) fn set_writer(&mut self, key: usize, writer: Arc<dyn DirectWriter>) {
        let before = self.slots[key].writer.replace(writer);
        self.writer_count += usize::from(before.is_none());
    }

    /// Parks a connection that has everything up to `position`. It is woken once when there are more frames, unless
    /// they are delivered directly.
    pub(super) fn park(&mut self, key: usize, waker: &Waker, position: ViewerPosition) {
        let slot = &mut self.slots[key];
        if !slot.waker.as_ref().is_some_and(|known| known.will_wake(waker)) {
            slot.waker = Some(waker.clone());
        }
        slot.parked = true;
        slot.position = position;
    }

    /// Records that a connection is awake. Returns its position if frames were delivered directly while it was parked,
    /// and `None` otherwise.
    pub(super) fn unpark(&mut self, key: usize) -> Option<ViewerPosition> {
        let slot = &mut self.slots[key];
        slot.parked = false;
        std::mem::take(&mut slot.has_moved).then_some(slot.position)
    }

    /// Wakes every parked connection, and stops the delivery in progress.
    pub(super) fn wake(&mut self) {
        self.generation += 1;
        self.slots.iter_mut().for_each(WatcherSlot::wake);
    }

    /// Begins a delivery and returns true. Returns false if a delivery is in progress, which will find the new frames,
    /// or if no connection has a writer; it then wakes them all instead.
    pub(super) fn begin_delivery(&mut self) -> bool {
        if self.writer_count == 0 {
            self.wake();
            return false;
        }
        !std::mem::replace(&mut self.is_delivering, true)
    }

    /// Ends a delivery that cannot continue.
    pub(super) fn abandon_delivery(&mut self) {
        self.is_delivering = false;
        self.wake();
    }

    /// Returns the frames since the last batch, for the delivery in progress. Returns `None` and ends the delivery if
    /// there are none, or if they cannot be delivered directly; in the latter case, wakes the connections.
    pub(super) fn next_batch(&mut self, core: &FeedCore) -> Option<FrameBatch> {
        let (from, epoch) = (self.delivered_to, self.epoch);
        (self.delivered_to, self.epoch) = (core.ring.end(), core.epoch);
        // After a change of participants, viewers read for themselves: one that was removed must read no further than
        // its removal.
        let batch = if epoch == core.epoch { FrameBatch::since(core, from, self.generation) } else { None };
        match &batch {
            None => self.wake(),
            Some(batch) if batch.is_empty() => {}
            Some(_) => self.slots.iter_mut().skip(MAX_DIRECT_CONNECTIONS).for_each(WatcherSlot::wake),
        }
        let batch = batch.filter(|batch| !batch.is_empty());
        self.is_delivering = batch.is_some();
        batch
    }

    /// Delivers a batch to the connections from `next` on, at most `count` of them, and advances `next`. Connections
    /// that cannot take it directly are woken. Returns whether there are more.
    pub(super) fn deliver(&mut self, batch: &FrameBatch, next: &mut usize, count: usize) -> bool {
        if batch.generation != self.generation {
            return false;
        }
        let all = self.slots.len().min(MAX_DIRECT_CONNECTIONS);
        let end = next.saturating_add(count).min(all);
        for slot in self.slots.get_mut(*next..end).unwrap_or_default() {
            slot.deliver(batch);
        }
        *next = end;
        end < all
    }
}

impl WatcherSlot {
    fn wake(&mut self) {
        if std::mem::take(&mut self.parked)
            && let Some(waker) = &self.waker
        {
            waker.wake_by_ref();
        }
    }

    fn deliver(&mut self, batch: &FrameBatch) {
        if !self.parked || self.position.offset >= batch.end.offset {
            return;
        }
        let (Some(writer), Some(frames)) = (&self.writer, batch.after(self.position)) else { return self.wake() };
        let written = writer.write(frames);
        if written.bytes > 0 {
            self.position = batch.advance(self.position, frames, written.bytes);
            self.has_moved = true;
        }
        if !written.is_complete {
            self.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::Watchers;

    /// Adds a viewer with its own `follow` token. Returns the viewer's key and the token.
    fn come(watchers: &mut Watchers) -> (usize, CancellationToken) {
        let ended = CancellationToken::new();
        (watchers.add(|| Some(ended.clone().drop_guard())), ended)
    }

    #[test]
    fn others_are_followed_while_somebody_watches() {
        let mut watchers = Watchers::default();
        let (first, following) = come(&mut watchers);
        let (second, needless) = come(&mut watchers);
        assert!(watchers.are_following() && !needless.is_cancelled());
        assert!(watchers.remove(first).is_none() && !following.is_cancelled(), "somebody still watches");
        let (third, _) = come(&mut watchers);
        assert!(watchers.remove(second).is_none());
        drop(watchers.remove(third));
        assert!(following.is_cancelled() && !watchers.are_following(), "nobody watches");
        let (_, again) = come(&mut watchers);
        assert!(watchers.are_following() && !again.is_cancelled(), "the next viewer starts following again");
    }
}
