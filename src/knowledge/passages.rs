//! Splits text into passages, which are found and shown as a whole.

/// Maximum number of characters in a passage.
pub const MAX_PASSAGE_CHARS: usize = 1_000;

/// Passage of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage<'a> {
    /// Number of the passage's first line, starting at 1.
    pub line: u32,
    /// Text of the passage.
    pub text: &'a str,
}

/// Splits text into passages: consecutive paragraphs under a heading, as many as fit. A paragraph that is too long by
/// itself is cut at the end of a line, a sentence or a word, or anywhere if there is no such place.
pub fn passages(text: &str) -> Vec<Passage<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut passages, mut open) = (vec![], None::<TextBlock>);
    for block in blocks(text) {
        match &mut open {
            // A heading stays with the text below it.
            Some(before) if before.fits(&block) && (!block.heading || before.heading) => {
                (before.end, before.letters) = (block.end, before.letters + 2 + block.letters);
                before.heading &= block.heading;
            }
            _ => passages.extend(open.replace(block).into_iter().flat_map(|whole| split_block(text, &whole))),
        }
    }
    passages.extend(open.into_iter().flat_map(|whole| split_block(text, &whole)));
    passages
}

/// Consecutive lines without an empty line between them. Each heading is a separate block.
struct TextBlock {
    line: u32,
    start: usize,
    end: usize,
    letters: usize,
    /// True if the block consists only of headings.
    heading: bool,
}

impl TextBlock {
    fn fits(&self, next: &Self) -> bool {
        self.letters + 2 + next.letters <= MAX_PASSAGE_CHARS
    }
}

fn blocks(text: &str) -> Vec<TextBlock> {
    let (mut blocks, mut at, mut begins) = (Vec::<TextBlock>::new(), 0, true);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let (start, trimmed) = (at, line.trim_end());
        at += line.len();
        let heading = is_heading(trimmed);
        if trimmed.is_empty() {
            begins = true;
            continue;
        }
        let (end, letters) = (start + trimmed.len(), trimmed.chars().count());
        match blocks.last_mut() {
            Some(block) if !begins && !heading => (block.end, block.letters) = (end, block.letters + 1 + letters),
            _ => blocks.push(TextBlock { line: number, start, end, letters, heading }),
        }
        begins = heading;
    }
    blocks
}

/// Returns whether a line is a Markdown heading.
fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - rest.len())) && rest.starts_with(' ')
}

/// Cuts a block into passages, or into a single one if it is short enough.
fn split_block<'a>(text: &'a str, block: &TextBlock) -> Vec<Passage<'a>> {
    let (mut pieces, mut rest, mut line) = (vec![], &text[block.start..block.end], block.line);
    while let Some((limit, _)) = rest.char_indices().nth(MAX_PASSAGE_CHARS) {
        let ends = [&['\n'][..], &['.', '!', '?', '。', '！', '？', '；'], &[' ', '\t', ',', '，', '、']];
        // A cut near the beginning would create pieces that are too short to be useful.
        let near = |ends: &&[char]| {
            let at = rest[..limit].rfind(*ends)?;
            let end = at + rest[at..].chars().next()?.len_utf8();
            (end > limit / 4).then_some(end)
        };
        let (piece, after) = rest.split_at(ends.iter().find_map(near).unwrap_or(limit));
        pieces.push(Passage { line, text: piece.trim_end() });
        line += count_lines(piece);
        let trimmed = after.trim_start_matches(['\n', '\r']);
        line += count_lines(&after[..after.len() - trimmed.len()]);
        rest = trimmed;
    }
    pieces.push(Passage { line, text: rest.trim_end() });
    pieces.retain(|piece| !piece.text.trim().is_empty());
    pieces
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(text: &str) -> Vec<(u32, &str)> {
        passages(text).into_iter().map(|passage| (passage.line, passage.text)).collect()
    }

    #[test]
    fn paragraphs_are_gathered_and_headings_begin_a_passage() {
        let text = "# Pay\n\n## Limits\nAt most 5.\n\nAt least 1.\n\n## Errors\n\n\nE1\r\n";
        assert_eq!(lines_of(text), [(1, "# Pay\n\n## Limits\nAt most 5.\n\nAt least 1."), (8, "## Errors\n\n\nE1")]);
        assert_eq!(lines_of("\u{feff}one\n#hash\ntwo"), [(1, "one\n#hash\ntwo")]);
        assert_eq!(lines_of(" \n\n"), []);
    }

    #[test]
    fn paragraphs_that_do_not_fit_together_are_passages_of_their_own() {
        let (one, two) = ("字".repeat(600), "词".repeat(600));
        let text = format!("{one}\n\n{two}\n");
        assert_eq!(lines_of(&text), [(1, &*one), (3, &*two)]);
    }

    #[test]
    fn a_long_paragraph_is_split_without_loss() {
        let log: String = (1..=100).map(|number| format!("line {number} of a log that has no empty lines\n")).collect();
        let sentences = "这是一句话。".repeat(500);
        let solid = "x".repeat(2_500);
        for text in [&*log, &sentences, &solid] {
            let pieces = passages(text);
            assert!(pieces.len() > 2 && pieces.iter().all(|piece| piece.text.chars().count() <= MAX_PASSAGE_CHARS));
            let again: String = pieces.iter().flat_map(|piece| piece.text.split_whitespace()).collect();
            assert_eq!(again, text.split_whitespace().collect::<String>());
        }
        for piece in passages(&log) {
            let first = piece.text.lines().next().expect("a line");
            assert_eq!(first, format!("line {} of a log that has no empty lines", piece.line));
        }
        assert!(passages(&sentences).iter().all(|piece| piece.text.ends_with('。')));
    }
}
