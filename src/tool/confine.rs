//! What a program that serves tools sees of this machine: everything that the server's user sees, but neither the server's
//! processes nor its data. It dies with the server, and all that it started dies with it. One that is not confined sees all
//! of it; it dies with the server, too, but what it has started itself may stay.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

/// Confinement of programs: keeps them from the server's memory, environment and data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Confinement {
    /// They are not: the operator has said so.
    #[default]
    Off,
    /// By a bubblewrap that works on this machine.
    Bubblewrap {
        /// The program.
        bwrap: PathBuf,
        /// Files and folders that are not there.
        hidden: Vec<PathBuf>,
    },
    /// They would be, and nothing here can: none is started.
    Unavailable {
        /// Why bubblewrap does not work.
        reason: String,
    },
}

/// `setpriv`, where it can end a program with its parent. The program takes its place, and its process id.
static DIES_WITH_PARENT: LazyLock<bool> = LazyLock::new(|| {
    let tried = dies_with_parent(OsStr::new("true"), &[]).stdin(Stdio::null()).output();
    let works = tried.is_ok_and(|output| output.status.success());
    if !works {
        tracing::warn!(
            "programs of MCP servers that are not confined go on when this server is killed; install setpriv (util-linux)"
        );
    }
    works
});

/// Whether there is no such program: its own start says so better than that of `setpriv`.
fn is_missing(program: &OsStr) -> bool {
    let path = Path::new(program);
    if path.components().count() > 1 {
        // Another one is relative to the folder that it starts in.
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
    /// By this bubblewrap, where it works on this machine; otherwise programs cannot be started, and the log says so.
    pub fn detect(bwrap: &Path, hidden: Vec<PathBuf>) -> Self {
        let reason = match in_bubblewrap(bwrap, &hidden, OsStr::new("true"), &[]).output() {
            Ok(output) if output.status.success() => return Self::Bubblewrap { bwrap: bwrap.to_owned(), hidden },
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim().chars().take(500).collect(),
            Err(error) => error.to_string(),
        };
        tracing::warn!(
            bwrap = %bwrap.display(), reason,
            "programs of MCP servers cannot be confined, so those that are not `confined = false` are not started; \
             install bubblewrap"
        );
        Self::Unavailable { reason }
    }

    /// The command that runs the program.
    ///
    /// # Errors
    /// If it would be confined and cannot be.
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
                "the program cannot be kept from the server's data, as bubblewrap does not work here ({reason}); install \
                 it, or set confined = false for a program that may read them"
            ))),
        }
    }
}

fn in_bubblewrap(bwrap: &Path, hidden: &[PathBuf], program: &OsStr, arguments: &[String]) -> Command {
    let mut command = Command::new(bwrap);
    // Processes of its own: it sees none of the server's, and all of them end with the first.
    command.args(["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--die-with-parent", "--new-session"]);
    let hidden: Vec<PathBuf> = hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
    // What is in a hidden folder is not there already, and nothing can be put in its place.
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
    fn without_a_bubblewrap_that_works_a_program_is_started_only_where_the_operator_says_so() {
        for bwrap in ["/nowhere/bwrap", "/bin/false"] {
            let confinement = Confinement::detect(Path::new(bwrap), vec![]);
            let refused = confinement.command(OsStr::new("true"), &[]).expect_err("is not confined");
            assert!(refused.to_string().contains("confined = false"), "{refused}");
        }
        let missing = Confinement::Off.command(OsStr::new("/nowhere/program"), &[]).expect("it may be").status();
        assert_eq!(missing.expect_err("is not there").kind(), io::ErrorKind::NotFound);
        let started = Confinement::Off.command(OsStr::new("true"), &[]).expect("it may be").status();
        assert!(started.expect("starts").success());
    }
}
