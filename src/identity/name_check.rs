//! Rules for participants' names.

use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use crate::kernel::{Skeleton, is_default_ignorable, is_hidden, is_within_chars};

/// Maximum number of characters in a name.
const MAX_NAME_CHARS: usize = 64;

/// Names of the server and its operator. Look-alikes are also rejected.
const RESERVED_NAMES: [&str; 6] = ["roundtable", "system", "server", "operator", "admin", "administrator"];

/// Braille pattern blank, which is displayed as an empty space but is not whitespace.
const BLANK: char = '\u{2800}';

/// Returns the name in the stored form, Unicode NFKC. Names appear in mentions and in everyone's list of people, so a
/// name that could be mistaken for something else, or that is invisible, is rejected.
///
/// # Errors
/// Fails with the reason that the name is rejected.
pub fn check_name(name: &str) -> Result<Arc<str>, &'static str> {
    // Full-width letters look like plain ones, so without this conversion, a participant could take another
    // participant's name.
    let name: String = name.nfkc().collect();
    let name = name.trim();
    if name.is_empty() {
        return Err("the name is empty; use at least one character");
    }
    if !is_within_chars(name, MAX_NAME_CHARS) {
        return Err("the name is too long; use at most 64 characters");
    }
    let hidden = |c: char| c == BLANK || is_hidden(c) || is_default_ignorable(c);
    if name.chars().any(hidden) {
        return Err("the name has invisible characters; remove them");
    }
    // Browsers collapse repeated whitespace, so two names could look the same.
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.contains('@') {
        return Err("the name has an @, which starts a mention; remove it");
    }
    let plain = name.to_lowercase();
    if plain == "all" || plain == "people" || plain.starts_with("role:") {
        return Err("all, people and role: mean groups in mentions; choose another name");
    }
    let skeleton = Skeleton::of(&name);
    if RESERVED_NAMES.iter().any(|reserved| skeleton.resembles(&Skeleton::of(reserved))) {
        return Err("the name looks like that of the server or its operator; choose another name");
    }
    Ok(name.into())
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_are_kept_without_space_around_them() {
        assert_eq!(check_name("  王小明 ").as_deref(), Ok("王小明"));
        assert_eq!(check_name("Ann \u{a0} Lee").as_deref(), Ok("Ann Lee"));
        assert_eq!(check_name("Ann\u{1680}Lee").as_deref(), Ok("Ann Lee"));
    }

    #[test]
    fn names_that_are_read_alike_are_written_alike() {
        assert_eq!(check_name("Ａｎｎ　Ｌｅｅ").as_deref(), Ok("Ann Lee"));
        assert_eq!(check_name("Jose\u{301}"), check_name("José"));
    }

    #[test]
    fn names_that_mislead_are_refused() {
        for bad in ["", "   ", "a\nb", "All", "people", "role:owner", "@ann", "＠ann", "a\u{202e}b", &"x".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
        for server in [
            "Roundtable",
            "ＳＹＳＴＥＭ",
            " server ",
            "Operator",
            "0perator",
            "ореrаtоr",
            "Roundtab1e",
            "RoundtabIe",
            "Admin",
        ] {
            assert!(check_name(server).is_err(), "{server:?}");
        }
        for hidden in
            "\u{2800}\u{ad}\u{34f}\u{115f}\u{180e}\u{200b}\u{2066}\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{e0041}".chars()
        {
            assert!(check_name(&format!("An{hidden}n")).is_err(), "{hidden:?}");
        }
    }
}
