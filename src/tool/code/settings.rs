//! Settings of code bases, and limits of the tools that read them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CodeBaseSettings;
use crate::identity::{Participant, ServerRole};
use crate::kernel::ParticipantId;
use crate::kernel::call::CallSourceKind;
use crate::tool::{QueueSettings, ToolSpec};

/// Code bases for agents to list, read and search. Without code bases, the tools for them are off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodeSettings {
    /// Code bases by name: `bases = { server = { path = "/srv/code/server" } }`. Sessions and agents use these names. A
    /// session sees the code bases in its `code` setting; without this setting, it sees those that its creator may read
    /// and its team may have, at most 32. Default none.
    pub bases: BTreeMap<String, CodeBaseSettings>,
    /// Shows agents files and folders whose names start with a dot, except `.git`, which is always hidden. Default
    /// false.
    pub hidden: bool,
    /// Shows agents files and folders that a `.gitignore` excludes. Default false.
    pub ignored: bool,
    /// Maximum number of entries in a listing. Default 1000, at most 100000.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_entries: usize,
    /// Maximum number of lines that one call reads, even if it requests more. Default 1000, at most 100000.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_lines: usize,
    /// Maximum number of bytes that are shown of a line. If a line is longer, the part around the match is shown, or
    /// the beginning if the line has no match. Default 500, 40 to 65536.
    #[schemars(range(min = 40, max = 65_536))]
    pub max_line_bytes: usize,
    /// Maximum number of matches in a search. Default 200, at most 100000.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_matches: usize,
    /// Maximum number of bytes in a result. Default 49152 (48 KiB), 1024 to 1048576 (1 MiB).
    #[schemars(range(min = 1024, max = 1_048_576))]
    pub max_output_bytes: usize,
    /// Maximum number of bytes in a file. A larger file is neither read nor searched, and the result says so. Default
    /// 4194304 (4 MiB), 1024 to 1073741824 (1 GiB).
    #[schemars(range(min = 1024, max = 1_073_741_824))]
    pub max_file_bytes: u64,
    /// Maximum duration of a listing or a search, in seconds. When it is reached, the results found so far are
    /// returned. Default 20, at most 600.
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: u64,
    /// Maximum number of threads of one search. The number of processors is an additional limit. Default 4, at most 64.
    #[schemars(range(min = 1, max = 64))]
    pub threads: usize,
    /// Limits on concurrent and waiting calls.
    pub queue: QueueSettings,
}

impl Default for CodeSettings {
    fn default() -> Self {
        Self {
            bases: BTreeMap::new(),
            hidden: false,
            ignored: false,
            max_entries: 1000,
            max_lines: 1000,
            max_line_bytes: 500,
            max_matches: 200,
            max_output_bytes: 48 * 1024,
            max_file_bytes: 4 * 1024 * 1024,
            timeout_seconds: 20,
            threads: 4,
            queue: QueueSettings::default(),
        }
    }
}

impl CodeSettings {
    /// Returns the names of the code bases that a participant may give to at least some sessions.
    pub fn readable(&self, who: &Participant) -> impl Iterator<Item = Arc<str>> {
        self.bases
            .iter()
            .filter(|(_, base)| base.readers.admit(who.id, who.server_role))
            .map(|(name, _)| name.as_str().into())
    }

    /// Returns the names of the code bases that a participant may give to a session of this team.
    pub fn readable_by_team(&self, who: &Participant, team: &str) -> impl Iterator<Item = Arc<str>> {
        self.readable(who).filter(|name| self.bases[&**name].readers.admit_team(team))
    }

    /// Returns whether a session of this team with these participants may still read a code base that it was given.
    pub(super) fn is_readable_in(&self, name: &str, team: &str, people: &[(ParticipantId, ServerRole)]) -> bool {
        let Some(base) = self.bases.get(name) else { return false };
        base.readers.admit_team(team) && people.iter().any(|(who, server_role)| base.readers.admit(*who, *server_role))
    }

    /// Checks that a participant may give these code bases to a session of this team.
    ///
    /// # Errors
    /// Fails if a code base does not exist or the participant may not read it. The message lists those that the
    /// participant may read.
    pub fn check_named(&self, who: &Participant, team: &str, named: &[Arc<str>]) -> Result<(), String> {
        let readable: Vec<Arc<str>> = self.readable_by_team(who, team).collect();
        let Some(unknown) = named.iter().find(|name| !readable.contains(name)) else { return Ok(()) };
        let there = readable.join(", ");
        let there = if there.is_empty() { "there are none".into() } else { format!("there are {there}") };
        Err(format!("settings: code: there is no code base {unknown:?}; {there}"))
    }

    /// Returns a sentence for agents about the files that they do not see. It is empty if they see all of them.
    pub(super) fn left_out(&self) -> &'static str {
        match (self.hidden, self.ignored) {
            (false, false) => " Hidden files and files excluded by .gitignore are not shown.",
            (false, true) => " Hidden files are not shown.",
            (true, false) => " Files excluded by .gitignore are not shown.",
            (true, true) => "",
        }
    }

    /// Returns the description of a tool that reads a code base. The output limit is above `max_output_bytes`, so that
    /// results are not cut later.
    pub(super) fn spec(&self, name: &str, description: &str, schema: Value) -> ToolSpec {
        ToolSpec {
            time: Duration::from_secs(self.timeout_seconds + 10),
            output_bytes: self.max_output_bytes + 4096,
            needs_code: true,
            ..ToolSpec::reading(name, description, schema).returning([CallSourceKind::Code])
        }
    }
}
