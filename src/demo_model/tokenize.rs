//! Splits text into pieces of about one token.

/// Returns the pieces of a text, in order and without loss. A piece is up to eight characters of a word, including the
/// space before it; one or two Chinese characters; or one other character.
pub(super) fn tokenize(text: &str) -> Vec<&str> {
    let mut pieces = vec![];
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(token_length(rest));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn token_length(text: &str) -> usize {
    let wide = |letter: char| letter.len_utf8() > 2;
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return 0 };
    let mut end = first.len_utf8();
    for (count, letter) in (1..).zip(letters) {
        let goes_on = match (wide(first), wide(letter)) {
            (true, true) => count < 2,
            (false, false) => count < 8 && letter.is_alphanumeric() && (first.is_alphanumeric() || first == ' '),
            _ => false,
        };
        if !goes_on {
            break;
        }
        end += letter.len_utf8();
    }
    end
}

/// Cuts or repeats the pieces so that there are exactly `wanted` of them. If `wanted` is 0, returns them unchanged.
pub(super) fn resize_tokens(pieces: Vec<String>, wanted: u32) -> Vec<String> {
    match wanted {
        0 => pieces,
        wanted => pieces.iter().cycle().take(wanted as usize).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_to_the_text() {
        for text in ["Hello world, 42!\n\n| a | b |", "生成支付接口的测试用例", "混合 mixed 文字 🎯\r\n", ""]
        {
            assert_eq!(tokenize(text).concat(), text);
        }
        assert_eq!(tokenize("Hello world"), ["Hello", " world"]);
        assert_eq!(tokenize("支付接口"), ["支付", "接口"]);
    }

    #[test]
    fn an_answer_has_exactly_the_tokens_asked_for() {
        let two = || vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(resize_tokens(two(), 5).concat(), "ababa");
        assert_eq!(resize_tokens(two(), 1).concat(), "a");
        assert_eq!(resize_tokens(two(), 0).concat(), "ab");
    }
}
