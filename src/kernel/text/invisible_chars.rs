//! Characters that are invisible, or that change how other characters are displayed.

/// Returns whether the character is not allowed in a title or a file name: control characters, line breaks, zero-width
/// characters, and characters that change the text direction, which can make `txt.exe` look like `exe.txt`.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Returns whether the text is invisible.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control() || is_default_ignorable(c))
}

/// Returns whether the character has the Unicode property Default_Ignorable_Code_Point. Such characters are invisible.
/// They include those that change the text direction.
pub fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_text_is_blank() {
        for text in ["", " \n", "\u{200b}", "\u{2060}\u{ad}", "\u{3164}", "   \u{200b} ", "\u{202e}"] {
            assert!(is_blank(text), "{text:?}");
        }
        assert!(!is_blank("\u{200b}.") && !is_blank("好"));
    }
}
