//! Sandbox of a program. The program can read `/usr`, system libraries, a few files in `/etc` and the configured
//! folders, write to a small folder in memory, and access nothing else on this machine.

use std::{
    fs,
    io::{self, Write},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    process::Stdio,
};

use command_fds::{CommandFdExt, FdMapping};
use rustix::process::getuid;
use tokio::process::Command;

use super::{PythonSettings, seccomp};

/// User id that owns nothing. A server that runs as root starts programs as this user, because the limit on processes
/// does not apply to root in any namespace.
const NOBODY: u32 = 65534;

/// Number of bytes of shared memory, which Python's multiprocessing needs for its locks.
const SHARED_MEMORY: &str = "16777216";

/// Folders with programs and libraries outside `/usr`. On most machines, they are links into `/usr`.
const LIBRARIES: [&str; 5] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64"];

/// Files in `/etc` that interpreters and libraries read. None of them reveals anything about this machine.
const ETC: [&str; 4] = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime"];

const ENVIRONMENT: [(&str, &str); 8] = [
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("HOME", "/tmp"),
    ("USER", "nobody"),
    ("LANG", "C.UTF-8"),
    ("TZ", "UTC"),
    ("MPLBACKEND", "Agg"),
    // Threads of these libraries would count as processes, with little benefit.
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
];

/// Returns the command that runs `keeper` as process 1 of a new sandbox. If `report` is given, bubblewrap writes to it
/// the process id that the keeper has outside the sandbox. All processes in the sandbox end with the command, and the
/// command ends with the server.
pub(super) fn command(settings: &PythonSettings, keeper: &str, report: Option<OwnedFd>) -> io::Result<Command> {
    let mut command = Command::new(&settings.bwrap);
    command.env_clear().current_dir("/").kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if getuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.args([
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--new-session",
        "--die-with-parent",
        "--as-pid-1",
    ]);
    hand_guard(&mut command, &seccomp::filter().map_err(io::Error::other)?, report)?;
    command.args(["--uid", "65534", "--gid", "65534", "--hostname", "sandbox", "--clearenv"]);
    for (name, value) in ENVIRONMENT {
        command.args(["--setenv", name, value]);
    }
    command.args(["--ro-bind", "/usr", "/usr"]);
    for place in LIBRARIES {
        match fs::read_link(place) {
            Ok(target) => command.arg("--symlink").arg(target).arg(place),
            Err(_) => command.args(["--ro-bind-try", place, place]),
        };
    }
    for place in ETC.iter().map(Path::new).chain(settings.folders.iter().map(PathBuf::as_path)) {
        command.arg("--ro-bind-try").arg(place).arg(place);
    }
    let disk = settings.max_disk_bytes.to_string();
    command.args(["--proc", "/proc", "--dev", "/dev", "--size", SHARED_MEMORY, "--tmpfs", "/dev/shm"]);
    command.args(["--size", &disk, "--tmpfs", "/tmp", "--dir", "/tmp/work", "--chdir", "/tmp/work"]);
    // `/dev` and `/` are in-memory file systems without a size limit.
    command.args(["--remount-ro", "/dev", "--remount-ro", "/"]);
    command.arg("--").arg(&settings.interpreter).args(["-I", "-B", "-S", "-c", keeper]);
    Ok(command)
}

/// Makes bubblewrap read the filter from one descriptor and, if `report` is given, write its report to that one.
fn hand_guard(command: &mut Command, filter: &[u8], report: Option<OwnedFd>) -> io::Result<()> {
    // The filter fits into the pipe's buffer, so writing does not wait for a reader.
    let (reader, mut writer) = io::pipe()?;
    writer.write_all(filter)?;
    command.args(["--seccomp", "3"]);
    let mut mappings = vec![FdMapping { parent_fd: reader.into(), child_fd: 3 }];
    if let Some(parent_fd) = report {
        command.args(["--info-fd", "4"]);
        mappings.push(FdMapping { parent_fd, child_fd: 4 });
    }
    command.fd_mappings(mappings).map_err(io::Error::other)?;
    Ok(())
}
