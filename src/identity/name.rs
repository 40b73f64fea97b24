//! What people may call themselves.

use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use crate::kernel::{Skeleton, is_default_ignorable};

/// Characters of a name at most.
const LONGEST: usize = 64;

/// Names of the server and of whoever runs it. What looks like one of them is refused, too.
const RESERVED: [&str; 6] = ["roundtable", "system", "server", "operator", "admin", "administrator"];

/// Shown as an empty place, though it is no space.
const BLANK: char = '\u{2800}';

/// The name as it is kept, in normal form NFKC, or why it cannot be used. Names stand in mentions and in everybody's list of people, so a
/// name that would be read as something else, or not at all, is refused.
pub fn check_name(name: &str) -> Result<Arc<str>, &'static str> {
    // Full-width letters and the like are read as the plain ones: whoever writes them would have somebody else's name.
    let name: String = name.nfkc().collect();
    let name = name.trim();
    if name.is_empty() {
        return Err("a name has at least one character");
    }
    if name.chars().count() > LONGEST {
        return Err("a name has at most 64 characters");
    }
    let hidden = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | BLANK) || is_default_ignorable(c);
    if name.chars().any(hidden) {
        return Err("a name has no invisible characters");
    }
    // Space within a name is shown as one space, however much of it there is.
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.contains('@') {
        return Err("a name has no @, which begins a mention");
    }
    let plain = name.to_lowercase();
    if plain == "all" || plain == "people" || plain.starts_with("role:") {
        return Err("all, people and role: mean groups in mentions; choose another name");
    }
    let skeleton = Skeleton::of(&name);
    if RESERVED.iter().any(|reserved| skeleton.resembles(&Skeleton::of(reserved))) {
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
