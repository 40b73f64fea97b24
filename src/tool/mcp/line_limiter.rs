//! Size limit for each line of a program's output. A line that is too long is dropped, and its call gets an error.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, ReadBuf};

use super::oversized_message::{self, OversizedMessage};

/// Maximum number of bytes per read.
const CHUNK_BYTES: usize = 8 * 1024;

/// Reader of complete lines from `inner`, each of at most `max_bytes`.
pub(super) struct LineLimiter<R> {
    inner: R,
    max_bytes: usize,
    /// The line that is being received.
    line: Vec<u8>,
    dropped: Option<OversizedMessage>,
    /// Complete lines that have not been read yet.
    whole: Bytes,
}

impl<R> LineLimiter<R> {
    pub(super) fn new(inner: R, max_bytes: usize) -> Self {
        Self { inner, max_bytes, line: vec![], dropped: None, whole: Bytes::new() }
    }

    /// Returns the lines that this chunk completes.
    fn take(&mut self, chunk: &[u8]) -> Vec<u8> {
        let mut whole = vec![];
        for &byte in chunk {
            match &mut self.dropped {
                Some(_) if byte == b'\n' => {
                    let request = self.dropped.take().and_then(|dropped| dropped.answered());
                    let error = request.map(|request| oversized_message::too_large_response(request, self.max_bytes));
                    if let Some(Ok(error)) = error.map(|error| serde_json::to_vec(&error)) {
                        whole.extend(error);
                        whole.push(b'\n');
                    }
                }
                Some(dropped) => dropped.push(byte),
                None => {
                    self.line.push(byte);
                    if byte == b'\n' {
                        whole.append(&mut self.line);
                    } else if self.line.len() > self.max_bytes {
                        self.dropped = Some(OversizedMessage::new(&std::mem::take(&mut self.line)));
                    }
                }
            }
        }
        whole
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LineLimiter<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        while self.whole.is_empty() {
            let mut chunk = [0; CHUNK_BYTES];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut self.inner).poll_read(cx, &mut read))?;
            if read.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.whole = self.take(read.filled()).into();
        }
        let now = self.whole.len().min(into.remaining());
        into.put_slice(&self.whole[..now]);
        self.whole.advance(now);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn one_line_that_is_too_long_goes_alone_and_its_call_is_told() {
        let huge = format!("{{\"result\":\"{}\",\"jsonrpc\":\"2.0\",\"id\":3}}", "x".repeat(100_000));
        let note = format!("{{\"method\":\"n\",\"params\":\"{}\"}}", "x".repeat(100_000));
        let text = format!("a\n{huge}\n{note}\nb\nnever ended");
        let mut printed = String::new();
        LineLimiter::new(text.as_bytes(), 64).read_to_string(&mut printed).await.expect("the read succeeds");
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[2]), (3, "a", "b"), "{printed}");
        assert!(lines[1].contains("\"id\":3") && lines[1].contains("-32091"), "{printed}");
    }
}
