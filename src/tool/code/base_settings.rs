//! A code base of the configuration, and who may give it to sessions.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::identity::Standing;
use crate::kernel::ParticipantId;

/// A code base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeBaseSettings {
    /// Folder of the code base.
    pub path: PathBuf,
    /// Who may give it to a session, and to which. Everybody who takes part in such a session reads what its agents tell.
    #[serde(default)]
    pub readers: CodeReaderSettings,
}

impl<P: AsRef<Path>> From<P> for CodeBaseSettings {
    fn from(path: P) -> Self {
        Self { path: path.as_ref().to_owned(), readers: CodeReaderSettings::default() }
    }
}

/// Readers of a code base.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodeReaderSettings {
    /// Lowest standing that may read it. Default `member`.
    pub standing: CodeReaderStanding,
    /// Participants who may read it whatever their standing, by id. Names do not count: their bearers choose them.
    pub participants: BTreeSet<ParticipantId>,
    /// Teams whose sessions may be given it, by name. Default: every team.
    pub teams: BTreeSet<String>,
}

/// The lowest standing on the server that may read a code base.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeReaderStanding {
    /// Everybody, also guests of doors and links.
    Guest,
    /// Members and administrators.
    #[default]
    Member,
    /// Administrators.
    Admin,
    /// Nobody but the participants that are named.
    Nobody,
}

impl CodeReaderSettings {
    /// Whether a participant may read the code base.
    pub(super) fn admit(&self, who: ParticipantId, standing: Standing) -> bool {
        let by_standing = match self.standing {
            CodeReaderStanding::Guest => true,
            CodeReaderStanding::Member => standing != Standing::Guest,
            CodeReaderStanding::Admin => standing == Standing::Admin,
            CodeReaderStanding::Nobody => false,
        };
        by_standing || self.participants.contains(&who)
    }

    /// Whether a session of this team may be given the code base.
    pub(super) fn admit_team(&self, team: &str) -> bool {
        self.teams.is_empty() || self.teams.contains(team)
    }
}
