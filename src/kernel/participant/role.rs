//! Roles of participants, and the rights that they give.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Role of a participant in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// All rights: also changes roles and settings, and closes the session.
    Owner,
    /// Sends messages, decides, controls runs and invites.
    Member,
    /// Sends messages and decides, but does not control runs.
    Reviewer,
    /// Watches only.
    Viewer,
    /// A program: sends messages, for example feedback, but does not decide.
    Bot,
}

/// A right that a role can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// Watch everything in the session.
    Watch,
    /// Post messages, mention agents, start runs, give feedback, add files.
    Say,
    /// Vote at gates.
    Approve,
    /// Pause, resume, interrupt and cancel runs.
    Control,
    /// Invite participants, with at most the inviter's own rights.
    Invite,
    /// Change roles, settings and title, admit and remove participants, redact, close the session.
    Manage,
}

impl Role {
    /// All roles, the one with the most rights first.
    pub const ALL: [Self; 5] = [Self::Owner, Self::Member, Self::Reviewer, Self::Viewer, Self::Bot];

    /// Returns the rights of the role.
    pub fn rights(self) -> &'static [Right] {
        use Right::{Approve, Control, Invite, Manage, Say, Watch};
        match self {
            Self::Owner => &[Watch, Say, Approve, Control, Invite, Manage],
            Self::Member => &[Watch, Say, Approve, Control, Invite],
            Self::Reviewer => &[Watch, Say, Approve],
            Self::Bot => &[Watch, Say],
            Self::Viewer => &[Watch],
        }
    }

    /// Returns whether the role gives `right`.
    pub fn may(self, right: Right) -> bool {
        self.rights().contains(&right)
    }

    /// Returns whether the role includes all rights of `other`. A participant can only give roles that their own role
    /// covers.
    pub fn covers(self, other: Role) -> bool {
        other.rights().iter().all(|right| self.may(*right))
    }

    /// Returns the name of the role on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Member => "member",
            Self::Reviewer => "reviewer",
            Self::Viewer => "viewer",
            Self::Bot => "bot",
        }
    }

    /// Returns the role with this name on the wire.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_participant_grants_at_most_their_own_role() {
        assert!(Role::Owner.covers(Role::Owner));
        assert!(Role::Member.covers(Role::Reviewer));
        assert!(!Role::Member.covers(Role::Owner));
        assert!(!Role::Viewer.covers(Role::Bot));
    }

    #[test]
    fn a_word_names_its_role() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
        assert_eq!(Role::parse("admin"), None);
    }
}
