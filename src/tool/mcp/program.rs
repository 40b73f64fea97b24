//! A server that is a program of this machine: how it is started, and that nothing of it stays behind.

use std::{io, process::Stdio};

use rmcp::{RoleClient, transport::async_rw::AsyncRwTransport};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio_util::task::AbortOnDropHandle;

use super::line_bound::LineBound;
use super::{McpServer, secrets, stderr};
use crate::tool::Confinement;

/// What programs need to find themselves about. The rest of the server's own environment holds its secrets.
const INHERITED: [&str; 7] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"];

/// How a program is started.
pub(super) struct Program {
    server: String,
    settings: McpServer,
    secrets: Vec<(String, String)>,
}

/// A program that runs. With this it ends, and all that it has started.
pub(super) struct Started {
    child: Child,
    _group: Group,
    _stderr: AbortOnDropHandle<()>,
}

/// The process group of a program and of what it starts.
struct Group(Option<Pid>);

pub(super) type Pipes = AsyncRwTransport<RoleClient, LineBound<ChildStdout>, ChildStdin>;

impl Program {
    /// With the secrets that its settings name.
    pub(super) fn new(
        server: &str,
        settings: &McpServer,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let secrets = secrets::resolve(&settings.env_from, environment)?;
        Ok(Self { server: server.into(), settings: settings.clone(), secrets })
    }

    pub(super) fn start(&self) -> io::Result<(Started, Pipes)> {
        let Self { settings, .. } = self;
        let confinement = if settings.confined { &*settings.confinement } else { &Confinement::Off };
        let mut command = Command::from(confinement.command(settings.command.as_ref(), &settings.args)?);
        let inherited = INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.env_clear().envs(inherited).envs(&self.settings.env);
        command.envs(self.secrets.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.settings.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
        let group = Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
        let missing = || io::Error::other("the program has no pipes");
        let pipes = child.stdout.take().zip(child.stdin.take()).ok_or_else(missing)?;
        let stderr = child.stderr.take().ok_or_else(missing)?;
        let stderr = AbortOnDropHandle::new(tokio::spawn(stderr::log(self.server.clone(), stderr)));
        let max_bytes = self.settings.message_bytes;
        // The line break counts there.
        let pipes = Pipes::new_client(LineBound::new(pipes.0, max_bytes), pipes.1).with_max_line_length(max_bytes + 1);
        Ok((Started { child, _group: group, _stderr: stderr }, pipes))
    }
}

impl Started {
    /// Its end, in words.
    pub(super) async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => format!("its program ended, {status}"),
            Err(error) => format!("its program cannot be waited for: {error}"),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its leader may be gone already, what the leader started need not be.
        if let Some(group) = self.0 {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
