//! Servers that are programs on this machine: their start, and their end with all of their processes.

use std::{io, process::Stdio};

use rmcp::{RoleClient, transport::async_rw::AsyncRwTransport};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio_util::task::AbortOnDropHandle;

use super::line_limiter::LineLimiter;
use super::{McpServerSettings, environment, stderr};
use crate::tool::Confinement;
use crate::tool::confinement::is_missing;

/// Environment variables that programs inherit, because they need them to run. The rest of the server's own environment
/// contains its secrets.
const INHERITED_VARIABLES: [&str; 7] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/// A program that can be started.
pub(super) struct McpProgram {
    server: String,
    settings: McpServerSettings,
    confinement: Confinement,
    secrets: Vec<(String, String)>,
}

/// A running program. Dropping this kills the program and all processes that it started.
pub(super) struct ProgramProcess {
    child: Child,
    _group: ProcessGroup,
    _stderr: AbortOnDropHandle<()>,
}

/// Process group of a program and of the processes that it starts.
struct ProcessGroup(Option<Pid>);

pub(super) type ProgramPipes = AsyncRwTransport<RoleClient, LineLimiter<ChildStdout>, ChildStdin>;

impl McpProgram {
    /// Returns the program with the secrets that its settings name. `confinement` applies unless the settings switch it
    /// off.
    pub(super) fn new(
        server: &str,
        settings: &McpServerSettings,
        confinement: &Confinement,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let secrets = environment::resolve(&settings.env_from, environment)?;
        let confinement = if settings.confined { confinement.clone() } else { Confinement::Off };
        Ok(Self { server: server.into(), settings: settings.clone(), confinement, secrets })
    }

    /// Returns the text of an error in `start`, for the operator.
    pub(super) fn start_error_text(&self, error: &io::Error) -> String {
        let command = &self.settings.command;
        match error.kind() {
            io::ErrorKind::NotFound => {
                format!("its program {command:?} was not found; install it, or correct command in its settings")
            }
            _ => format!("its program {command:?} cannot be started: {error}"),
        }
    }

    pub(super) fn start(&self) -> io::Result<(ProgramProcess, ProgramPipes)> {
        let Self { settings, confinement, .. } = self;
        // Under confinement, a missing program would look like one that closes its connection.
        if !settings.env.contains_key("PATH") && is_missing(settings.command.as_ref()) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let mut command = Command::from(confinement.command(settings.command.as_ref(), &settings.args)?);
        let inherited = INHERITED_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.env_clear().envs(inherited).envs(&self.settings.env);
        command.envs(self.secrets.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.settings.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
        let group = ProcessGroup(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
        let missing = || io::Error::other("the pipes of the program were not created");
        let pipes = child.stdout.take().zip(child.stdin.take()).ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let stderr = AbortOnDropHandle::new(tokio::spawn(stderr::log(self.server.clone(), stderr)));
        let max_bytes = self.settings.max_message_bytes;
        // The library counts the line break too.
        let pipes =
            ProgramPipes::new_client(LineLimiter::new(pipes.0, max_bytes), pipes.1).with_max_line_length(max_bytes + 1);
        Ok((ProgramProcess { child, _group: group, _stderr: stderr }, pipes))
    }
}

impl ProgramProcess {
    /// Waits until the program ends. Returns its exit status as text.
    pub(super) async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => format!("its program ended: {status}"),
            Err(error) => format!("waiting for its program failed: {error}"),
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // The leader of the group might have exited while processes that it started are still running.
        if let Some(group) = self.0 {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
