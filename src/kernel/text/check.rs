//! Checks short text that people or models write.

use super::invisible_chars::{is_blank, is_hidden};

/// Maximum number of characters in a search query.
pub const MAX_QUERY_CHARS: usize = 500;

/// Returns whether the text can be a title or name: one line of 1 to `max_chars` characters that is visible and
/// contains no hidden characters.
pub fn is_label(text: &str, max_chars: usize) -> bool {
    !is_blank(text) && is_within_chars(text, max_chars) && !text.chars().any(is_hidden)
}

/// Returns whether the text can be a search query.
pub fn is_query(text: &str) -> bool {
    !text.trim().is_empty() && is_within_chars(text, MAX_QUERY_CHARS)
}

/// Returns whether the text has at most this many characters. Reads no further than that.
pub fn is_within_chars(text: &str, chars: usize) -> bool {
    text.chars().nth(chars).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_shows_something_in_one_line() {
        for good in ["a", "支付接口", &"长".repeat(20), " a "] {
            assert!(is_label(good, 20), "{good:?}");
        }
        for bad in ["", " ", "\u{200b}", "a\nb", "a\0", "txt.\u{202e}exe", &"长".repeat(21)] {
            assert!(!is_label(bad, 20), "{bad:?}");
        }
    }

    #[test]
    fn a_query_has_words_and_an_end() {
        assert!(is_query("why\nis it slow") && is_query(&"长".repeat(MAX_QUERY_CHARS)));
        assert!(!is_query(" \n") && !is_query(&"长".repeat(MAX_QUERY_CHARS + 1)));
    }
}
