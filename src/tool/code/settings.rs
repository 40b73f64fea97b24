//! Which code bases there are, and how much of them at once.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CodeBaseSettings;
use crate::identity::{Participant, Standing};
use crate::kernel::ParticipantId;
use crate::tool::{QueueSettings, Spec};

/// Code bases for agents to list, read and search; none: these tools are off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CodeSettings {
    /// Code bases by the names that sessions and agents have for them: `bases = { server = { path = "/srv/code/server" } }`.
    /// A session sees those that its setting `code` names; where its maker does not say, all that its maker may read.
    pub bases: BTreeMap<String, CodeBaseSettings>,
    /// Whether files and folders whose names begin with a dot are there for agents; `.git` never is.
    pub hidden: bool,
    /// Whether what a `.gitignore` leaves out is there for agents.
    pub ignored: bool,
    /// Entries of a listing.
    #[schemars(range(min = 1, max = 100_000))]
    pub entries: usize,
    /// Lines that one call reads, also where it asks for more.
    #[schemars(range(min = 1, max = 100_000))]
    pub lines: usize,
    /// Bytes of a line that are shown; of a longer one, those around the match.
    #[schemars(range(min = 40, max = 65_536))]
    pub line_bytes: usize,
    /// Matches of a search.
    #[schemars(range(min = 1, max = 100_000))]
    pub matches: usize,
    /// Bytes of what one call shows.
    #[schemars(range(min = 1024, max = 1_048_576))]
    pub answer_bytes: usize,
    /// Bytes of a file; a larger one is neither read nor searched, and said so.
    #[schemars(range(min = 1024, max = 1_073_741_824))]
    pub file_bytes: u64,
    /// Seconds of a listing or a search, then it shows what it has.
    #[schemars(range(min = 1, max = 600))]
    pub seconds: u64,
    /// Threads of one search, at most as many as there are processors.
    #[schemars(range(min = 1, max = 64))]
    pub threads: usize,
    /// Calls that run at once, and that wait.
    pub queue: QueueSettings,
}

impl Default for CodeSettings {
    fn default() -> Self {
        Self {
            bases: BTreeMap::new(),
            hidden: false,
            ignored: false,
            entries: 1000,
            lines: 1000,
            line_bytes: 500,
            matches: 200,
            answer_bytes: 48 * 1024,
            file_bytes: 4 * 1024 * 1024,
            seconds: 20,
            threads: 4,
            queue: QueueSettings::default(),
        }
    }
}

impl CodeSettings {
    /// The names of the code bases that a participant may give to some session.
    pub fn readable(&self, who: &Participant) -> impl Iterator<Item = Arc<str>> {
        self.bases
            .iter()
            .filter(|(_, base)| base.readers.admit(who.id, who.standing))
            .map(|(name, _)| name.as_str().into())
    }

    /// The names of the code bases that a participant may give to a session of this team.
    pub fn readable_by_team(&self, who: &Participant, team: &str) -> impl Iterator<Item = Arc<str>> {
        self.readable(who).filter(|name| self.bases[&**name].readers.admit_team(team))
    }

    /// Whether a session of this team, with these participants in it, may go on with a code base that it was given.
    pub(super) fn is_readable_in(&self, name: &str, team: &str, people: &[(ParticipantId, Standing)]) -> bool {
        let Some(base) = self.bases.get(name) else { return false };
        base.readers.admit_team(team) && people.iter().any(|(who, standing)| base.readers.admit(*who, *standing))
    }

    /// Whether a participant may give these code bases to a session of this team.
    ///
    /// # Errors
    /// Where one does not exist or is not the participant's to read, in words that name those that are.
    pub fn check_named(&self, who: &Participant, team: &str, named: &[Arc<str>]) -> Result<(), String> {
        let readable: Vec<Arc<str>> = self.readable_by_team(who, team).collect();
        let Some(unknown) = named.iter().find(|name| !readable.contains(name)) else { return Ok(()) };
        let there = readable.join(", ");
        let there = if there.is_empty() { "there are none".into() } else { format!("there are {there}") };
        Err(format!("settings: code: there is no code base {unknown:?}; {there}"))
    }

    /// What of a code base is not there for agents, in words for them; empty where all is.
    pub(super) fn left_out(&self) -> &'static str {
        match (self.hidden, self.ignored) {
            (false, false) => " Hidden files and what .gitignore leaves out are not there.",
            (false, true) => " Hidden files are not there.",
            (true, false) => " What .gitignore leaves out is not there.",
            (true, true) => "",
        }
    }

    /// A tool that reads a code base. What it shows fits, so that nothing of it is left out later.
    pub(super) fn spec(&self, name: &str, words: &str, schema: Value) -> Spec {
        Spec {
            time: Duration::from_secs(self.seconds + 10),
            output_bytes: self.answer_bytes + 4096,
            needs_code: true,
            ..Spec::reading(name, words, schema)
        }
    }
}
