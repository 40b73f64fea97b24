//! Token counts: exact for known models, estimated for others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// Method for counting a model's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tokenizer {
    /// OpenAI's vocabulary of gpt-4o and later models.
    O200k,
    /// OpenAI's vocabulary of gpt-4 and gpt-3.5.
    Cl100k,
    /// Estimate from the number of characters, too high rather than too low.
    Estimate,
    /// Estimate for Claude, which splits text into more tokens and has no published vocabulary.
    Claude,
}

/// Size of the pieces into which text is split for counting, in bytes. The vocabulary's regular expression backtracks,
/// so it would fail on a long run of spaces in a larger piece.
const CHUNK_BYTES: usize = 8 * 1024;

impl Tokenizer {
    /// Returns the tokenizer of a model with this name.
    pub fn of_model(name: &str) -> Self {
        use tiktoken_rs::tokenizer::Tokenizer::{Cl100kBase, O200kBase, O200kHarmony};
        // Gateways prepend the vendor, as in "openai/gpt-4o".
        let name = name.rsplit('/').next().unwrap_or(name);
        match tiktoken_rs::tokenizer::get_tokenizer(name) {
            Some(O200kBase | O200kHarmony) => Self::O200k,
            Some(Cl100kBase) => Self::Cl100k,
            // Cloud services prepend other text, as in "anthropic.claude-…".
            _ if name.contains("claude") => Self::Claude,
            _ => Self::Estimate,
        }
    }

    /// Returns the number of tokens in `text`.
    pub fn count(self, text: &str) -> u64 {
        match self {
            Self::O200k => count_with(o200k_base_singleton(), text),
            Self::Cl100k => count_with(cl100k_base_singleton(), text),
            Self::Estimate => estimate(text),
            Self::Claude => (estimate(text) * 4).div_ceil(3),
        }
    }
}

fn count_with(vocabulary: &CoreBPE, text: &str) -> u64 {
    let mut rest = text;
    let mut tokens = 0;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(CHUNK_BYTES.min(rest.len())));
        tokens += vocabulary.encode_ordinary(piece).len() as u64;
        rest = after;
    }
    tokens
}

/// Estimates the number of tokens in a text: one token for three narrow letters, or for one wide character such as a
/// Chinese one. The estimate is too high rather than too low.
fn estimate(text: &str) -> u64 {
    let (narrow, wide) =
        text.chars().fold(
            (0u64, 0u64),
            |(narrow, wide), letter| {
                if letter.len_utf8() > 2 { (narrow, wide + 1) } else { (narrow + 1, wide) }
            },
        );
    narrow.div_ceil(3) + wide
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_models_are_counted_with_their_own_vocabulary_and_others_estimated() {
        let table = [
            ("gpt-4o-mini", Tokenizer::O200k),
            ("gpt-4o-2024-08-06", Tokenizer::O200k),
            ("openai/gpt-5", Tokenizer::O200k),
            ("gpt-5-mini", Tokenizer::O200k),
            ("gpt-4.1-nano", Tokenizer::O200k),
            ("o3", Tokenizer::O200k),
            ("o4-mini", Tokenizer::O200k),
            ("chatgpt-4o-latest", Tokenizer::O200k),
            ("openai/gpt-oss-120b", Tokenizer::O200k),
            ("ft:gpt-4o-mini:somebody::id", Tokenizer::O200k),
            ("gpt-4", Tokenizer::Cl100k),
            ("gpt-4-turbo", Tokenizer::Cl100k),
            ("gpt-3.5-turbo-0125", Tokenizer::Cl100k),
            ("claude-haiku-5-5", Tokenizer::Claude),
            ("anthropic/claude-opus-4.1", Tokenizer::Claude),
            ("eu.anthropic.claude-sonnet-4-6", Tokenizer::Claude),
            ("qwen3:8b", Tokenizer::Estimate),
            ("deepseek-chat", Tokenizer::Estimate),
            ("", Tokenizer::Estimate),
        ];
        for (name, tokenizer) in table {
            assert_eq!(Tokenizer::of_model(name), tokenizer, "{name}");
        }
    }

    #[test]
    fn counts_are_those_of_the_published_vocabularies() {
        // These counts come from OpenAI's own library.
        let table = [
            ("hello world", 2, 2),
            ("tiktoken is great!", 6, 6),
            ("antidisestablishmentarianism", 6, 6),
            ("お誕生日おめでとう", 8, 9),
        ];
        for (text, o200k, cl100k) in table {
            assert_eq!((Tokenizer::O200k.count(text), Tokenizer::Cl100k.count(text)), (o200k, cl100k), "{text}");
        }
        assert!(Tokenizer::O200k.count("生成支付接口的测试用例") < 12);
    }

    #[test]
    fn an_estimate_is_too_high_rather_than_too_low() {
        for text in ["Write test cases for the payment interface, please.", "生成支付接口的测试用例，包含边界与性能"]
        {
            assert!(Tokenizer::Estimate.count(text) >= Tokenizer::O200k.count(text), "{text}");
            assert!(Tokenizer::Claude.count(text) > Tokenizer::Estimate.count(text), "{text}");
        }
    }

    #[test]
    fn a_long_run_of_anything_is_counted() {
        for text in [" ".repeat(100_000), "a".repeat(100_000), "中".repeat(50_000), "\u{1F3AF}".repeat(20_000)] {
            assert!(Tokenizer::O200k.count(&text) > 0);
        }
    }
}
