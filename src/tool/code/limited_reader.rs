//! Reads a file in pieces that are short enough for a pattern, until the time is up.

use std::io::{self, Read};

use super::worker_thread::Deadline;

/// Reads at most `max_bytes` at a time and at most `max_bytes` of each line. Reports the end of the file as soon as the
/// work must end, because between two matches, the search checks this nowhere else.
pub(super) struct LimitedReader<'a, R> {
    file: R,
    max_bytes: usize,
    stop: &'a Deadline,
    /// Number of bytes read of the current line.
    line_bytes: usize,
    /// Number of lines that were cut.
    pub(super) cut_lines: usize,
}

impl<'a, R: Read> LimitedReader<'a, R> {
    pub(super) fn new(file: R, max_bytes: usize, stop: &'a Deadline) -> Self {
        Self { file, max_bytes, stop, line_bytes: 0, cut_lines: 0 }
    }

    /// Removes from `piece` the bytes that exceed the limit of their line. Returns the number of bytes that remain.
    fn shorten(&mut self, piece: &mut [u8]) -> usize {
        if self.line_bytes + piece.len() <= self.max_bytes {
            let end = piece.iter().rposition(|byte| *byte == b'\n');
            self.line_bytes = end.map_or(self.line_bytes + piece.len(), |end| piece.len() - end - 1);
            return piece.len();
        }
        let mut kept = 0;
        for at in 0..piece.len() {
            let byte = piece[at];
            self.line_bytes = if byte == b'\n' { 0 } else { self.line_bytes + 1 };
            self.cut_lines += usize::from(self.line_bytes == self.max_bytes + 1);
            if self.line_bytes <= self.max_bytes {
                piece[kept] = byte;
                kept += 1;
            }
        }
        kept
    }
}

impl<R: Read> Read for LimitedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let limit = buffer.len().min(self.max_bytes);
        while !self.stop.over() {
            let read = self.file.read(&mut buffer[..limit])?;
            let kept = self.shorten(&mut buffer[..read]);
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_long_line_is_cut_and_the_next_ones_are_whole() {
        let stop = Deadline::after(Duration::from_secs(3600));
        let text = format!("{}\nshort\n{}", "x".repeat(100), "y".repeat(9));
        let mut pieces = LimitedReader::new(text.as_bytes(), 8, &stop);
        let mut read = String::new();
        pieces.read_to_string(&mut read).expect("the read succeeds");
        assert_eq!((read.as_str(), pieces.cut_lines), ("xxxxxxxx\nshort\nyyyyyyyy", 2));
    }

    #[test]
    fn nothing_is_read_once_the_work_is_to_end() {
        let stop = Deadline::after(Duration::from_secs(3600));
        let mut pieces = LimitedReader::new(io::repeat(b'x'), 4, &stop);
        let mut buffer = [0; 64];
        assert_eq!(pieces.read(&mut buffer).expect("the read succeeds"), 4);
        stop.end();
        // Without the time check, this would read forever, because the rest of the line is skipped.
        assert_eq!(pieces.read(&mut buffer).expect("the work ends"), 0);
    }
}
