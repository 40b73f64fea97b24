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
    first_chars(&text, MAX_CHARS).to_owned()
}

/// Type names in the library's messages that are replaced by *a whole number*.
const NUMBERS: [&str; 8] = ["u8", "u16", "u32", "u64", "usize", "i32", "i64", "a nonzero u32"];
