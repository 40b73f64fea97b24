//! Roles of participants, and the rights that they give by default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::right::Right;
use crate::ActorKind;

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

impl Role {
    /// All roles, the one with the most rights first.
    pub const ALL: [Self; 5] = [Self::Owner, Self::Member, Self::Reviewer, Self::Viewer, Self::Bot];

    /// Returns the rights of the role in a session whose settings change none.
    pub fn default_rights(self) -> &'static [Right] {
        use Right::{Answer, Approve, Edit, Interrupt, Invite, Say, Steer, Watch};
        match self {
            Self::Owner => &Right::ALL,
            Self::Member => &[Watch, Say, Steer, Answer, Approve, Edit, Interrupt, Invite],
            Self::Reviewer => &[Watch, Say, Steer, Answer, Approve, Edit],
            Self::Bot => &[Watch, Say, Steer, Answer, Edit],
            Self::Viewer => &[Watch],
        }
    }

    /// Returns whether the role gives `right` in a session whose settings change none.
    pub fn may_by_default(self, right: Right) -> bool {
        self.default_rights().contains(&right)
    }

    /// Returns whether the role includes all default rights of `other`.
    pub fn covers(self, other: Role) -> bool {
        other.default_rights().iter().all(|right| self.may_by_default(*right))
    }

    /// Returns the role in which a participant of this kind votes. A bot votes as a bot, regardless of the role that it
    /// was given. Otherwise, it could decide a gate alone, even if the gate's rule does not count the votes of bots.
    pub(crate) fn voting(self, kind: ActorKind) -> Self {
        if kind == ActorKind::Bot && self != Self::Viewer { Self::Bot } else { self }
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
