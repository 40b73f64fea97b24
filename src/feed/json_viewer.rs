//! A viewer that takes frames as JSON, one at a time, for SSE and the doors.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};

use super::{LiveCopy, Viewer, ViewerEnd, frame};

/// Approximate number of bytes that are copied from the feed at a time.
const COPY_BYTES: usize = 16 << 10;

/// A viewer that takes frames as JSON.
pub struct JsonViewer {
    viewer: Viewer,
    ready: VecDeque<Bytes>,
    seq: u64,
}

impl JsonViewer {
    /// Creates a JSON viewer that takes its frames from `viewer`.
    pub fn new(viewer: Viewer) -> Self {
        let seq = viewer.seq();
        Self { viewer, ready: VecDeque::new(), seq }
    }

    /// Keeps the viewer when its participant is removed; see [`super::Cursor::without_revocation`].
    #[must_use]
    pub fn without_revocation(mut self) -> Self {
        self.viewer = self.viewer.without_revocation();
        self
    }

    /// Returns the next frame as JSON text.
    ///
    /// # Errors
    /// Fails if the viewer was removed or the store does not respond. Reconnect after [`JsonViewer::seq`].
    pub async fn next(&mut self) -> Result<Bytes, ViewerEnd> {
        let json = poll_fn(|cx| self.poll(cx)).await?;
        self.seq += u64::from(frame::is_event(&json));
        Ok(json)
    }

    /// Returns the seq of the last event that was returned. Pass it as `after` to continue from here.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Bytes, ViewerEnd>> {
        loop {
            let Self { viewer, ready, .. } = self;
            if let Some(json) = ready.pop_front() {
                return Poll::Ready(Ok(json));
            }
            match viewer.poll(cx, |framed| unframe(framed, ready)) {
                Poll::Ready(Ok(())) => continue,
                Poll::Ready(Err(end)) => {
                    end.log_failure(viewer.session());
                    return Poll::Ready(Err(end));
                }
                Poll::Pending => {}
            }
            let mut bytes = Vec::new();
            match viewer.copy(&mut bytes, COPY_BYTES, cx.waker()) {
                LiveCopy::Nothing => return Poll::Pending,
                LiveCopy::Frames(span) => {
                    viewer.take(span);
                    unframe(bytes.into(), ready);
                }
                LiveCopy::Left => {}
            }
        }
    }
}

fn unframe(mut framed: Bytes, ready: &mut VecDeque<Bytes>) {
    while let Some((header, len)) = frame::first_frame_lengths(&framed) {
        framed.advance(header);
        ready.push_back(framed.split_to(len));
    }
}
