//! The sessions that one connection follows, as one fair source of frames.

use std::sync::Arc;
use std::task::{Context, Waker};

use super::connection::FrameSource;
use super::connection_log::ConnectionLog;
use super::subscription::Subscription;
use super::write_buffer::WriteBuffer;
use crate::feed::{Feed, FrameSpan, LiveCopy};
use crate::kernel::SessionId;
use crate::protocol::{Code, Problem};

/// The sessions that one connection follows.
#[derive(Default)]
pub(super) struct SubscriptionSet {
    joined: Vec<Subscription>,
    /// Index of the session that is served first. Rotates, so that a busy session does not block a quiet one.
    first: usize,
    /// Parts of the last fill: session index, number of bytes, and the frames.
    copied: Vec<(usize, usize, FrameSpan)>,
    /// True if `fill` found something that `poll` has to send.
    has_update: bool,
}

impl SubscriptionSet {
    pub(super) fn add(&mut self, session: Subscription) {
        self.joined.push(session);
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Makes room for one more session, or fails if the connection has joined the maximum number. A repeated join
    /// replaces the earlier one.
    pub(super) fn make_room(&mut self, id: SessionId, max_sessions: usize) -> Result<(), Problem> {
        self.joined.retain(|session| session.id != id);
        if self.joined.len() >= max_sessions {
            let message = format!("a connection can join at most {max_sessions} sessions; leave one first");
            return Err(Problem::new(Code::TooManySessions, message));
        }
        Ok(())
    }

    pub(super) fn leave(&mut self, id: SessionId) -> Result<(), Problem> {
        self.feed(id)?;
        self.joined.retain(|session| session.id != id);
        Ok(())
    }

    pub(super) fn feed(&self, id: SessionId) -> Result<&Arc<Feed>, Problem> {
        let session = self.joined.iter().find(|session| session.id == id);
        session
            .map(|session| session.viewer.feed())
            .ok_or_else(|| Problem::new(Code::NotJoined, "this connection has not joined the session; join it first"))
    }

    /// Continues the replays of sessions that are behind, while the output has room. Returns whether something was
    /// sent.
    pub(super) fn poll(
        &mut self,
        out: &mut WriteBuffer,
        max_bytes: usize,
        log: ConnectionLog,
        cx: &mut Context<'_>,
    ) -> bool {
        let mut has_output = std::mem::take(&mut self.has_update);
        let count = self.joined.len();
        for offset in 0..count {
            if out.len() > max_bytes {
                // Continue as soon as these bytes are written.
                has_output = true;
                break;
            }
            has_output |= self.joined[(self.first + offset) % count].poll(out, log, cx);
        }
        self.joined.retain(|session| !session.over);
        has_output
    }

    /// Returns whether a write found something that [`SubscriptionSet::poll`] has to handle.
    pub(super) fn needs_poll(&self) -> bool {
        self.has_update
    }
}

impl FrameSource for SubscriptionSet {
    fn fill(&mut self, into: &mut Vec<u8>, room: usize, waker: &Waker) -> bool {
        self.copied.clear();
        let count = self.joined.len();
        let mut more = false;
        for offset in 0..count {
            let index = (self.first + offset) % count;
            let session = &mut self.joined[index];
            let (before, left) = (into.len(), room.saturating_sub(into.len()));
            if left == 0 {
                more = true;
                break;
            }
            match session.viewer.copy(into, left, waker) {
                LiveCopy::Nothing => {}
                LiveCopy::Frames(span) => {
                    more |= !span.head;
                    self.copied.push((index, into.len() - before, span));
                }
                LiveCopy::Left => self.has_update = true,
            }
        }
        self.first = (self.first + 1) % count.max(1);
        more || self.has_update
    }

    fn taken(&mut self, filled: &[u8], written: usize, rest: &mut WriteBuffer) {
        let mut begin = 0;
        for &(index, len, span) in &self.copied {
            let viewer = &mut self.joined[index].viewer;
            if written >= begin + len {
                viewer.take(span);
            } else if written > begin {
                rest.push(viewer.take_part(&filled[begin..begin + len], written - begin));
            }
            begin += len;
        }
    }
}
