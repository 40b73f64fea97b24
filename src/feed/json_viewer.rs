//! A viewer that takes frames as JSON, one at a time: SSE and the doors.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};

use super::replay::{Replay, ReplayStep};
use super::{CopyOutcome, Cursor, frame};
use crate::protocol::ServerFrame;

/// Bytes copied from the feed at a time.
const COPY_BYTES: usize = 16 << 10;

/// A viewer that takes frames as JSON, under the same laws as one with a socket: replay, `caught_up`, the texts so far
/// of running items, then live frames, without gaps or repeats.
pub struct JsonViewer {
    cursor: Cursor,
    replay: Option<Replay>,
    caught_up: bool,
    ready: VecDeque<Bytes>,
    seq: u64,
}

impl JsonViewer {
    pub(super) fn new(mut cursor: Cursor, after: u64) -> Self {
        let after = after.min(cursor.feed().head());
        let replay = Some(Replay::after(&mut cursor, after));
        Self { cursor, replay, caught_up: false, ready: VecDeque::new(), seq: after }
    }

    /// Keeps the watch alive when its participant is removed; see [`Cursor::irrevocable`].
    #[must_use]
    pub fn without_revocation(mut self) -> Self {
        self.cursor = self.cursor.without_revocation();
        self
    }

    /// Returns the next frame as JSON text. `None` if the viewer was removed or the store does not respond; reconnect
    /// after [`JsonViewer::seq`].
    pub async fn next(&mut self) -> Option<Bytes> {
        let json = poll_fn(|cx| self.poll(cx)).await?;
        self.seq += u64::from(frame::is_event(&json));
        Some(json)
    }

    /// Returns the seq of the last event that was returned. Pass it as `after` to continue from here.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some(json) = self.ready.pop_front() {
                return Poll::Ready(Some(json));
            }
            if let Some(replay) = &mut self.replay {
                match ready!(replay.poll(&mut self.cursor, cx)) {
                    Ok(ReplayStep::Page(page)) => self.unframe(page.framed),
                    Ok(ReplayStep::Arrived(start)) => {
                        self.replay = None;
                        if !std::mem::replace(&mut self.caught_up, true) {
                            let session = self.cursor.feed().session();
                            let frame = ServerFrame::CaughtUp { session, through: start.seq };
                            self.ready.extend(serde_json::to_vec(&frame).ok().map(Bytes::from));
                        }
                        start.extras.iter().for_each(|framed| self.unframe(framed.clone()));
                    }
                    Ok(ReplayStep::Removed(_)) => return Poll::Ready(None),
                    Err(error) => {
                        tracing::warn!(%error, "a viewer's replay ended");
                        return Poll::Ready(None);
                    }
                }
                continue;
            }
            let mut bytes = Vec::new();
            match self.cursor.copy(&mut bytes, COPY_BYTES, cx.waker()) {
                CopyOutcome::Nothing => return Poll::Pending,
                CopyOutcome::Frames { end, seq, .. } => {
                    self.cursor.take(end, seq);
                    self.unframe(bytes.into());
                }
                CopyOutcome::FellOut => self.replay = Some(Replay::resume(&mut self.cursor)),
                CopyOutcome::Removed(_) => return Poll::Ready(None),
            }
        }
    }

    fn unframe(&mut self, mut framed: Bytes) {
        while let Some((header, len)) = frame::first_frame_lengths(&framed) {
            framed.advance(header);
            self.ready.push_back(framed.split_to(len));
        }
    }
}
