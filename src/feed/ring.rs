//! A contiguous buffer of framed bytes: the newest frames of a session.

use std::collections::VecDeque;

use super::frame;

/// The newest frames. A position counts the bytes since the feed began, so it stays valid when old frames are evicted.
pub(super) struct Ring {
    bytes: Vec<u8>,
    /// Position of `bytes[0]`.
    base: u64,
    /// One mark per frame in `bytes`.
    marks: VecDeque<FrameMark>,
    /// Seq of the newest event.
    seq: u64,
    bound: usize,
}

#[derive(Clone, Copy)]
struct FrameMark {
    /// Position of the frame's end.
    end: u64,
    /// Seq of the newest event up to `end`.
    seq: u64,
}

/// Whole frames from a position onwards.
pub(super) struct RingWindow<'a> {
    pub(super) bytes: &'a [u8],
    /// Position after the last frame.
    pub(super) end: u64,
    /// Seq of the newest event up to `end`.
    pub(super) seq: u64,
}

impl Ring {
    pub(super) fn new(seq: u64, bound: usize) -> Self {
        Self { bytes: Vec::new(), base: 0, marks: VecDeque::new(), seq, bound }
    }

    /// Returns the position after the newest frame.
    pub(super) fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    pub(super) fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns whether a cursor at this position can continue in the ring.
    pub(super) fn holds(&self, position: u64) -> bool {
        position >= self.base
    }

    /// Appends a frame. `seq` is set if the frame is an event.
    pub(super) fn push(&mut self, json: &[u8], seq: Option<u64>) {
        let len = frame::header_len(json.len()) + json.len();
        if self.bytes.len() + len > self.bound {
            // Eviction down to half of the bound moves each byte at most once, however many frames pass through.
            self.evict((self.bound / 2).saturating_sub(len));
        }
        if self.bytes.capacity() - self.bytes.len() < len {
            let wanted = (self.bytes.len() * 2).max(4096).min(self.bound).max(self.bytes.len() + len);
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
        frame::push_text(&mut self.bytes, json);
        self.seq = seq.unwrap_or(self.seq);
        self.marks.push_back(FrameMark { end: self.end(), seq: self.seq });
    }

    /// Discards all frames and restarts at `seq`, for example after events that this ring never received. Every cursor
    /// falls out and reads the store.
    pub(super) fn skip_to(&mut self, seq: u64) {
        self.base = self.end() + 1;
        self.bytes.clear();
        self.marks.clear();
        self.seq = seq;
    }

    fn evict(&mut self, keep: usize) {
        let end = self.end();
        let gone = self.marks.partition_point(|mark| mark.end + (keep as u64) < end);
        // Also evict the frame that crosses the boundary.
        let gone = (gone + 1).min(self.marks.len());
        let Some(last) = gone.checked_sub(1).and_then(|last| self.marks.get(last)).copied() else { return };
        self.bytes.drain(..(last.end - self.base) as usize);
        self.marks.drain(..gone);
        self.base = last.end;
        if self.bytes.is_empty() && self.bytes.capacity() > self.bound {
            self.bytes = Vec::new();
        }
    }

    /// Returns whole frames from `from` onwards: at most `room` bytes, but at least one frame if there is one, and none
    /// that ends after `until`. `None` if the frames at `from` were evicted.
    pub(super) fn window(&self, from: u64, room: usize, until: u64) -> Option<RingWindow<'_>> {
        let start = from.checked_sub(self.base)? as usize;
        let head = self.end();
        if from + room as u64 >= head && until >= head {
            return Some(RingWindow { bytes: self.bytes.get(start..)?, end: head, seq: self.seq });
        }
        let first = self.marks.partition_point(|mark| mark.end <= from);
        let fits = self.marks.partition_point(|mark| mark.end <= (from + room as u64).min(until));
        let last = fits.max(first + 1) - 1;
        let Some(mark) = self.marks.get(last).filter(|mark| mark.end <= until) else {
            return Some(RingWindow { bytes: &[], end: from, seq: self.seq });
        };
        Some(RingWindow {
            bytes: self.bytes.get(start..(mark.end - self.base) as usize)?,
            end: mark.end,
            seq: mark.seq,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(frames: u64, bound: usize) -> Ring {
        let mut ring = Ring::new(0, bound);
        for seq in 1..=frames {
            ring.push(format!(r#"{{"type":"event","seq":{seq:06}}}"#).as_bytes(), Some(seq));
        }
        ring
    }

    #[test]
    fn it_keeps_to_its_bound_and_tells_who_fell_out() {
        let ring = ring(1000, 1000);
        assert!(ring.bytes.len() <= 1000 && ring.bytes.capacity() <= 1000);
        assert!(ring.window(0, 64, u64::MAX).is_none());
        let window = ring.window(ring.base, usize::MAX >> 1, u64::MAX).expect("held");
        assert_eq!((window.end, window.seq), (ring.end(), 1000));
        assert_eq!(frame::find_cut(window.bytes, window.bytes.len()).1, ring.marks.len() as u64);
    }

    #[test]
    fn a_frame_larger_than_the_bound_is_kept_alone() {
        let mut ring = ring(10, 400);
        ring.push(&[b'x'; 1000], None);
        assert_eq!(ring.marks.len(), 1);
        assert_eq!(ring.window(ring.base, 1, u64::MAX).expect("held").bytes.len(), 1004);
        ring.push(b"{}", None);
        assert_eq!(ring.bytes.len(), 4);
    }

    #[test]
    fn windows_hold_whole_frames_and_stop_where_told() {
        let ring = ring(10, 1 << 20);
        let frame = ring.bytes.len() / 10;
        let window = ring.window(0, frame * 3 + 5, u64::MAX).expect("held");
        assert_eq!((window.bytes.len(), window.seq), (frame * 3, 3));
        let window = ring.window(window.end, 1, u64::MAX).expect("held");
        assert_eq!((window.bytes.len(), window.seq), (frame, 4));
        let until = frame as u64 * 5;
        assert_eq!(ring.window(0, usize::MAX >> 1, until).expect("held").seq, 5);
        assert!(ring.window(until, usize::MAX >> 1, until).expect("held").bytes.is_empty());
    }

    #[test]
    fn after_a_gap_everybody_has_fallen_out() {
        let mut ring = ring(3, 1 << 20);
        let head = ring.end();
        ring.skip_to(9);
        assert!(!ring.holds(head));
        assert!(ring.holds(ring.end()));
        ring.push(b"{}", Some(10));
        assert_eq!(ring.seq(), 10);
    }
}
