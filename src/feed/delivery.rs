//! Delivery of new frames: written directly to idle sockets, without waking a task for each viewer.

use std::sync::Arc;

use tokio::task::yield_now;

use super::feed::FeedCore;
use super::watchers::ViewerPosition;
use super::{Feed, frame};

/// Maximum number of connections that are written to before other tasks get a turn. A write takes about 6 µs.
const MAX_SLICE_CONNECTIONS: usize = 32;

/// Maximum number of bytes that are written before other tasks get a turn, unless a single connection gets more. During
/// these writes, a connection that copies frames waits, and a publisher waits for that connection.
const MAX_SLICE_BYTES: usize = 256 << 10;

/// Maximum number of connections that one task writes to. The tasks of all other connections are woken, and run on all
/// cores.
pub(super) const MAX_DIRECT_CONNECTIONS: usize = 1024;

/// Maximum number of bytes that are delivered directly. Connections that are further behind write in their own tasks,
/// where a slow one waits for its socket.
const MAX_BATCH_BYTES: usize = 64 << 10;

/// A socket that the feed can write to while the connection's task sleeps.
pub trait DirectWriter: Send + Sync {
    /// Writes whole frames, if the connection has nothing else to write. Never waits.
    fn write(&self, frames: &[u8]) -> DirectWrite;
}

/// Result of a direct write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirectWrite {
    /// Number of bytes that were taken, up to the end of a frame. If the socket cut a frame, the writer keeps the
    /// remainder.
    pub bytes: usize,
    /// True if all frames were written. If not, the connection's task has to continue.
    pub is_complete: bool,
}

/// New frames for the connections that do not have them yet.
pub(super) struct FrameBatch {
    from: u64,
    /// Position after the last frame.
    pub(super) end: ViewerPosition,
    frames: Vec<u8>,
    /// See [`super::watchers::Watchers::wake`].
    pub(super) generation: u64,
}

impl FrameBatch {
    /// Returns the frames since `from`. `None` if they are too large, or no longer in the feed.
    pub(super) fn since(core: &FeedCore, from: u64, generation: u64) -> Option<Self> {
        let window = core.ring.window(from, MAX_BATCH_BYTES, u64::MAX)?;
        let end = ViewerPosition { offset: window.end, seq: window.seq };
        // A window contains at least one frame, however large.
        let fits = window.end == core.ring.end() && window.bytes.len() <= MAX_BATCH_BYTES;
        fits.then(|| Self { from, end, frames: window.bytes.to_vec(), generation })
    }

    /// Returns the number of connections that get the batch before other tasks get a turn.
    fn slice_connections(&self) -> usize {
        (MAX_SLICE_BYTES / self.frames.len().max(1)).clamp(1, MAX_SLICE_CONNECTIONS)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Returns the frames after a position. `None` if the batch begins later.
    pub(super) fn after(&self, position: ViewerPosition) -> Option<&[u8]> {
        let skipped = position.offset.checked_sub(self.from)?;
        self.frames.get(usize::try_from(skipped).ok()?..)
    }

    /// Returns the position after the first `taken` bytes of `frames`, which begin at `position`.
    pub(super) fn advance(&self, position: ViewerPosition, frames: &[u8], taken: usize) -> ViewerPosition {
        if taken == frames.len() {
            return self.end;
        }
        let (_, events) = frame::find_cut(frames, taken);
        ViewerPosition { offset: position.offset + taken as u64, seq: position.seq + events }
    }
}

impl Feed {
    /// Delivers new frames to all viewers: to the first few connections immediately, and to the others from a task, so
    /// that a publisher does not wait.
    pub(super) fn deliver(self: &Arc<Self>) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return self.wake() };
        if !self.watchers.lock().begin_delivery() {
            return;
        }
        let mut delivery = RunningDelivery { feed: self.clone(), next: 0, is_over: false };
        let Some(mut batch) = delivery.next_batch() else { return };
        if !delivery.deliver(&batch) {
            // Others might have published in the meantime.
            let Some(newer) = delivery.next_batch() else { return };
            batch = newer;
        }
        runtime.spawn(delivery.run(batch));
    }
}

/// The one delivery of a feed that is in progress.
struct RunningDelivery {
    feed: Arc<Feed>,
    /// Slot of the next connection that gets the batch.
    next: usize,
    is_over: bool,
}

impl RunningDelivery {
    /// Returns the frames since the last batch. `None` if there are none or they cannot be delivered directly; the
    /// delivery is then over.
    fn next_batch(&mut self) -> Option<FrameBatch> {
        let core = self.feed.core.read();
        let batch = self.feed.watchers.lock().next_batch(&core);
        (self.next, self.is_over) = (0, batch.is_none());
        batch
    }

    /// Delivers a batch to the next connections. Returns whether there are more.
    fn deliver(&mut self, batch: &FrameBatch) -> bool {
        self.feed.watchers.lock().deliver(batch, &mut self.next, batch.slice_connections())
    }

    /// Delivers a batch to the remaining connections, and then the frames that were published in the meantime.
    async fn run(mut self, mut batch: FrameBatch) {
        loop {
            while self.deliver(&batch) {
                yield_now().await;
            }
            let Some(newer) = self.next_batch() else { break };
            batch = newer;
            yield_now().await;
        }
    }
}

/// Ends the delivery and wakes all connections if the task stops early. Otherwise, no later delivery could begin.
impl Drop for RunningDelivery {
    fn drop(&mut self) {
        if !self.is_over {
            self.feed.watchers.lock().abandon_delivery();
        }
    }
}

#[cfg(test)]
#[path = "delivery_tests.rs"]
mod tests;
