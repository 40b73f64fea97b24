//! Truncation of long texts in the middle.

/// Truncates a text to about `most` bytes: keeps two thirds at the start and the rest at the end, with the number of
/// omitted bytes in between. Replaces NUL, which PostgreSQL cannot store.
pub fn truncate_middle(text: &str, most: usize) -> String {
    let text = text.replace('\0', "\u{fffd}");
    if text.len() <= most {
        return text;
    }
    let head = text.floor_char_boundary(most / 3 * 2);
    let tail = text.ceil_char_boundary(text.len() - most / 3);
    let missing = tail - head;
    format!("{}\n[… {missing} bytes left out …]\n{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

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
