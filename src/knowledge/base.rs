//! Knowledge bases and access to them.

use std::{collections::BTreeSet, fmt, num::NonZeroU32, str::FromStr, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::identity::{Participant, ServerRole};
use crate::kernel::{ParticipantId, Timestamp};

/// Id of a knowledge base: a number, starting at 1, that is never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BaseId(NonZeroU32);

/// Error: a string or number is not the id of a knowledge base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id of a knowledge base; use a number from 1, for example 7")]
pub struct BaseIdError;

impl BaseId {
    /// Returns the number.
    pub fn number(self) -> u32 {
        self.0.get()
    }
}

impl FromStr for BaseId {
    type Err = BaseIdError;

    fn from_str(text: &str) -> Result<Self, BaseIdError> {
        // Each id has one spelling: `07` and `+7` are rejected.
        let id = text.parse().map(Self).map_err(|_| BaseIdError)?;
        if id.to_string() == text { Ok(id) } else { Err(BaseIdError) }
    }
}

impl TryFrom<u64> for BaseId {
    type Error = BaseIdError;

    fn try_from(number: u64) -> Result<Self, BaseIdError> {
        u32::try_from(number).ok().and_then(NonZeroU32::new).map(Self).ok_or(BaseIdError)
    }
}

impl fmt::Display for BaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Participants who can read a base, in addition to its owner and administrators. Guests never can; they see its
/// content only through agents of a session that uses the base.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BaseReaders {
    /// True if every member of the server can read the base. Default false.
    pub members: bool,
    /// Ids of members who can read the base, at most [`BaseReaders::MAX_PARTICIPANTS`].
    pub participants: BTreeSet<ParticipantId>,
    /// Names of the teams whose sessions can use the base, at most [`BaseReaders::MAX_TEAMS`], for example
    /// `["testcase-en"]`. If empty, sessions of every team can use it.
    pub teams: BTreeSet<Arc<str>>,
}

impl BaseReaders {
    /// Maximum number of participants that one base can name.
    pub const MAX_PARTICIPANTS: usize = 100;
    /// Maximum number of teams that one base can name.
    pub const MAX_TEAMS: usize = 100;

    /// Returns whether sessions of this team can use the base.
    pub fn admit_team(&self, team: &str) -> bool {
        self.teams.is_empty() || self.teams.contains(team)
    }
}

/// Knowledge base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// Id of the base.
    pub id: BaseId,
    /// Id of the owner, who created the base.
    pub owner: ParticipantId,
    /// Name of the owner.
    pub owner_name: Arc<str>,
    /// Name of the base.
    pub name: Arc<str>,
    /// Short description of the base's content.
    pub about: Arc<str>,
    /// Readers in addition to the owner.
    pub readers: BaseReaders,
    /// Time when the base was created.
    pub created_at: Timestamp,
    /// Number of documents in the base.
    pub documents: u64,
    /// Total size of the documents in the base, in bytes.
    pub bytes: u64,
}

impl Base {
    /// Returns whether a participant is allowed to read the base and to add it to a session.
    pub fn may_read(&self, who: &Participant) -> bool {
        let named = self.readers.members || self.readers.participants.contains(&who.id);
        (named && who.server_role != ServerRole::Guest) || self.may_change(who)
    }

    /// Returns whether a participant is allowed to change the base.
    pub fn may_change(&self, who: &Participant) -> bool {
        self.owner == who.id || who.server_role == ServerRole::Admin
    }
}

/// Changes to a knowledge base. Absent fields stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BaseChange {
    /// New name.
    pub name: Option<Arc<str>>,
    /// New description of the base's content.
    pub about: Option<Arc<str>>,
    /// New readers, which replace the current ones.
    pub readers: Option<BaseReaders>,
}

/// Text document in a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Document {
    /// Name, unique in the base, for example `limits.md`.
    pub name: Arc<str>,
    /// Media type by name and content, for example `text/markdown`.
    pub media_type: Arc<str>,
    /// Size in bytes.
    pub bytes: u64,
    /// Number of passages that the document was split into.
    pub passages: u64,
    /// Time when the document's content was added.
    pub added_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling() {
        assert_eq!("7".parse::<BaseId>().map(BaseId::number), Ok(7));
        for other in ["", "0", "-1", "+7", "07", " 7", "7.0", "x", "99999999999"] {
            assert!(other.parse::<BaseId>().is_err(), "{other}");
        }
    }
}
