//! Conversion of text to one line.

/// Returns the text with a space in place of each control character, such as a line break.
pub fn single_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
