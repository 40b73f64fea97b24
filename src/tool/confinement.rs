//! Confinement of programs that serve tools. A confined program sees everything that the server's user sees, except the
//! server's processes and data. It ends when the server ends, and so do all processes that it started. An unconfined
//! program sees everything that the server's user sees. It also ends when the server ends, but processes that it
//! started can survive.

use crate::kernel::first_chars;
use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

/// Confinement of programs: denies them access to the server's memory, environment and data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confinement {
    /// No confinement, by choice of the operator.
    Off,
    /// Confinement by bubblewrap, which works on this machine.
    Bubblewrap {
        /// Path of the bubblewrap program, such as `/usr/bin/bwrap`.
        bwrap: PathBuf,
        /// Files and folders that confined programs cannot see.
        hidden: Vec<PathBuf>,
    },
    /// Confinement is required but does not work on this machine, so no program is started.
    Unavailable {
        /// Error from the attempt to run bubblewrap.
        reason: String,
    },
}

/// True if `setpriv` can end a program when its parent ends. The program replaces `setpriv` and keeps its process id.
static DIES_WITH_PARENT: LazyLock<bool> = LazyLock::new(|| {
    let tried = dies_with_parent(OsStr::new("true"), &[]).stdin(Stdio::null()).output();
    let works = tried.is_ok_and(|output| output.status.success());
    if !works {
        tracing::warn!(
            "unconfined MCP server programs keep running when this server is killed; install setpriv (util-linux)"
        );
    }
    works
});

/// Returns whether the program is known not to exist. Starting it directly gives a clearer error than starting it with
/// `setpriv`.
pub(super) fn is_missing(program: &OsStr) -> bool {
    let path = Path::new(program);
    if path.components().count() > 1 {
        // A relative path depends on the folder that the program starts in, which is not known here.
        return path.is_absolute() && !path.exists();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    !std::env::split_paths(&folders).any(|folder| folder.join(path).is_file())
}

fn dies_with_parent(program: &OsStr, arguments: &[String]) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(program).args(arguments);
    command
}

impl Confinement {
    /// Returns confinement by this bubblewrap if it works on this machine. Otherwise, logs a warning and returns
    /// [`Self::Unavailable`], with which no program can be started.
    pub fn detect(bwrap: &Path, hidden: Vec<PathBuf>) -> Self {
        let reason = match in_bubblewrap(bwrap, &hidden, OsStr::new("true"), &[]).output() {
            Ok(output) if output.status.success() => {
                if rustix::process::geteuid().is_root() {
                    tracing::warn!(
                        "the server runs as root, so MCP server programs can change root's files; run it as another user"
                    );
                }
                return Self::Bubblewrap { bwrap: bwrap.to_owned(), hidden };
            }
            Ok(output) => first_chars(String::from_utf8_lossy(&output.stderr).trim(), 500).into(),
            Err(error) => error.to_string(),
        };
        tracing::warn!(
            bwrap = %bwrap.display(), reason,
            "MCP server programs cannot be confined, so only those with `confined = false` are started; \
             install bubblewrap"
        );
        Self::Unavailable { reason }
    }

    /// Returns the command that runs the program.
    ///
    /// # Errors
    /// Fails if the program must be confined and confinement does not work.
    pub(super) fn command(&self, program: &OsStr, arguments: &[String]) -> io::Result<Command> {
        match self {
            Self::Bubblewrap { bwrap, hidden } => Ok(in_bubblewrap(bwrap, hidden, program, arguments)),
            Self::Off if !is_missing(program) && *DIES_WITH_PARENT => Ok(dies_with_parent(program, arguments)),
            Self::Off => {
                let mut command = Command::new(program);
                command.args(arguments);
                Ok(command)
            }
            Self::Unavailable { reason } => Err(io::Error::other(format!(
                "bubblewrap does not work on this machine ({reason}), so the program cannot be confined; install \
                 bubblewrap, or set confined = false for a program that may read the server's data"
            ))),
        }
    }
}

fn in_bubblewrap(bwrap: &Path, hidden: &[PathBuf], program: &OsStr, arguments: &[String]) -> Command {
    let mut command = Command::new(bwrap);
    // In its own process namespace, the program sees no process of the server, and all of its processes end with the
    // first one.
    command.args([
        "--bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--unshare-pid",
        "--proc",
        "/proc",
        "--die-with-parent",
        "--new-session",
    ]);
    // If the server runs as root, bubblewrap would keep root's capabilities, and the program could unmount what hides
    // the server's data. Devices are hidden because reading a disk's device bypasses its file system.
    command.args(["--cap-drop", "ALL"]);
    let hidden: Vec<PathBuf> = hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
    // A path in a hidden folder is already hidden, and bubblewrap cannot mount anything over it.
    let within = |path: &PathBuf| hidden.iter().any(|folder| folder != path && path.starts_with(folder));
    for path in hidden.iter().filter(|path| !within(path)) {
        if path.is_dir() {
            command.args(["--size", "65536", "--tmpfs"]).arg(path).arg("--remount-ro").arg(path);
        } else {
            command.args(["--ro-bind", "/dev/null"]).arg(path);
        }
    }
    command.arg("--").arg(program).args(arguments);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confined_program_cannot_unmount_what_hides_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("exists");
        std::fs::write(path.join("secret"), "s3cret").expect("writes");
        let confinement = Confinement::detect(Path::new("/usr/bin/bwrap"), vec![path.clone()]);
        let script = format!("umount {0}; cat {0}/secret; grep CapEff /proc/self/status", path.display());
        let mut command = confinement.command(OsStr::new("sh"), &["-c".into(), script]).expect("bubblewrap works");
        let output = command.output().expect("the program starts");
        let capabilities = String::from_utf8_lossy(&output.stdout);
        assert_eq!(capabilities.trim(), "CapEff:\t0000000000000000");
    }

    #[test]
    fn without_a_bubblewrap_that_works_a_program_is_started_only_where_the_operator_says_so() {
        for bwrap in ["/nowhere/bwrap", "/bin/false"] {
            let confinement = Confinement::detect(Path::new(bwrap), vec![]);
            let refused = confinement.command(OsStr::new("true"), &[]).expect_err("confinement does not work");
            assert!(refused.to_string().contains("confined = false"), "{refused}");
        }
        let missing =
            Confinement::Off.command(OsStr::new("/nowhere/program"), &[]).expect("no confinement is needed").status();
        assert_eq!(missing.expect_err("the program does not exist").kind(), io::ErrorKind::NotFound);
        let started = Confinement::Off.command(OsStr::new("true"), &[]).expect("no confinement is needed").status();
        assert!(started.expect("the program starts").success());
    }
}
