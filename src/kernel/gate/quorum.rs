//! Quorums: which votes decide a gate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Choice, Outcome, Vote};
use crate::{Member, ParticipantId, Role, View};

/// Quorum: the votes that decide a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
// The variants without fields have braces because serde rejects unknown fields only of such variants.
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Quorum {
    /// The first vote for or against decides.
    Any {},
    /// Approved once everyone eligible has voted for it; one vote against rejects it.
    All {},
    /// Approved once more than half of everyone eligible has voted for it; rejected once that is no longer possible.
    Majority {},
    /// Approved with `n` votes for it; rejected once there is a vote against it and `n` can no longer be reached.
    AtLeast {
        /// Required votes, 1 to 100.
        n: u32,
        /// Role of the participants whose votes count, which must have the right to approve; others can comment.
        /// Absent: everyone eligible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<Role>,
    },
    /// Approved once the weights of the votes for it reach `n`; rejected once there is a vote against it and `n` can no
    /// longer be reached.
    Weighted {
        /// Required sum of weights, 1 to 10000.
        n: u32,
        /// Weight of a vote in each role.
        weights: Weights,
    },
    /// The first vote of a participant with this role decides; others can comment.
    Role {
        /// Role of the participants who decide. Must have the right to approve.
        role: Role,
    },
    /// One vote against rejects it. Approved once everyone has voted, at least one of them for it, or at the deadline
    /// if no vote that counts is against it.
    Veto {},
}

impl Default for Quorum {
    fn default() -> Self {
        Self::Any {}
    }
}

/// Weights of votes by the role of the voter. Each weight is 0 to 100, default 1; votes with weight 0 are comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Weight of an owner's vote.
    #[schemars(range(max = 100))]
    pub owner: u32,
    /// Weight of a member's vote.
    #[schemars(range(max = 100))]
    pub member: u32,
    /// Weight of a reviewer's vote.
    #[schemars(range(max = 100))]
    pub reviewer: u32,
    /// Weight of a bot's vote, where bots vote.
    #[schemars(range(max = 100))]
    pub bot: u32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { owner: 1, member: 1, reviewer: 1, bot: 1 }
    }
}

impl Weights {
    /// Returns the weight of a vote in this role.
    pub fn of(&self, role: Role) -> u32 {
        match role {
            Role::Owner => self.owner,
            Role::Member => self.member,
            Role::Reviewer => self.reviewer,
            Role::Bot => self.bot,
            Role::Viewer => 0,
        }
    }
}

impl Quorum {
    /// Checks that the quorum itself is valid.
    pub fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::AtLeast { n, .. } if !(1..=100).contains(n) => Err("n of a quorum must be between 1 and 100"),
            Self::Weighted { n, .. } if !(1..=10_000).contains(n) => Err("n of a quorum must be between 1 and 10000"),
            Self::Weighted { weights, .. } if Role::ALL.into_iter().any(|role| weights.of(role) > 100) => {
                Err("each weight of a quorum must be between 0 and 100")
            }
            Self::Weighted { weights, .. } if Role::ALL.into_iter().all(|role| weights.of(role) == 0) => {
                Err("at least one weight of a quorum must be above 0; otherwise no vote counts")
            }
            Self::Any {}
            | Self::All {}
            | Self::Majority {}
            | Self::AtLeast { .. }
            | Self::Weighted { .. }
            | Self::Role { .. }
            | Self::Veto {} => Ok(()),
        }
    }

    /// Checks that the quorum can be reached by the participants whose votes count. Otherwise the gates of the session
    /// would wait forever. Not called for a new session, whose only participant is its owner.
    pub fn check_reachable(&self, view: &View, decides: impl Fn(&Member) -> bool) -> Result<(), String> {
        let (Self::AtLeast { n, .. } | Self::Weighted { n, .. }) = self else { return Ok(()) };
        let voters = view.participants.iter().filter(|member| decides(member));
        let may: u32 = voters.map(|member| self.weight(member.role.voting(member.kind))).sum();
        if *n <= may {
            return Ok(());
        }
        if may == 0 && matches!(self, Self::Weighted { .. }) {
            return Err(
                "nobody here may approve with a vote that counts; give a role that may approve a weight above 0, \
                        or invite people first"
                    .into(),
            );
        }
        if may == 0 {
            return Err("nobody here may approve; invite people who may, or choose another quorum".into());
        }
        if matches!(self, Self::Weighted { .. }) {
            return Err(format!(
                "n is {n}, and the weights of all who may approve here are {may} in sum; set at most {may}, or invite more \
                 people first"
            ));
        }
        let people = if may == 1 { "1 participant" } else { &format!("{may} participants") };
        Err(format!("n is {n}, and {people} here may approve; set at most {may}, or invite more people first"))
    }

    /// Returns the only role whose votes count, if there is one.
    pub(crate) fn only_role(&self) -> Option<Role> {
        match self {
            Self::AtLeast { role, .. } => *role,
            Self::Role { role } => Some(*role),
            Self::Any {} | Self::All {} | Self::Majority {} | Self::Weighted { .. } | Self::Veto {} => None,
        }
    }

    /// Returns whether votes in this role count. Votes that do not count are comments.
    pub fn counts(&self, role: Role) -> bool {
        self.weight(role) > 0
    }

    /// Returns the weight of a vote in this role; 0 if it is a comment.
    pub(crate) fn weight(&self, role: Role) -> u32 {
        match self {
            Self::Role { role: wanted } | Self::AtLeast { role: Some(wanted), .. } => u32::from(*wanted == role),
            Self::Any {} | Self::All {} | Self::Majority {} | Self::AtLeast { role: None, .. } | Self::Veto {} => 1,
            Self::Weighted { weights, .. } => weights.of(role),
        }
    }

    /// Returns the outcome, or `None` while further votes can change it. `voters` are all participants who have voted
    /// or can still vote.
    pub fn outcome(&self, votes: &[Vote], voters: &[(ParticipantId, Role)]) -> Option<Outcome> {
        let (mut approve, mut reject, mut abstain, mut open) = (0, 0, 0, 0);
        for (id, role) in voters {
            let vote = votes.iter().find(|vote| vote.by.participant_id() == Some(*id));
            let sum = match vote.map(|vote| vote.choice) {
                Some(Choice::Approve) => &mut approve,
                Some(Choice::Reject) => &mut reject,
                Some(Choice::Abstain) => &mut abstain,
                None => &mut open,
            };
            *sum += self.weight(*role);
        }
        let decided = |yes: bool, no: bool| match (no, yes) {
            (true, _) => Some(Outcome::Rejected),
            (false, true) => Some(Outcome::Approved),
            (false, false) => None,
        };
        match self {
            Self::Any {} | Self::Role { .. } => decided(approve > 0, reject > 0),
            Self::All {} => decided(approve > 0 && open + abstain == 0, reject > 0),
            Self::Veto {} => decided(approve > 0 && open == 0, reject > 0),
            Self::Majority {} => {
                let all = approve + reject + abstain + open;
                decided(2 * approve > all, all > 0 && 2 * (approve + open) <= all)
            }
            // If fewer people can vote than are required, the gate waits for more people to join, unless there is a
            // vote against it.
            Self::AtLeast { n, .. } | Self::Weighted { n, .. } => {
                decided(approve >= *n, reject > 0 && approve + open < *n)
            }
        }
    }
}
