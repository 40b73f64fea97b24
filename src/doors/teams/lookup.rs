//! Lookup of the team in a path, if the caller has the right that a request needs.

use crate::agent::teams::{StoredTeam, TeamId, TeamListing, TeamRight};
use crate::identity::Participant;
use crate::kernel::first_chars;
use crate::node::Node;
use crate::protocol::{Code, Problem};

/// Use of a team by a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TeamUse {
    /// A use that requires this right.
    With(TeamRight),
    /// A use that is allowed only to the owner and to administrators.
    Manage,
}

impl TeamUse {
    /// Checks that a participant can use the team in this way. A team that they cannot see counts as unknown.
    fn check(self, listing: &TeamListing, who: &Participant, id: &str) -> Result<(), Problem> {
        let right = listing.right_of(who).ok_or_else(|| unknown(id))?;
        let is_allowed = match self {
            Self::With(needed) => right >= needed,
            Self::Manage => listing.is_managed_by(who),
        };
        if is_allowed {
            return Ok(());
        }
        let owner = &listing.owner_name;
        Err(Problem::new(
            Code::Forbidden,
            match self {
                Self::With(needed) => {
                    format!("this needs the right {} to the team; ask {owner}, its owner", needed.as_str())
                }
                Self::Manage => format!("only {owner}, the owner of this team, can do this; copy the team instead"),
            },
        ))
    }
}

fn unknown(id: &str) -> Problem {
    Problem::new(Code::UnknownTeam, format!("Team with ID '{}' not found", first_chars(id, 64)))
}

/// Returns the team with this id.
///
/// # Errors
/// `unknown_team` if there is none that the participant can see, `forbidden` if they lack the right.
pub(super) async fn team(node: &Node, who: &Participant, id: &str, needed: TeamUse) -> Result<StoredTeam, Problem> {
    let known: TeamId = id.parse().map_err(|_| unknown(id))?;
    let team = node.stored_teams.team(known, who.id).await?.ok_or_else(|| unknown(id))?;
    needed.check(&team.listing, who, id)?;
    Ok(team)
}

/// Returns the team with this id without its document.
///
/// # Errors
/// The errors of [`team`].
pub(super) async fn listing(node: &Node, who: &Participant, id: &str, needed: TeamUse) -> Result<TeamListing, Problem> {
    let known: TeamId = id.parse().map_err(|_| unknown(id))?;
    let listing = node.stored_teams.team_listing(known, who.id).await?.ok_or_else(|| unknown(id))?;
    needed.check(&listing, who, id)?;
    Ok(listing)
}

/// Returns the error for a team that was deleted in the meantime.
pub(super) fn gone(id: TeamId) -> Problem {
    unknown(&id.to_string())
}
