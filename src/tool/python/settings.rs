//! Settings and limits of Python programs.

use std::{path::PathBuf, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::QueueSettings;

/// Python programs of agents, in a bubblewrap (`bwrap`) sandbox. If the sandbox does not work, the tool is off, and the
/// reason is logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PythonSettings {
    /// Enables the tool. Default true.
    pub enabled: bool,
    /// Enables the tool in sessions that a guest of a door has started. Default false.
    pub guests: bool,
    /// Path of the bubblewrap program, version 0.8 or newer. Default `/usr/bin/bwrap`.
    pub bwrap: PathBuf,
    /// Path of the Python interpreter, below `/usr` or in one of `folders`. Default `/usr/bin/python3`.
    pub interpreter: PathBuf,
    /// Further folders that programs can read, such as a virtual environment in `/opt/venv`. Apart from these folders,
    /// `/usr`, system libraries and a few files in `/etc`, programs can read nothing on this machine. Default none.
    pub folders: Vec<PathBuf>,
    /// Timeout of a program, in seconds. Default 30, at most 3600.
    #[schemars(range(min = 1, max = 3600))]
    pub timeout_seconds: u64,
    /// Maximum memory of each process of a program, in bytes. Default 536870912 (512 MiB), 67108864 (64 MiB) to
    /// 1099511627776 (1 TiB).
    #[schemars(range(min = 67_108_864, max = 1_099_511_627_776_i64))]
    pub max_memory_bytes: u64,
    /// Maximum number of processes and threads of a program. Default 32, 4 to 4096.
    #[schemars(range(min = 4, max = 4096))]
    pub max_processes: u64,
    /// Maximum total size of a program's files, in bytes. The files are kept in memory. Default 67108864 (64 MiB),
    /// 1048576 (1 MiB) to 1099511627776 (1 TiB).
    #[schemars(range(min = 1_048_576, max = 1_099_511_627_776_i64))]
    pub max_disk_bytes: u64,
    /// Maximum number of bytes of output. A program that writes more is stopped. Default 1048576 (1 MiB), 1024 to
    /// 67108864 (64 MiB).
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub max_output_bytes: usize,
    /// Maximum number of files that a program can leave for the session. Default 50, at most 1000.
    #[schemars(range(min = 0, max = 1000))]
    pub max_files: usize,
    /// Maximum total number of bytes in the files that a program leaves for the session. Default 16777216 (16 MiB), at
    /// most 1073741824 (1 GiB).
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
            max_memory_bytes: 512 * 1024 * 1024,
            max_processes: 32,
            max_disk_bytes: 64 * 1024 * 1024,
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
