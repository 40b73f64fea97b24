//! Settings and limits of Python programs.

use std::{path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::QueueSettings;

/// Python programs of agents, in a sandbox of bubblewrap (`bwrap`). If the sandbox does not work, the tool is off, and
/// the reason is logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PythonSettings {
    /// Enables the tool.
    pub enabled: bool,
    /// Enables the tool in sessions that a guest of the doors has started.
    pub guests: bool,
    /// Path of the bubblewrap program, version 0.8 or newer.
    pub bwrap: PathBuf,
    /// Path of the Python interpreter, below `/usr` or in one of `folders`.
    pub interpreter: PathBuf,
    /// Further folders that programs can read, such as a virtual environment in `/opt/venv`. Apart from these folders
    /// and `/usr`, programs can read nothing on this machine.
    pub folders: Vec<PathBuf>,
    /// Timeout of a program, in seconds.
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: u64,
    /// Maximum memory of each process of a program, in MiB.
    #[schemars(range(min = 64, max = 1_048_576))]
    pub max_memory_mib: u64,
    /// Maximum number of processes and threads of a program.
    #[schemars(range(min = 4, max = 4096))]
    pub max_processes: u64,
    /// Maximum total size of a program's files, in MiB. The files are kept in memory.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub max_disk_mib: u64,
    /// Maximum number of bytes of output. A program that writes more is stopped.
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub max_output_bytes: usize,
    /// Maximum number of files that a program can leave for the session.
    #[schemars(range(min = 0, max = 1000))]
    pub max_files: usize,
    /// Maximum total number of bytes in the files that a program leaves for the session.
    #[schemars(range(min = 0, max = 1_073_741_824))]
    pub max_files_bytes: u64,
    /// Limits on concurrent and waiting programs.
    pub queue: QueueSettings,
}

impl Default for PythonSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            guests: false,
            bwrap: "/usr/bin/bwrap".into(),
            interpreter: "/usr/bin/python3".into(),
            folders: vec![],
            timeout_seconds: 30,
            max_memory_mib: 512,
            max_processes: 32,
            max_disk_mib: 64,
            max_output_bytes: 1024 * 1024,
            max_files: 50,
            max_files_bytes: 16 * 1024 * 1024,
            queue: QueueSettings::default(),
        }
    }
}

impl PythonSettings {
    /// Returns the time after which the server stops waiting for the keeper, which a program might have broken.
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds + 5)
    }
}
