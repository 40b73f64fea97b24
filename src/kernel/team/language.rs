//! Language of the text that the server writes in a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Language of the text that the server writes in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Chinese.
    Zh,
}

impl Language {
    /// Returns Chinese if the text contains a Chinese character. English text contains none, while Chinese text can
    /// contain English names.
    pub fn of_text(text: &str) -> Self {
        let is_chinese =
            |c: char| matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}');
        if text.chars().any(is_chinese) { Self::Zh } else { Self::En }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_choose_the_language() {
        assert_eq!(Language::of_text("生成 API 的测试用例"), Language::Zh);
        assert_eq!(Language::of_text("write test cases"), Language::En);
        assert_eq!(Language::of_text(""), Language::En);
    }
}
