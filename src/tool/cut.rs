//! Leaving out the middle of what is too long to be read.

/// The text, at most about so many bytes of it: two thirds from its beginning, the rest from its end, and a word between
/// them that says how much is missing. Without NUL, which PostgreSQL cannot keep.
pub fn cut(text: &str, most: usize) -> String {
    let text = text.replace('\0', "\u{fffd}");
    if text.len() <= most {
        return text;
    }
    let head = floor(&text, most / 3 * 2);
    let tail = text.len() - floor_back(&text, most / 3);
    let missing = tail - head;
    format!("{}\n[… {missing} bytes left out …]\n{}", &text[..head], &text[tail..])
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Bytes from the end.
fn floor_back(text: &str, bytes: usize) -> usize {
    (0..=bytes).rev().find(|bytes| text.is_char_boundary(text.len() - bytes)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_stay_and_characters_stay_whole() {
        assert_eq!(cut("short", 100), "short");
        let long = "长".repeat(1_000);
        let cut = cut(&long, 300);
        assert!(cut.len() < 400 && cut.starts_with('长') && cut.ends_with('长'), "{cut}");
        assert!(cut.contains("bytes left out"));
        assert_eq!(super::cut("a\0b", 100), "a\u{fffd}b");
    }
}
