//! Search for one line in text that is read in pieces.

/// Maximum number of bytes of a line that are kept.
const MAX_LINE_BYTES: usize = 1024;

/// Search for one line, as far as the text has been read. Lines are counted as by [`str::lines`]: a line break at the
/// end of the text does not begin another line.
#[derive(Debug)]
pub(super) struct LineFinder {
    /// Number of line breaks before the line that were not read yet. `None` if the line number is 0, which no line has.
    breaks: Option<u32>,
    line: Vec<u8>,
    has_ended: bool,
}

impl LineFinder {
    /// Creates a search for the line with this number, counted from 1.
    pub(super) fn new(number: u32) -> Self {
        Self { breaks: number.checked_sub(1), line: vec![], has_ended: false }
    }

    /// Reads the next piece of the text. Returns whether the search is over.
    pub(super) fn read(&mut self, piece: &[u8]) -> bool {
        let Some(mut breaks) = self.breaks else { return true };
        let mut rest = piece;
        while breaks > 0 {
            let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { break };
            (rest, breaks) = (&rest[end + 1..], breaks - 1);
        }
        self.breaks = Some(breaks);
        if breaks == 0 {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let room = MAX_LINE_BYTES - self.line.len();
            let own = &rest[..end.unwrap_or(rest.len())];
            self.line.extend_from_slice(&own[..own.len().min(room)]);
            self.has_ended = end.is_some();
        }
        self.has_ended || self.line.len() == MAX_LINE_BYTES
    }

    /// Returns the line, or its beginning if it is long. Returns `None` if the text has no such line.
    pub(super) fn into_text(mut self) -> Option<String> {
        if self.breaks != Some(0) || self.line.is_empty() && !self.has_ended {
            return None;
        }
        if self.has_ended && self.line.ends_with(b"\r") {
            self.line.pop();
        }
        // PostgreSQL cannot store NUL characters.
        Some(String::from_utf8_lossy(&self.line).replace('\0', "\u{fffd}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, number: u32, piece: usize) -> Option<String> {
        let mut finder = LineFinder::new(number);
        for piece in text.as_bytes().chunks(piece) {
            if finder.read(piece) {
                break;
            }
        }
        finder.into_text()
    }

    #[test]
    fn lines_are_counted_as_by_the_standard_library() {
        for text in ["", "a", "a\n", "\n", "\n\n", "a\r\nb\r\n", "一\n\n二\n三", "a\rb\n"] {
            for piece in 1..=text.len().max(1) {
                let expected: Vec<&str> = text.lines().collect();
                assert_eq!(line(text, 0, piece), None);
                for number in 1..=6 {
                    let found = line(text, number, piece);
                    assert_eq!(
                        found.as_deref(),
                        expected.get(number as usize - 1).copied(),
                        "{text:?} {number} {piece}"
                    );
                }
            }
        }
    }

    #[test]
    fn only_the_beginning_of_a_long_line_is_kept() {
        let text = format!("{}\nnext", "x".repeat(5000));
        assert_eq!(line(&text, 1, 700).map(|line| line.len()), Some(MAX_LINE_BYTES));
        assert_eq!(line(&text, 2, 700).as_deref(), Some("next"));
    }
}
