//! Rights in a session, and the rules with which its owners change what a role may do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::role::Role;

/// A right that a role can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// Watch everything in the session.
    Watch,
    /// Post messages to people, and add and remove files.
    Say,
    /// Start runs, and write to agents.
    Steer,
    /// Answer questions, give feedback and comment at gates.
    Answer,
    /// Vote at gates, and revoke standing permissions.
    Approve,
    /// Edit what is decided on at a gate, with a vote.
    Edit,
    /// Pause, resume, interrupt and cancel runs.
    Interrupt,
    /// Invite participants, with at most the inviter's own rights.
    Invite,
    /// Change roles, rights, settings and title, admit and remove participants, redact content, and close the session.
    Manage,
}

impl Right {
    /// All rights.
    pub const ALL: [Self; 9] = [
        Self::Watch,
        Self::Say,
        Self::Steer,
        Self::Answer,
        Self::Approve,
        Self::Edit,
        Self::Interrupt,
        Self::Invite,
        Self::Manage,
    ];

    /// Returns whether owners can be asked to approve a command that requires the right. The other rights are for
    /// decisions at gates, which owners can make themselves.
    pub(crate) fn can_be_asked(self) -> bool {
        matches!(self, Self::Say | Self::Steer | Self::Interrupt | Self::Invite)
    }
}

/// Access of a role to a right, from the widest to the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RightAccess {
    /// The role has the right.
    Allow,
    /// A command that requires the right opens a gate for the owners, and is carried out if they approve it.
    Ask,
    /// The role does not have it.
    Deny,
}

/// A right that a role has, must ask for, or lacks in one session, regardless of the role's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RightRule {
    /// Role that the rule is for: any but `owner`, which has every right.
    pub role: Role,
    /// Right that the rule is about: any but `watch` and `manage`.
    pub right: Right,
    /// Access of the role to the right. `ask` is possible for `say`, `steer`, `interrupt` and `invite`.
    pub access: RightAccess,
}

impl RightRule {
    /// Checks the rules of a session. The error message is for their sender.
    pub(crate) fn check_all(rules: &[Self]) -> Result<(), &'static str> {
        for (at, rule) in rules.iter().enumerate() {
            // Without an owner who has every right, nobody could undo a rule.
            if rule.role == Role::Owner {
                return Err("rights of the role owner cannot be changed; owners have every right");
            }
            if rule.right == Right::Manage {
                return Err(
                    "the right manage cannot be changed, since it includes every other; make somebody an owner with set_role",
                );
            }
            if rule.right == Right::Watch {
                return Err("the right watch cannot be changed; remove participants, or let new ones knock");
            }
            if rule.access == RightAccess::Ask && !rule.right.can_be_asked() {
                return Err("only the rights say, steer, interrupt and invite can be ask; use allow or deny");
            }
            if rules[..at].iter().any(|other| other.role == rule.role && other.right == rule.right) {
                return Err("rights has two rules for the same role and right; keep one");
            }
        }
        Ok(())
    }
}
