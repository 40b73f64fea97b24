//! Errors in JSON, without the names of internal types.

use crate::first_chars;

/// Maximum number of characters in a message. It is limited because a message can quote the input.
const MAX_CHARS: usize = 300;

/// Returns serde's error message without the names of internal types, which mean nothing to a client. It has at most
/// 300 characters.
pub fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let type_named = ["expected struct ", "expected tuple ", "expected enum ", "expected internally tagged enum "];
    for name in type_named {
        if let Some((before, _)) = text.split_once(name) {
            return format!("{}expected an object", first_chars(before, MAX_CHARS));
        }
    }
    if text.starts_with("data did not match any variant of untagged enum") {
        return "a value has none of the accepted forms".into();
    }
    let text = NUMBERS.iter().fold(text, |text, name| {
        let (alone, listed) = (format!("expected {name}"), format!("expected {name} "));
        match text.ends_with(&alone) || text.contains(&listed) {
            true => text.replacen(&alone, "expected a whole number", 1),
            false => text,
        }
    });
    let text = [("map", "object"), ("sequence", "list")].iter().fold(text, |text, (theirs, ours)| {
        let text = text.replacen(&format!("invalid type: {theirs}"), &format!("invalid type: {ours}"), 1);
        let article = if *ours == "object" { "an" } else { "a" };
        text.replacen(&format!("expected a {theirs}"), &format!("expected {article} {ours}"), 1)
    });
    let text = text.replacen(", there are no fields", "; leave it out", 1);
    if text.chars().count() > MAX_CHARS { shorten(&text) } else { text }
}

/// Shortens a message. A cut list of the accepted names could lack the one that the client needs, so the most similar
/// name takes the place of the list.
fn shorten(text: &str) -> String {
    let nearest = || {
        let (before, names) = text.split_once(", expected one of ")?;
        let wrong = before.split('`').nth(1)?;
        let names = names.split('`').skip(1).step_by(2);
        let rated = names.map(|name| (strsim::normalized_damerau_levenshtein(name, first_chars(wrong, 64)), name));
        let (_, name) = rated.filter(|(likeness, _)| *likeness >= 0.5).max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!("{}; did you mean `{name}`?", first_chars(before, MAX_CHARS)))
    };
    nearest().unwrap_or_else(|| format!("{}…", first_chars(text, MAX_CHARS - 1)))
}

/// Type names in the library's messages that are replaced by *a whole number*.
const NUMBERS: [&str; 8] = ["u8", "u16", "u32", "u64", "usize", "i32", "i64", "a nonzero u32"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_of_names_gives_way_to_the_most_similar_one() {
        let message = |json: &str| plain(&serde_json::from_str::<crate::Settings>(json).expect_err("is invalid"));
        assert_eq!(message(r#"{"max_attemptz":3}"#), "unknown field `max_attemptz`; did you mean `max_attempts`?");
        let other = message(r#"{"zzz":3}"#);
        assert!(other.starts_with("unknown field `zzz`, expected one of `") && other.ends_with('…'), "{other}");
        assert_eq!(other.chars().count(), MAX_CHARS);
    }
}
