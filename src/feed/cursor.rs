//! A viewer's position in a feed.

use std::sync::Arc;
use std::task::Waker;

use super::watchers::ViewerPosition;
use super::{DirectWriter, Feed, StartingPoint, frame};
use crate::kernel::{Actor, LeaveReason, ParticipantId};

/// A viewer's position in a feed. The viewer copies frames, writes them, and then marks as taken those that the socket
/// accepted.
pub struct Cursor {
    feed: Arc<Feed>,
    key: usize,
    position: u64,
    seq: u64,
    who: Option<ParticipantId>,
    epoch: u64,
    /// Position of the viewer's removal; the viewer gets no frame that ends after it. `u64::MAX` if the viewer was not
    /// removed.
    until: u64,
    /// True if the cursor ends when the participant loses membership. False for an administrator, and for a cursor
    /// without a participant.
    revocable: bool,
    /// True if the feed writes to the viewer's socket itself, which moves the cursor.
    is_direct: bool,
}

/// Result of copying from a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopyOutcome {
    /// No new frames. The feed calls the waker when there are some, or writes them directly.
    Nothing,
    /// Whole frames.
    Frames(FrameSpan),
    /// The position is older than the feed. The viewer has to read the store.
    FellOut,
    /// The viewer is no longer a participant.
    Removed(LeaveReason),
}

/// Whole frames that were copied from a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameSpan {
    /// Position after the last frame.
    end: u64,
    /// Seq of the newest event up to `end`.
    seq: u64,
    /// True if the frames reach the head of the feed. If so, the feed calls the waker when there are more, or writes
    /// them directly.
    pub head: bool,
}

impl Cursor {
    /// Creates a cursor without a position; a [`super::Viewer`] gives it one. `who` counts as present while the cursor
    /// lives.
    pub fn new(feed: Arc<Feed>, who: Option<(ParticipantId, &Actor)>) -> Self {
        let key = feed.add_viewer(who);
        let who = who.map(|(id, _)| id);
        Self {
            feed,
            key,
            position: 0,
            seq: 0,
            who,
            epoch: 0,
            until: u64::MAX,
            revocable: who.is_some(),
            is_direct: false,
        }
    }

    /// Keeps the cursor alive when its participant is removed. An administrator's right to watch does not depend on
    /// membership.
    #[must_use]
    pub fn without_revocation(mut self) -> Self {
        self.revocable = false;
        self
    }

    /// Lets the feed write to the viewer's socket while the viewer is at the head of the feed and its task sleeps.
    pub(super) fn set_writer(&mut self, writer: Arc<dyn DirectWriter>) {
        self.feed.watchers.lock().set_writer(self.key, writer);
        self.is_direct = true;
    }

    /// Returns the feed.
    pub fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// Returns the seq of the newest event that the viewer has taken.
    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// Moves the cursor to this starting point.
    pub(super) fn place(&mut self, start: &StartingPoint) {
        self.move_to_position(start.position, start.seq);
    }

    fn move_to_position(&mut self, position: u64, seq: u64) {
        (self.position, self.seq) = (position, seq);
    }

    /// Records that the viewer has read events up to `seq` from the store.
    pub(super) fn replayed(&mut self, seq: u64) {
        self.seq = seq;
    }

    /// Appends the next whole frames to `into`, about `room` bytes in total.
    pub(super) fn copy(&mut self, into: &mut Vec<u8>, room: usize, waker: &Waker) -> CopyOutcome {
        let core = self.feed.core.read();
        if self.is_direct
            && let Some(position) = self.feed.watchers.lock().unpark(self.key)
        {
            (self.position, self.seq) = (position.offset, position.seq);
        }
        if core.epoch != self.epoch {
            self.epoch = core.epoch;
            self.until = self.removal_in(&core).map_or(u64::MAX, |removal| removal.position);
        }
        let Some(window) = core.ring.window(self.position, room, self.until) else { return CopyOutcome::FellOut };
        into.extend_from_slice(window.bytes);
        let head = window.end == core.ring.end();
        if window.bytes.is_empty() {
            if self.position >= self.until
                && let Some(removal) = self.removal_in(&core)
            {
                return CopyOutcome::Removed(removal.reason);
            }
            self.feed.park(self.key, waker, ViewerPosition { offset: self.position, seq: self.seq });
            return CopyOutcome::Nothing;
        }
        if head && self.until > window.end {
            // Park under the read lock, while the feed cannot grow. Everything that is published later is then written
            // directly or wakes this connection.
            self.feed.park(self.key, waker, ViewerPosition { offset: window.end, seq: window.seq });
        }
        CopyOutcome::Frames(FrameSpan { end: window.end, seq: window.seq, head: head && self.until > window.end })
    }

    fn removal_in(&self, core: &super::feed::FeedCore) -> Option<super::feed::Removal> {
        let who = self.who.filter(|_| self.revocable)?;
        core.removals.get(&who).copied()
    }

    /// Returns the seq and reason of the viewer's removal. `None` if the viewer was not removed.
    pub(super) fn removal(&self) -> Option<(u64, LeaveReason)> {
        self.removal_in(&self.feed.core.read()).map(|removal| (removal.seq, removal.reason))
    }

    /// Marks all copied frames as taken.
    pub(super) fn take(&mut self, span: FrameSpan) {
        self.move_to_position(span.end, span.seq);
    }

    /// Marks the first `written` bytes of these copied frames as taken. Returns the rest of the frame that was cut; it
    /// must be written before anything else.
    pub(super) fn take_part<'a>(&mut self, copied: &'a [u8], written: usize) -> &'a [u8] {
        let (end, events) = frame::find_cut(copied, written);
        self.move_to_position(self.position + end as u64, self.seq + events);
        &copied[written..end]
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        self.feed.remove_viewer(self.key, self.who);
    }
}
