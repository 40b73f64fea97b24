//! Settings of session files.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Session files: limits on size and number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FileSettings {
    /// Maximum size of one file, in bytes; a larger file fails with `too_large`. 1024 to 134217728, default 10485760.
    #[schemars(range(min = 1024, max = 134_217_728))]
    pub max_file_bytes: usize,
    /// Maximum total size of all files of a session, in bytes, including older versions and removed files; a file
    /// beyond this limit fails with `files_full`. 1024 to 1099511627776, default 104857600.
    #[schemars(range(min = 1024, max = 1_099_511_627_776_i64))]
    pub max_session_bytes: u64,
    /// Maximum number of versions of all files of a session, including removed files; further versions fail with
    /// `files_full`. At most 5000, default 200.
    #[schemars(range(min = 1, max = 5000))]
    pub max_session_versions: u32,
    /// Maximum number of concurrent uploads to this server, each of which is held in memory; further uploads fail with
    /// `busy`. At most 10000, default 16.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_concurrent_uploads: usize,
    /// Maximum number of concurrent uploads of one participant; further uploads fail with `busy`. At most 10000,
    /// default 4.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_concurrent_uploads_per_participant: usize,
    /// Timeout of an upload, in seconds. At most 3600, default 120.
    #[schemars(range(min = 1, max = 3600))]
    pub transfer_timeout_seconds: u64,
    /// Maximum number of a participant's uploads for doors that no session uses yet; the oldest are deleted. The same
    /// limit applies separately to uploads that sessions use. Those sessions have copies, which count toward the limits
    /// of those sessions. At most 1000, default 20.
    #[schemars(range(min = 1, max = 1000))]
    pub max_uploads_per_participant: u32,
    /// Hours after which an upload for doors is deleted. At most 720, default 24.
    #[schemars(range(min = 1, max = 720))]
    pub upload_retention_hours: u64,
    /// Maximum number of bytes from a message's attached text files that an agent receives with the message; tools read
    /// the rest. At most 4194304, default 32768.
    #[schemars(range(min = 0, max = 4_194_304))]
    pub max_prompt_bytes: usize,
}

impl Default for FileSettings {
    fn default() -> Self {
        Self {
            max_file_bytes: 10 * 1024 * 1024,
            max_session_bytes: 100 * 1024 * 1024,
            max_session_versions: 200,
            max_concurrent_uploads: 16,
            max_concurrent_uploads_per_participant: 4,
            transfer_timeout_seconds: 120,
            max_uploads_per_participant: 20,
            upload_retention_hours: 24,
            max_prompt_bytes: 32 * 1024,
        }
    }
}

impl FileSettings {
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.transfer_timeout_seconds)
    }
}
