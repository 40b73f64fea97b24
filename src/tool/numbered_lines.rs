//! Formats text as numbered lines for an agent to read.

use std::{
    fmt::Write,
    io::{self, BufRead},
};

use super::code::{CodeSettings, glob::line_excerpt};
use crate::agent::to_single_line;

/// Number of bytes at the beginning of a file that are checked for a zero byte, which marks the file as binary, as in
/// git.
const BINARY_CHECK_BYTES: usize = 8000;

/// Returns up to `limit` lines from line `offset` on, each preceded by its number and a tab, and a note that says which
/// lines these are. Without an `offset`, starts at line 1; without a `limit`, only `settings` limit the lines. For a
/// binary file, returns only a note.
pub(super) fn numbered_lines(
    mut file: impl BufRead,
    name: &str,
    offset: Option<usize>,
    limit: Option<usize>,
    settings: &CodeSettings,
) -> io::Result<String> {
    let name = to_single_line(name);
    let beginning = file.fill_buf()?;
    if beginning[..beginning.len().min(BINARY_CHECK_BYTES)].contains(&0) {
        return Ok(format!("[`{name}` is a binary file and is not shown]"));
    }
    let first = offset.unwrap_or(1).max(1);
    let line_limit = limit.unwrap_or(usize::MAX).min(settings.max_lines);
    let (mut text, mut line, mut number, mut shown) = (String::new(), vec![], 0, 0);
    loop {
        line.clear();
        if file.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        number += 1;
        // Show at least one line, so that a reader who continues after it makes progress.
        let room =
            shown == 0 || shown < line_limit && text.len() + settings.max_line_bytes <= settings.max_output_bytes;
        if number >= first && room && shown == number - first {
            shown += 1;
            let message = line_excerpt(&line, 0, settings.max_line_bytes);
            let _ = writeln!(text, "{number}\t{message}");
        }
    }
    let last = first + shown.saturating_sub(1);
    let _ = match (shown, number) {
        (_, 0) => write!(text, "[`{name}` is empty]"),
        (0, _) => write!(text, "[`{name}` has {number} lines; there is no line {first}]"),
        _ if last < number => {
            write!(text, "[lines {first} to {last} of {number}; continue with offset {}]", last + 1)
        }
        _ => write!(text, "[lines {first} to {last} of {number}, the end]"),
    };
    Ok(text)
}
