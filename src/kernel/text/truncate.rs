//! Truncation of long text.

use std::sync::Arc;

/// Returns the first `max` characters of the text, or the whole text if it is shorter.
pub fn first_chars(text: &str, max: usize) -> &str {
    text.char_indices().nth(max).map_or(text, |(end, _)| &text[..end])
}

/// Returns the beginning of the text: at most `max` bytes of whole characters.
pub fn first_bytes(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// Returns the end of the text: at most `max` bytes of whole characters.
pub fn last_bytes(text: &str, max: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(max))..]
}

/// Returns the beginning of the text (about two thirds of `max` bytes), the number of bytes that are left out, and the
/// end of the text (about one third). The text must be longer than `max`.
pub fn both_ends(text: &str, max: usize) -> (&str, usize, &str) {
    let (head, tail) = (first_bytes(text, max / 3 * 2), last_bytes(text, max / 3));
    (head, text.len() - head.len() - tail.len(), tail)
}

/// Truncates the text to about `max_bytes` bytes: keeps two thirds at the start and one third at the end, with the
/// number of omitted bytes in between. Replaces NUL, which PostgreSQL cannot store.
pub fn truncate_middle(text: &str, max_bytes: usize) -> String {
    let text = text.replace('\0', "\u{fffd}");
    if text.len() <= max_bytes {
        return text;
    }
    let (head, missing, tail) = both_ends(&text, max_bytes);
    format!("{head}\n[… {missing} bytes left out …]\n{tail}")
}

/// Truncates shared text like [`truncate_middle`]. Text of at most `max_bytes` bytes stays shared and unchanged.
pub(crate) fn truncate_shared(text: &Arc<str>, max_bytes: usize) -> Arc<str> {
    if text.len() <= max_bytes { text.clone() } else { truncate_middle(text, max_bytes).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_whole_characters() {
        assert_eq!((first_chars("长a长", 2), first_chars("长a长", 9), first_chars("长", 0)), ("长a", "长a长", ""));
        assert_eq!((first_bytes("长a长", 5), first_bytes("长a长", 9), first_bytes("长", 2)), ("长a", "长a长", ""));
        assert_eq!((last_bytes("长a长", 5), last_bytes("长a长", 9), last_bytes("长", 2)), ("a长", "长a长", ""));
    }

    #[test]
    fn both_ends_stay_and_characters_stay_whole() {
        assert_eq!(truncate_middle("short", 100), "short");
        let long = "长".repeat(1_000);
        let cut = truncate_middle(&long, 300);
        assert!(cut.len() < 400 && cut.starts_with('长') && cut.ends_with('长'), "{cut}");
        assert!(cut.contains("bytes left out"));
        assert_eq!(super::truncate_middle("a\0b", 100), "a\u{fffd}b");
    }
}
