//! What people may call themselves.

use std::sync::Arc;

/// Characters of a name at most.
const LONGEST: usize = 64;

/// The name as it is kept, or why it cannot be used. Names stand in mentions and in everybody's list of people, so a
/// name that would be read as something else, or not at all, is refused.
pub fn check_name(name: &str) -> Result<Arc<str>, &'static str> {
    let name = name.trim();
    if name.is_empty() {
        return Err("a name has at least one character");
    }
    if name.chars().count() > LONGEST {
        return Err("a name has at most 64 characters");
    }
    // Besides control characters: those that turn the direction of text around, and those that nobody can see.
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    if name.chars().any(hidden) {
        return Err("a name has no invisible characters");
    }
    if name.contains(['@', '＠']) {
        return Err("a name has no @, which begins a mention");
    }
    let plain = name.to_lowercase();
    if plain == "all" || plain == "people" || plain.starts_with("role:") {
        return Err("all, people and role: mean groups in mentions; choose another name");
    }
    Ok(name.into())
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_are_kept_without_space_around_them() {
        assert_eq!(check_name("  王小明 ").as_deref(), Ok("王小明"));
    }

    #[test]
    fn names_that_mislead_are_refused() {
        for bad in ["", "   ", "a\nb", "All", "people", "role:owner", "@ann", "a\u{202e}b", &"x".repeat(65)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
