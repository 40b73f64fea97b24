//! Output of one connection that is not in a feed: responses, snapshots, replayed events, and the remainder of a frame
//! that the socket accepted only partly.

use std::collections::VecDeque;
use std::io;

use bytes::{Buf, Bytes};

use crate::feed::frame;

/// Minimum length of shared bytes that are queued without copying. Shorter ones are cheaper to copy.
const MIN_SHARED_BYTES: usize = 4 << 10;

/// Bytes in order. Uses no memory while it is empty.
#[derive(Default)]
pub(super) struct WriteBuffer {
    parts: VecDeque<Bytes>,
    /// Bytes after `parts`.
    tail: Vec<u8>,
    /// Number of bytes of `tail` that are written. Nonzero only while there are no parts.
    taken: usize,
    len: usize,
}

impl WriteBuffer {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Inserts bytes before all others. None of the others must be partly written.
    pub(super) fn push_front(&mut self, bytes: Bytes) {
        self.len += bytes.len();
        self.parts.push_front(bytes);
    }

    /// Appends shared bytes, for example a snapshot. Copies them only if they are short.
    pub(super) fn push_shared(&mut self, bytes: Bytes) {
        if bytes.len() < MIN_SHARED_BYTES {
            return self.push(&bytes);
        }
        self.seal();
        self.len += bytes.len();
        self.parts.push_back(bytes);
    }

    /// Appends JSON as a text frame.
    pub(super) fn push_text(&mut self, json: &[u8]) {
        let before = self.tail.len();
        frame::push_text(&mut self.tail, json);
        self.len += self.tail.len() - before;
    }

    /// Appends one text frame whose payload is the concatenation of the three pieces.
    pub(super) fn push_around(&mut self, before: &[u8], shared: Bytes, after: &[u8]) {
        let mut header = Vec::with_capacity(10);
        frame::push_header(&mut header, 0x81, before.len() + shared.len() + after.len());
        self.push(&header);
        self.push(before);
        self.push_shared(shared);
        self.push(after);
    }

    fn seal(&mut self) {
        if !self.tail.is_empty() {
            let mut tail = Bytes::from(std::mem::take(&mut self.tail));
            tail.advance(std::mem::take(&mut self.taken));
            self.parts.push_back(tail);
        }
    }

    /// Returns the next bytes to write.
    pub(super) fn front(&self) -> &[u8] {
        self.parts.front().map_or(&self.tail[self.taken..], |part| part)
    }

    /// Appends all bytes to `into`. Returns their number.
    pub(super) fn gather(&self, into: &mut Vec<u8>) -> usize {
        self.parts.iter().for_each(|part| into.extend_from_slice(part));
        into.extend_from_slice(&self.tail[self.taken..]);
        self.len
    }

    /// Removes bytes that were written.
    pub(super) fn advance(&mut self, written: usize) {
        self.len -= written;
        let mut left = written;
        while let Some(part) = self.parts.front_mut() {
            let step = part.len().min(left);
            part.advance(step);
            left -= step;
            if !part.is_empty() {
                return;
            }
            self.parts.pop_front();
        }
        self.taken += left;
        if self.len == 0 {
            *self = Self::default();
        }
    }
}

/// Queues the output of the WebSocket library (pongs and close frames) in order with everything else.
impl io::Write for WriteBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_in_order_however_they_are_taken() {
        for step in [1, 7, 4096, 100_000] {
            let mut out = WriteBuffer::default();
            out.push(b"ab");
            out.push_shared(Bytes::from(vec![b'x'; 5000]));
            out.push_text(b"{}");
            out.push_shared(Bytes::from_static(b"cd"));
            let mut all = Vec::new();
            while !out.is_empty() {
                let n = out.front().len().min(step);
                all.extend_from_slice(&out.front()[..n]);
                out.advance(n);
            }
            assert_eq!(all.len(), 2 + 5000 + 4 + 2);
            assert!(all.starts_with(b"abxxx") && all.ends_with(b"\x81\x02{}cd"));
            assert_eq!(out.tail.capacity(), 0);
        }
    }

    #[test]
    fn a_partly_written_tail_is_not_sent_twice() {
        let mut out = WriteBuffer::default();
        out.push(b"abc");
        out.advance(2);
        out.push_shared(Bytes::from(vec![b'x'; 5000]));
        assert_eq!(out.front(), b"c");
        assert_eq!(out.len(), 5001);
    }
}
