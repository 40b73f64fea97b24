//! What a participant may do in a session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A participant's part in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// May do everything, also change roles and settings and close the session.
    Owner,
    /// Works with the team: speaks, decides, controls and invites.
    Member,
    /// Speaks and decides, but does not control the run.
    Reviewer,
    /// Watches.
    Viewer,
    /// A program: speaks, so that it can post feedback; does not decide.
    Bot,
}

/// One thing that a role may allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// See everything in the session.
    Watch,
    /// Post messages, mention agents, start runs, give feedback.
    Say,
    /// Vote at gates.
    Approve,
    /// Pause, resume, interrupt and cancel a run.
    Control,
    /// Bring participants in, with a role no higher than one's own.
    Invite,
    /// Change roles, settings and title, remove participants, close the session.
    Manage,
}

impl Role {
    /// Every role, highest first.
    pub const ALL: [Self; 5] = [Self::Owner, Self::Member, Self::Reviewer, Self::Viewer, Self::Bot];

    /// The rights of the role.
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

    /// Whether the role allows `right`.
    pub fn may(self, right: Right) -> bool {
        self.rights().contains(&right)
    }

    /// Whether one who has this role may hand out `other`: nobody gives more than they have.
    pub fn covers(self, other: Role) -> bool {
        other.rights().iter().all(|right| self.may(*right))
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Member => "member",
            Self::Reviewer => "reviewer",
            Self::Viewer => "viewer",
            Self::Bot => "bot",
        }
    }

    /// The role that a word on the wire names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_hands_out_more_than_they_have() {
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
