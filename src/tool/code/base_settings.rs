//! Settings of a code base: its folder and its readers.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::identity::ServerRole;
use crate::kernel::ParticipantId;

/// A code base that agents can read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeBaseSettings {
    /// Folder of the code base, such as `/srv/code/server`.
    pub path: PathBuf,
    /// Participants who may give the code base to a session, and teams that such a session may have. Everyone in the
    /// session reads the replies of its agents, and therefore parts of the code.
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
    /// Lowest server role that may read the code base. Default `member`.
    pub role: CodeReaderRole,
    /// Ids of participants who may read the code base regardless of their server role, such as `u_0198…`. Names do not
    /// count, because participants choose them.
    pub participants: BTreeSet<ParticipantId>,
    /// Names of teams whose sessions may be given the code base, such as `investigator-en`. If empty, sessions of every
    /// team may be given it.
    pub teams: BTreeSet<String>,
}

/// The lowest server role that may read a code base.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeReaderRole {
    /// Everyone, including guests of doors and links.
    Guest,
    /// Members and administrators.
    #[default]
    Member,
    /// Only administrators.
    Admin,
    /// Only the participants in `participants`.
    Nobody,
}

impl CodeReaderSettings {
    /// Returns whether a participant may read the code base.
    pub(super) fn admit(&self, who: ParticipantId, server_role: ServerRole) -> bool {
        let by_role = match self.role {
            CodeReaderRole::Guest => true,
            CodeReaderRole::Member => server_role != ServerRole::Guest,
            CodeReaderRole::Admin => server_role == ServerRole::Admin,
            CodeReaderRole::Nobody => false,
        };
        by_role || self.participants.contains(&who)
    }

    /// Returns whether a session of this team may be given the code base.
    pub(super) fn admit_team(&self, team: &str) -> bool {
        self.teams.is_empty() || self.teams.contains(team)
    }
}
