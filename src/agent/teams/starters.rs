//! Checks of a team's name and prompt starters, in team files and documents.

use crate::kernel::Team;

/// Maximum characters of a team's name.
pub(super) const MAX_NAME_CHARS: usize = 64;
/// Maximum characters of a prompt starter.
const MAX_STARTER_CHARS: usize = 500;

/// Returns whether the text can be the name of a team in requests and files.
pub(super) fn is_team_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    (1..=MAX_NAME_CHARS).contains(&name.chars().take(MAX_NAME_CHARS + 1).count()) && name.chars().all(is_plain)
}

/// Checks the prompt starters of a team. The error is for its author.
pub(super) fn check_starters(starters: &[impl AsRef<str>]) -> Result<(), String> {
    let fits = |starter: &str| (1..=MAX_STARTER_CHARS).contains(&starter.trim().chars().count());
    if starters.len() <= Team::STARTERS && starters.iter().all(|starter| fits(starter.as_ref())) {
        return Ok(());
    }
    Err(format!(
        "too many starters, or one is empty or too long; use up to {} of 1 to {MAX_STARTER_CHARS} characters",
        Team::STARTERS
    ))
}
