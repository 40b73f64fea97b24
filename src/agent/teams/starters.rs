//! Checks a team's name and prompt starters in team files and documents.

use super::topology::TopologyErrorCode;
use crate::kernel::{Team, is_blank, is_hidden, is_within_chars};

/// Maximum number of characters in a team's name.
pub(super) const MAX_NAME_CHARS: usize = 64;
/// Maximum number of characters in a prompt starter.
pub(super) const MAX_STARTER_CHARS: usize = 500;

/// Returns whether the text can be the name of a team in requests and files.
pub(super) fn is_team_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    (1..=MAX_NAME_CHARS).contains(&name.chars().take(MAX_NAME_CHARS + 1).count()) && name.chars().all(is_plain)
}

/// Checks the prompt starters of a team. The error is worded for the author of the team.
pub(super) fn check_starters(starters: &[impl AsRef<str>]) -> Result<(), (TopologyErrorCode, String)> {
    let fits = |starter: &str| !is_blank(starter) && is_within_chars(starter.trim(), MAX_STARTER_CHARS);
    if starters.iter().any(|starter| starter.as_ref().chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t'))) {
        return Err((TopologyErrorCode::InvalidCharacters, "a starter has invisible characters; remove them".into()));
    }
    if starters.len() <= Team::STARTERS && starters.iter().all(|starter| fits(starter.as_ref())) {
        return Ok(());
    }
    let message = format!(
        "too many starters, or one is empty or too long; use up to {} of 1 to {MAX_STARTER_CHARS} characters",
        Team::STARTERS
    );
    Err((TopologyErrorCode::TooLong, message))
}
