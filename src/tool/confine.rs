//! What a program that serves tools sees of this machine: everything that the server's user sees, but neither the server's
//! processes nor its data. It dies with the server, and all that it started dies with it.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};

/// How programs are kept from the server's memory, environment and data; empty: they are not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confinement {
    bwrap: Option<PathBuf>,
    /// Files and folders that are not there.
    hidden: Vec<PathBuf>,
}

impl Confinement {
    /// By this bubblewrap, where it works on this machine; otherwise none, and the log says so.
    pub fn detect(bwrap: &Path, hidden: Vec<PathBuf>) -> Self {
        let confinement = Self { bwrap: Some(bwrap.to_owned()), hidden };
        let reason = match confinement.command(OsStr::new("true"), &[]).output() {
            Ok(output) if output.status.success() => return confinement,
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim().chars().take(500).collect(),
            Err(error) => error.to_string(),
        };
        tracing::warn!(
            bwrap = %bwrap.display(), reason,
            "programs of MCP servers are not confined: they can read the server's data; install bubblewrap"
        );
        Self::default()
    }

    /// The command that runs the program.
    pub(super) fn command(&self, program: &OsStr, arguments: &[String]) -> Command {
        let Some(bwrap) = &self.bwrap else {
            let mut command = Command::new(program);
            command.args(arguments);
            return command;
        };
        let mut command = Command::new(bwrap);
        // Processes of its own: it sees none of the server's, and all of them end with the first.
        command.args([
            "--dev-bind",
            "/",
            "/",
            "--unshare-pid",
            "--proc",
            "/proc",
            "--die-with-parent",
            "--new-session",
        ]);
        let hidden: Vec<PathBuf> = self.hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
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
}
