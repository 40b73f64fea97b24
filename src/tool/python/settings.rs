//! How much a program may take.

use std::{path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::QueueSettings;

/// Python for agents, in a sandbox of bubblewrap (`bwrap`); off where that does not work, and the log says why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PythonSettings {
    /// Whether agents may have it.
    pub on: bool,
    /// Whether it is there in sessions that a guest of the doors has begun.
    pub guests: bool,
    /// Where bubblewrap is, 0.8 or newer.
    pub bwrap: PathBuf,
    /// Where the interpreter is: below `/usr`, or in one of `folders`.
    pub interpreter: PathBuf,
    /// Further folders that programs can read, such as a virtual environment. They read all of `/usr` and nothing else of
    /// this machine.
    pub folders: Vec<PathBuf>,
    /// Seconds that a program may run.
    #[schemars(range(min = 1, max = 3600))]
    pub seconds: u64,
    /// MiB of memory that each of its processes may have.
    #[schemars(range(min = 64, max = 1_048_576))]
    pub memory_mib: u64,
    /// Processes and threads of a program.
    #[schemars(range(min = 4, max = 4096))]
    pub processes: u64,
    /// MiB of all files of a program together; they are kept in memory.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub disk_mib: u64,
    /// Bytes of output after which a program is stopped.
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub output_bytes: usize,
    /// Files that a program can leave behind, at most.
    #[schemars(range(min = 0, max = 1000))]
    pub files: usize,
    /// Bytes of all files that a program leaves behind.
    #[schemars(range(min = 0, max = 1_073_741_824))]
    pub files_bytes: u64,
    /// Programs that run at once, and that wait.
    pub queue: QueueSettings,
}

impl Default for PythonSettings {
    fn default() -> Self {
        Self {
            on: true,
            guests: false,
            bwrap: "/usr/bin/bwrap".into(),
            interpreter: "/usr/bin/python3".into(),
            folders: vec![],
            seconds: 30,
            memory_mib: 512,
            processes: 32,
            disk_mib: 64,
            output_bytes: 1024 * 1024,
            files: 50,
            files_bytes: 16 * 1024 * 1024,
            queue: QueueSettings::default(),
        }
    }
}

impl PythonSettings {
    /// What a program that hides from its own keeper gets.
    pub(super) fn patience(&self) -> Duration {
        Duration::from_secs(self.seconds + 5)
    }
}
