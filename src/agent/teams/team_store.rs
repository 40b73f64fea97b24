//! Interface of the store for teams that participants created.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::topology::{TeamReferences, TopologySummary};
use crate::identity::{Participant, ServerRole};
use crate::kernel::{ParticipantId, Timestamp};
use crate::store_error::StoreError;

/// Id of a team, a UUID. Example: `0190f3c0-7a1b-7c3d-8e5f-60718293a4b5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TeamId(
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))] pub Uuid,
);

impl TeamId {
    /// Returns a new id, which sorts by age.
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }
}

impl fmt::Display for TeamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for TeamId {
    type Err = uuid::Error;

    /// Accepts only the form used in responses, so that a team has exactly one id.
    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        let id = Self(Uuid::try_parse(text)?);
        if id.to_string() == text { Ok(id) } else { Uuid::try_parse("").map(Self) }
    }
}

/// Right of a participant to a team. Each right includes the rights before it. The owner has all of them. Only the
/// owner and administrators can delete a team, switch it off, or share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TeamRight {
    /// The participant can read, export and copy the team.
    Read,
    /// The participant can also execute the team.
    Execute,
    /// The participant can also replace the team.
    Edit,
}

impl TeamRight {
    /// Returns the name in the store and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Execute => "execute",
            Self::Edit => "edit",
        }
    }

    /// Parses a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Read, Self::Execute, Self::Edit].into_iter().find(|right| right.as_str() == name)
    }
}

/// Content of a version of a team.
#[derive(Debug, Clone, Copy)]
pub struct TeamContent<'a> {
    /// Name of the team.
    pub name: &'a str,
    /// Description of the team.
    pub description: &'a str,
    /// The document, as JSON.
    pub document: &'a str,
    /// Size of the topology, and references to models and tools.
    pub entry: &'a TeamEntry,
}

/// Part of a document that is shown in lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamEntry {
    /// Size of the topology.
    pub summary: TopologySummary,
    /// Models and tools that the document refers to.
    pub references: TeamReferences,
}

/// A team to add.
#[derive(Debug, Clone, Copy)]
pub struct NewTeam<'a> {
    /// Id of the team.
    pub id: TeamId,
    /// Owner of the team.
    pub owner: ParticipantId,
    /// First version.
    pub content: TeamContent<'a>,
}

/// Limits on the teams of one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeamLimits {
    /// Maximum number of teams.
    pub teams: u32,
    /// Maximum total size of their documents, in bytes.
    pub bytes: u64,
}

/// A team without its document, as one participant sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamListing {
    /// Id of the team.
    pub id: TeamId,
    /// Owner of the team.
    pub owner: ParticipantId,
    /// Name of the owner.
    pub owner_name: Arc<str>,
    /// Name of the team.
    pub name: Arc<str>,
    /// Description of the team.
    pub description: Arc<str>,
    /// Size of the topology, and references to models and tools.
    pub entry: TeamEntry,
    /// Number of the version, from 1.
    pub version: u64,
    /// False if the team is switched off.
    pub active: bool,
    /// Time of the first version.
    pub created_at: Timestamp,
    /// Time of this version.
    pub updated_at: Timestamp,
    /// Size of the document, in bytes.
    pub bytes: u64,
    /// Right that the owner gave to the requesting participant; `None` if there is none.
    pub right: Option<TeamRight>,
}

impl TeamListing {
    /// Returns the right of a participant; `None` if there is none, as for guests.
    pub fn right_of(&self, who: &Participant) -> Option<TeamRight> {
        match who.server_role {
            _ if self.is_managed_by(who) => Some(TeamRight::Edit),
            ServerRole::Guest => None,
            ServerRole::Member | ServerRole::Admin => self.right,
        }
    }

    /// Returns whether the participant can delete the team, switch it off, and share it.
    pub fn is_managed_by(&self, who: &Participant) -> bool {
        self.owner == who.id || who.server_role == ServerRole::Admin
    }
}

/// A team with its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTeam {
    /// The team's other fields.
    pub listing: TeamListing,
    /// The document, as JSON.
    pub document: Arc<str>,
}

/// Filter and page of a list of teams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeamQuery {
    /// Participant who makes the request. The list contains the participant's own teams and the teams shared with them.
    pub reader: ParticipantId,
    /// True to list the teams of all participants.
    pub all: bool,
    /// True lists only teams that are switched on, false only teams that are switched off. `None` lists both.
    pub active: Option<bool>,
    /// Number of teams before the page.
    pub offset: u64,
    /// Maximum number of teams.
    pub limit: u32,
}

/// Page of a list of teams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamPage {
    /// Teams, newest first.
    pub teams: Vec<TeamListing>,
    /// Number of teams on all pages.
    pub total: u64,
}

/// Outcome of a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TeamReplacement {
    /// The team was replaced and now has this version.
    Replaced(u64),
    /// The team was not replaced: it has this version, not the expected one.
    Conflict(u64),
    /// The new version would exceed the owner's limits.
    Full,
    /// The team does not exist.
    Unknown,
}

/// A participant with a right to a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamAccess {
    /// Id of the participant.
    pub participant: ParticipantId,
    /// Name of the participant.
    pub name: Arc<str>,
    /// Right of the participant.
    pub right: TeamRight,
}

/// Teams that participants created, and the rights of others to them.
///
/// Laws, each with a test in `tests/it/team_laws.rs`:
/// 1. A team that `add_team` or `replace_team` acknowledged is read back byte for byte, by any process.
/// 2. Of two replacements of one version, at most one succeeds.
/// 3. The limits of an owner are never exceeded, however many requests arrive at once.
/// 4. A participant sees their own teams and those shared with them, each with the right that they have.
/// 5. A removed team leaves no rights behind, and a participant whose content is erased leaves no teams behind.
#[async_trait]
pub trait TeamStore: Send + Sync + 'static {
    /// Adds a team. Returns its creation time; `None` if the team would exceed the owner's limits.
    async fn add_team(&self, team: &NewTeam<'_>, limits: TeamLimits) -> Result<Option<Timestamp>, StoreError>;

    /// Returns the number of teams that a participant owns.
    async fn count_teams_of(&self, owner: ParticipantId) -> Result<u64, StoreError>;

    /// Returns a team, with the right of the `reader` to it.
    async fn team(&self, id: TeamId, reader: ParticipantId) -> Result<Option<StoredTeam>, StoreError>;

    /// Returns a team without its document, with the right of the `reader` to it.
    async fn team_listing(&self, id: TeamId, reader: ParticipantId) -> Result<Option<TeamListing>, StoreError>;

    /// Returns a page of teams, newest first.
    async fn teams(&self, query: &TeamQuery) -> Result<TeamPage, StoreError>;

    /// Replaces the content of a team with a new version if the current version is the expected one. If no version is
    /// expected (`None`), any version is replaced.
    async fn replace_team(
        &self,
        id: TeamId,
        expected: Option<u64>,
        content: &TeamContent<'_>,
        max_bytes: u64,
    ) -> Result<TeamReplacement, StoreError>;

    /// Switches a team on or off. Returns whether the team exists.
    async fn set_team_active(&self, id: TeamId, active: bool) -> Result<bool, StoreError>;

    /// Removes a team. Returns whether the team existed.
    async fn remove_team(&self, id: TeamId) -> Result<bool, StoreError>;

    /// Gives a participant a right to a team, replacing any earlier right. Returns false if `max` other participants
    /// already have a right to the team.
    async fn share_team(
        &self,
        id: TeamId,
        participant: ParticipantId,
        right: TeamRight,
        max: u32,
    ) -> Result<bool, StoreError>;

    /// Revokes the right of a participant. Returns whether the participant had one.
    async fn unshare_team(&self, id: TeamId, participant: ParticipantId) -> Result<bool, StoreError>;

    /// Returns all participants with a right to the team, sorted by name.
    async fn team_access(&self, id: TeamId) -> Result<Vec<TeamAccess>, StoreError>;
}
