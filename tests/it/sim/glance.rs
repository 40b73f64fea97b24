//! A viewer that comes without a seq of its own: from a snapshot on, as a socket does.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use roundtable::feed::{CopyOutcome, Cursor, Feed, Replay, ReplayStep, frame};
use roundtable::store::StoreError;

/// Bytes that are copied from the feed at a time.
const ROOM: usize = 4 << 10;

/// What follows a snapshot.
pub(super) struct Glance {
    cursor: Cursor,
    replay: Option<Replay>,
    ready: VecDeque<Bytes>,
}

impl Glance {
    /// Come in: the snapshot, its seq, and what follows.
    pub(super) async fn of(feed: &Arc<Feed>) -> Result<(Bytes, u64, Self), StoreError> {
        let mut cursor = Cursor::new(feed.clone(), None);
        let start = feed.start_with_snapshot().await?;
        let (snapshot, seq) = (start.snapshot.clone().expect("was asked for"), start.seq);
        let replay = Some(Replay::from(&mut cursor, start));
        Ok((snapshot, seq, Self { cursor, replay, ready: VecDeque::new() }))
    }

    /// The next frame as JSON. `None` when the store does not answer.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        poll_fn(|cx| self.poll(cx)).await
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
                        start.extras.iter().for_each(|framed| self.unframe(framed.clone()));
                    }
                    Ok(ReplayStep::Removed(_)) | Err(_) => return Poll::Ready(None),
                }
                continue;
            }
            let mut bytes = Vec::new();
            match self.cursor.copy(&mut bytes, ROOM, cx.waker()) {
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
