//! Code in a text as CommonMark has it: what stands in it mentions nobody.

use std::ops::Range;

/// Where code stands: in fences, and between equal runs of backquotes outside of them.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = vec![];
    // Where the words outside of fences began, and the fence that is open.
    let (mut from, mut open) = (0, None::<(usize, Fence)>);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match (&open, Fence::read(line)) {
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

/// The marks that a line begins with, three or more of one kind.
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn read(line: &str) -> Option<Self> {
        let marks = line.trim_start_matches(' ');
        let mark = marks.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = marks.len() - marks.trim_start_matches(mark).len();
        (length >= 3 && line.len() - marks.len() <= 3).then_some(Self { mark, length })
    }

    /// What follows the marks.
    fn rest<'a>(&self, line: &'a str) -> &'a str {
        line.trim_start_matches(' ').trim_start_matches(self.mark)
    }

    /// A backquote behind backquotes makes them a code span.
    fn opens(&self, line: &str) -> bool {
        self.mark == '~' || !self.rest(line).contains('`')
    }

    fn is_closed_by(&self, end: &Self, line: &str) -> bool {
        end.mark == self.mark && end.length >= self.length && end.rest(line).trim().is_empty()
    }
}

/// Code spans in a part of the text: from a run of backquotes to the next run of the same length. Three that nobody closes
/// reach to the end: their author has yet to write the rest.
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
