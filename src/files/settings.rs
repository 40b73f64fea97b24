//! What the files of sessions are bound by.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Files of sessions: how large, how many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FileSettings {
    /// Bytes of one file; a larger one is answered `too_large`.
    #[schemars(range(min = 1024, max = 134_217_728))]
    pub bytes: usize,
    /// Bytes of all files of a session, older versions and removed ones too; one more is answered `files_full`.
    #[schemars(range(min = 1024, max = 1_099_511_627_776_i64))]
    pub session_bytes: u64,
    /// Versions of all files of a session, removed ones too; one more is answered `files_full`.
    #[schemars(range(min = 1, max = 5000))]
    pub session_versions: u32,
    /// Files that are on their way to this server at once, each in memory; one more is answered `busy`.
    #[schemars(range(min = 1, max = 10_000))]
    pub at_once: usize,
    /// Files of one participant that are on their way at once, default 4; one more is answered `busy`.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_at_once_per_participant: usize,
    /// Seconds that a file may be on its way.
    #[schemars(range(min = 1, max = 3600))]
    pub seconds: u64,
    /// Files that one participant may bring before there is a session for them, as doors take them: the newest that wait are
    /// kept. Once a session has one, it counts there.
    #[schemars(range(min = 1, max = 1000))]
    pub uploads: u32,
    /// Hours after which such a file is removed.
    #[schemars(range(min = 1, max = 720))]
    pub upload_hours: u64,
    /// Bytes of attached texts that an agent is shown with the words that they came with; tools read the rest.
    #[schemars(range(min = 0, max = 4_194_304))]
    pub prompt_bytes: usize,
}

impl Default for FileSettings {
    fn default() -> Self {
        Self {
            bytes: 10 * 1024 * 1024,
            session_bytes: 100 * 1024 * 1024,
            session_versions: 200,
            at_once: 16,
            max_at_once_per_participant: 4,
            seconds: 120,
            uploads: 20,
            upload_hours: 24,
            prompt_bytes: 32 * 1024,
        }
    }
}

impl FileSettings {
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}
