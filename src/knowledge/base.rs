//! A knowledge base, and who may do what with it.

use std::{collections::BTreeSet, fmt, num::NonZeroU32, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::identity::{Participant, Standing};
use crate::kernel::{ParticipantId, Timestamp};

/// A base's id: a number from 1, which is never given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BaseId(NonZeroU32);

/// Why a text is no base's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a knowledge base's id is a number from 1, like 7")]
pub struct BaseIdError;

impl BaseId {
    /// The number.
    pub fn number(self) -> u32 {
        self.0.get()
    }
}

impl FromStr for BaseId {
    type Err = BaseIdError;

    fn from_str(text: &str) -> Result<Self, BaseIdError> {
        // One spelling of each.
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

/// Participants who may read a base beside its owner and administrators. Guests never do: they reach a base through a
/// session that was given it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BaseReaders {
    /// Every member of the server may.
    pub members: bool,
    /// These members may, at most [`BaseReaders::MAX_PARTICIPANTS`].
    pub participants: BTreeSet<ParticipantId>,
    /// Teams whose sessions may be given it, by name, at most [`BaseReaders::MAX_TEAMS`]. None: every team.
    pub teams: BTreeSet<Arc<str>>,
}

impl BaseReaders {
    /// Participants that one base can name.
    pub const MAX_PARTICIPANTS: usize = 100;
    /// Teams that one base can name.
    pub const MAX_TEAMS: usize = 100;

    /// Whether a session of this team may be given the base, and search it.
    pub fn admit_team(&self, team: &str) -> bool {
        self.teams.is_empty() || self.teams.contains(team)
    }
}

/// A knowledge base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// Its id.
    pub id: BaseId,
    /// Who made it.
    pub owner: ParticipantId,
    /// What its owner is called.
    pub owner_name: Arc<str>,
    /// What it is called.
    pub name: Arc<str>,
    /// What is in it, in a few words.
    pub about: Arc<str>,
    /// Who may read it beside its owner.
    pub readers: BaseReaders,
    /// When it was made.
    pub created_at: Timestamp,
    /// How many documents it has.
    pub documents: u64,
    /// Bytes of them all.
    pub bytes: u64,
}

impl Base {
    /// Whether somebody may read it, and give it to a session.
    pub fn may_read(&self, who: &Participant) -> bool {
        let named = self.readers.members || self.readers.participants.contains(&who.id);
        (named && who.standing != Standing::Guest) || self.may_change(who)
    }

    /// Whether somebody may change it.
    pub fn may_change(&self, who: &Participant) -> bool {
        self.owner == who.id || who.standing == Standing::Admin
    }
}

/// What is to be different; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BaseChange {
    /// What it is called.
    pub name: Option<Arc<str>>,
    /// What is in it.
    pub about: Option<Arc<str>>,
    /// Who may read it beside its owner.
    pub readers: Option<BaseReaders>,
}

/// A text in a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Document {
    /// What it is called; a base has one of each name.
    pub name: Arc<str>,
    /// What the server takes it for, by its name and its content.
    pub media_type: Arc<str>,
    /// How large it is.
    pub bytes: u64,
    /// Into how many passages it was cut.
    pub passages: u64,
    /// When its content was brought.
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
