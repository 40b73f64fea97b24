//! Code in text, according to CommonMark. Mentions in code do not count.

use std::ops::Range;

/// Returns the byte ranges of code: code fences, and code spans outside of them.
pub(crate) fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = vec![];
    // Start of the text after the last fence, and the open fence.
    let (mut from, mut open) = (0, None::<(usize, CodeFence)>);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match (&open, CodeFence::read(line)) {
            (None, Some(fence)) if fence.opens(line) => {
                spans(text, from..at, &mut ranges);
                open = Some((at, fence));
            }
            (Some((start, fence)), Some(end)) if fence.is_closed_by(&end, line) => {
                ranges.push(*start..at + line.len());
                (from, open) = (at + line.len(), None);
            }
            _ => {}
        }
        at += line.len();
    }
    match open {
        Some((start, _)) => ranges.push(start..text.len()),
        None => spans(text, from..text.len(), &mut ranges),
    }
    ranges
}

/// Opening or closing marks of a code fence: three or more backquotes or tildes.
struct CodeFence {
    mark: char,
    length: usize,
}

impl CodeFence {
    fn read(line: &str) -> Option<Self> {
        let marks = line.trim_start_matches(' ');
        let mark = marks.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = marks.len() - marks.trim_start_matches(mark).len();
        (length >= 3 && line.len() - marks.len() <= 3).then_some(Self { mark, length })
    }

    /// Returns the text after the marks.
    fn rest<'a>(&self, line: &'a str) -> &'a str {
        line.trim_start_matches(' ').trim_start_matches(self.mark)
    }

    /// Returns whether the line can open a fence. If backquotes are followed by a further backquote on the line, they
    /// start a code span instead.
    fn opens(&self, line: &str) -> bool {
        self.mark == '~' || !self.rest(line).contains('`')
    }

    fn is_closed_by(&self, end: &Self, line: &str) -> bool {
        end.mark == self.mark && end.length >= self.length && end.rest(line).trim().is_empty()
    }
}

/// Adds the code spans of a part of the text. A code span extends from a run of backquotes to the next run of the same
/// length. An unclosed run of three or more extends to the end of the part, because its author is still writing.
fn spans(text: &str, part: Range<usize>, ranges: &mut Vec<Range<usize>>) {
    let mut runs: Vec<(usize, usize)> = vec![];
    for (at, _) in text[part.clone()].match_indices('`') {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == part.start + at => *length += 1,
            _ => runs.push((part.start + at, 1)),
        }
    }
    let mut next = 0;
    while let Some(&(start, length)) = runs.get(next) {
        match runs[next + 1..].iter().position(|(_, other)| *other == length) {
            Some(offset) => {
                let (end, _) = runs[next + 1 + offset];
                ranges.push(start..end + length);
                next += offset + 2;
            }
            None if length >= 3 => {
                ranges.push(start..part.end);
                break;
            }
            None => next += 1,
        }
    }
}
