//! A viewer of a session: the order of everything that it receives, for every transport.

use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;

use super::replay::{Replay, ReplayStep};
use super::{CopyOutcome, Cursor, DirectWriter, Feed, FrameSpan, frame};
use crate::kernel::{LeaveReason, SessionId};
use crate::protocol::{Problem, ServerFrame};
use crate::store_error::StoreError;
use crate::telemetry::log_spans;

/// A viewer of a session: a cursor, and the replay that catches it up with the feed. It decides what comes next: missed
/// events, `caught_up`, the partial texts of running messages, then live frames. A viewer that falls out of the feed
/// replays again. It has no queue: the transport asks for more when it has room.
///
/// A transport alternates between [`Viewer::poll`] and [`Viewer::copy`].
pub struct Viewer {
    cursor: Cursor,
    /// The replay to the feed, or `None` while the cursor follows the feed. Boxed, because most viewers follow.
    replay: Option<Box<Replay>>,
    /// True if `caught_up` was sent.
    caught_up: bool,
    /// Reason for the end of the viewer's membership. `None` until the viewer has everything before that end.
    removed: Option<LeaveReason>,
}

/// Result of copying live frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveCopy {
    /// Nothing to copy now. If the viewer follows the feed, the waker is called or the frames are written directly once
    /// there are new ones.
    Nothing,
    /// These frames.
    Frames(FrameSpan),
    /// The viewer no longer follows the feed, because it fell out or was removed. Continue with [`Viewer::poll`].
    Left,
}

/// Reason why a viewer receives nothing more.
#[derive(Debug)]
pub enum ViewerEnd {
    /// The viewer is no longer a participant.
    Removed(LeaveReason),
    /// The store does not respond. The viewer can join again.
    Store(StoreError),
}

impl ViewerEnd {
    /// If a failure of the store ended the viewer, logs it in the current span: the transport knows the connection, and
    /// whether it has already entered that connection's span.
    pub fn log_failure(&self, session: SessionId) {
        if let Self::Store(error) = self {
            log_spans::session(session).in_scope(|| tracing::warn!(%error, "a viewer's replay ended"));
        }
    }

    /// Returns the frame that reports the end of this session's events to a client.
    pub fn closing(self, session: SessionId) -> ServerFrame {
        let (code, message) = match self {
            Self::Removed(LeaveReason::Left) => ("left", "you left the session".into()),
            Self::Removed(LeaveReason::Removed) => ("removed", "you were removed from the session".into()),
            Self::Store(error) => {
                let Problem(error) = error.into();
                (error.code.as_str(), error.message)
            }
        };
        ServerFrame::Closing { session, code: code.into(), message }
    }
}

impl Viewer {
    /// Creates a viewer that has the events up to `after`.
    pub fn after(mut cursor: Cursor, after: u64) -> Self {
        let after = after.min(cursor.feed().head());
        let replay = Replay::after(&mut cursor, after);
        Self::new(cursor, replay)
    }

    /// Creates a viewer that starts with a snapshot. Also returns the snapshot as JSON; its seq is [`Viewer::head`].
    pub async fn with_snapshot(mut cursor: Cursor) -> Result<(Self, Bytes), StoreError> {
        let (start, snapshot) = cursor.feed().start_with_snapshot().await?;
        let replay = Replay::from(&mut cursor, start);
        Ok((Self::new(cursor, replay), snapshot))
    }

    fn new(cursor: Cursor, replay: Replay) -> Self {
        Self { cursor, replay: Some(Box::new(replay)), caught_up: false, removed: None }
    }

    /// Keeps the viewer when its participant is removed; see [`Cursor::without_revocation`].
    #[must_use]
    pub fn without_revocation(mut self) -> Self {
        self.cursor = self.cursor.without_revocation();
        self
    }

    /// Lets the feed write live frames to the viewer's socket while the viewer's task sleeps. The writer must take
    /// nothing unless [`Viewer::copy`] has returned all frames and they were written.
    pub fn set_writer(&mut self, writer: Arc<dyn DirectWriter>) {
        self.cursor.set_writer(writer);
    }

    /// Returns the feed.
    pub fn feed(&self) -> &Arc<Feed> {
        self.cursor.feed()
    }

    /// Returns the session that the viewer follows.
    pub(super) fn session(&self) -> SessionId {
        self.cursor.feed().session()
    }

    /// Returns the seq of the newest event that the viewer has taken.
    pub fn seq(&self) -> u64 {
        self.cursor.seq()
    }

    /// Returns the seq of the newest event at the moment to which the viewer catches up or, if it follows the feed, of
    /// the newest event that it has taken.
    pub fn head(&self) -> u64 {
        self.replay.as_ref().map_or(self.cursor.seq(), |replay| replay.head())
    }

    /// Continues catching up with the feed, and passes whole frames to `send`. Pending while the viewer waits for the
    /// store, and while it follows the feed.
    pub fn poll(&mut self, cx: &mut Context<'_>, mut send: impl FnMut(Bytes)) -> Poll<Result<(), ViewerEnd>> {
        if let Some(reason) = self.removed {
            return Poll::Ready(Err(ViewerEnd::Removed(reason)));
        }
        let Some(replay) = &mut self.replay else { return Poll::Pending };
        match ready!(replay.poll(&mut self.cursor, cx)) {
            Ok(ReplayStep::Page(page)) => send(page.framed),
            Ok(ReplayStep::Arrived(start)) => {
                self.replay = None;
                if !std::mem::replace(&mut self.caught_up, true) {
                    let frame = ServerFrame::CaughtUp { session: self.cursor.feed().session(), through: start.seq };
                    send(frame::text_frame(&frame.encode()).into());
                }
                start.extras.iter().cloned().for_each(send);
            }
            Ok(ReplayStep::Removed(reason)) => self.removed = Some(reason),
            Err(error) => return Poll::Ready(Err(ViewerEnd::Store(error))),
        }
        Poll::Ready(Ok(()))
    }

    /// Appends the next live frames to `into`, about `room` bytes in total. Once the transport has written them, it
    /// marks them as taken.
    pub fn copy(&mut self, into: &mut Vec<u8>, room: usize, waker: &Waker) -> LiveCopy {
        if self.replay.is_some() || self.removed.is_some() {
            return LiveCopy::Nothing;
        }
        match self.cursor.copy(into, room, waker) {
            CopyOutcome::Nothing => return LiveCopy::Nothing,
            CopyOutcome::Frames(span) => return LiveCopy::Frames(span),
            CopyOutcome::FellOut => self.replay = Some(Box::new(Replay::resume(&mut self.cursor))),
            CopyOutcome::Removed(reason) => self.removed = Some(reason),
        }
        LiveCopy::Left
    }

    /// Marks these copied frames as taken.
    pub fn take(&mut self, span: FrameSpan) {
        self.cursor.take(span);
    }

    /// Marks the first `written` bytes of these copied frames as taken. Returns the rest of the frame that was cut; it
    /// must be written before anything else.
    pub fn take_part<'a>(&mut self, copied: &'a [u8], written: usize) -> &'a [u8] {
        self.cursor.take_part(copied, written)
    }
}
