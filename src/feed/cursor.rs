//! A viewer's place in a feed.

use std::sync::Arc;
use std::task::Waker;

use super::{Feed, Start, frame};
use crate::kernel::{Actor, LeaveReason, ParticipantId};

/// A viewer's place in a feed. Its frames are copied, written, and then marked as taken, as far as the socket took them.
pub struct Cursor {
    feed: Arc<Feed>,
    key: usize,
    position: u64,
    seq: u64,
    who: Option<ParticipantId>,
    epoch: u64,
    /// Where the viewer's right to watch ends.
    until: u64,
    /// Whether losing membership ends it; an administrator's does not.
    revocable: bool,
}

/// What copying from a feed gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// There is nothing more; the waker is called when there is.
    Nothing,
    /// Whole frames.
    Frames {
        /// The position behind them.
        end: u64,
        /// The seq of the newest event up to there.
        seq: u64,
        /// There is nothing more behind them, and the waker is called when there is.
        head: bool,
    },
    /// The feed does not go back so far: the store does.
    FellOut,
    /// The viewer is no longer a participant.
    Removed(LeaveReason),
}

impl Cursor {
    /// A cursor that has to be placed by [`Cursor::place`]; `who` is shown as present while it lives.
    pub fn new(feed: Arc<Feed>, who: Option<(ParticipantId, &Actor)>) -> Self {
        let key = feed.come(who);
        let who = who.map(|(id, _)| id);
        Self { feed, key, position: 0, seq: 0, who, epoch: 0, until: u64::MAX, revocable: who.is_some() }
    }

    /// It goes on when its participant is removed: what an administrator may watch does not depend on membership.
    #[must_use]
    pub fn irrevocable(mut self) -> Self {
        self.revocable = false;
        self
    }

    /// The feed.
    pub fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// The seq of the newest event that was taken.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Go on from here.
    pub fn place(&mut self, start: &Start) {
        self.place_at(start.position, start.seq);
    }

    fn place_at(&mut self, position: u64, seq: u64) {
        (self.position, self.seq) = (position, seq);
    }

    /// Events up to here came from the store.
    pub(super) fn replayed(&mut self, seq: u64) {
        self.seq = seq;
    }

    /// Append what comes next to `into`, about `room` bytes of whole frames.
    pub fn copy(&mut self, into: &mut Vec<u8>, room: usize, waker: &Waker) -> Copied {
        let core = self.feed.core.read();
        if core.epoch != self.epoch {
            self.epoch = core.epoch;
            self.until = self.removal_in(&core).map_or(u64::MAX, |removal| removal.position);
        }
        let Some(window) = core.ring.window(self.position, room, self.until) else { return Copied::FellOut };
        into.extend_from_slice(window.bytes);
        let head = window.end == core.ring.end();
        if window.bytes.is_empty() {
            if self.position >= self.until
                && let Some(removal) = self.removal_in(&core)
            {
                return Copied::Removed(removal.reason);
            }
            self.feed.park(self.key, waker);
            return Copied::Nothing;
        }
        if head && self.until > window.end {
            // Parked while the feed cannot grow: what is published from here on wakes it.
            self.feed.park(self.key, waker);
        }
        Copied::Frames { end: window.end, seq: window.seq, head: head && self.until > window.end }
    }

    fn removal_in(&self, core: &super::feed::Core) -> Option<super::feed::Removal> {
        let who = self.who.filter(|_| self.revocable)?;
        core.removals.get(&who).copied()
    }

    /// The seq and reason of the viewer's removal, where the log has one.
    pub(super) fn removal(&self) -> Option<(u64, LeaveReason)> {
        self.removal_in(&self.feed.core.read()).map(|removal| (removal.seq, removal.reason))
    }

    /// All copied frames are taken.
    pub fn take(&mut self, end: u64, seq: u64) {
        self.place_at(end, seq);
    }

    /// Of these copied frames only `written` bytes are taken. The rest of the frame that was cut must go first next
    /// time, and is returned for that.
    pub fn take_part<'a>(&mut self, copied: &'a [u8], written: usize) -> &'a [u8] {
        let (end, events) = frame::cut(copied, written);
        self.place_at(self.position + end as u64, self.seq + events);
        &copied[written..end]
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        self.feed.go(self.key, self.who);
    }
}
