//! The measured servers: child processes, each on a separate core where that matters.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::data::Data;
use crate::machine;

/// Settings of a server under load.
const SETTINGS: &[(&str, &str)] = &[
    ("LISTEN", "127.0.0.1:0"),
    ("HTTP__MAX_CONNECTIONS", "1000000"),
    ("HTTP__MAX_CONNECTIONS_PER_ADDRESS", "1000000"),
    ("LOG__FILTER", "warn"),
    ("ONLY_DEMO_MODEL", "true"),
    ("QUOTAS__MAX_RUNS", "100000"),
    ("QUOTAS__MAX_SESSIONS", "100000"),
    ("RATE_LIMITS__CHAT__BURST", "1000000"),
    ("RATE_LIMITS__CHAT__PER_SECOND", "1000000"),
    ("RATE_LIMITS__JOIN__BURST", "1000000"),
    ("RATE_LIMITS__JOIN__PER_SECOND", "1000000"),
    ("RATE_LIMITS__REQUEST__BURST", "1000000"),
    ("RATE_LIMITS__REQUEST__PER_SECOND", "1000000"),
    ("RATE_LIMITS__EXPENSIVE__BURST", "1000000"),
    ("RATE_LIMITS__EXPENSIVE__PER_SECOND", "1000000"),
    ("RATE_LIMITS__ADDRESS__BURST", "1000000"),
    ("RATE_LIMITS__ADDRESS__PER_SECOND", "1000000"),
    ("RATE_LIMITS__STRANGER__BURST", "1000000"),
    ("RATE_LIMITS__STRANGER__PER_SECOND", "1000000"),
    ("SOCKET__MAX_WAITING_COMMANDS", "10000"),
    ("SOCKET__FRAME_RATE_LIMIT__BURST", "1000000"),
    ("SOCKET__FRAME_RATE_LIMIT__PER_SECOND", "1000000"),
];

/// Prints one line for the parent process.
pub fn print_line(line: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Cores that a server runs on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cores {
    /// All cores of the machine, shared with the load generator.
    All,
    /// The first core. `machine::avoid_core` leaves it to the server.
    First,
}

/// A child process with a line protocol.
pub struct Server {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    pub pid: u32,
    profiler: Option<Child>,
}

/// Folder for CPU profiles of the real servers. Without it, none are recorded.
static PROFILES: OnceLock<PathBuf> = OnceLock::new();

/// Records a CPU profile of each real server that is started from now on, with `perf`, in this folder.
pub fn record_profiles(folder: PathBuf) {
    // Called once, with the arguments of the program.
    let _ = PROFILES.set(folder);
}

impl Server {
    /// Starts this program again as one of its hidden servers.
    pub fn start_hidden(scenario: &str, load: &[(&str, u64)]) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(scenario);
        for (name, value) in load {
            command.arg(format!("--{name}")).arg(value.to_string());
        }
        Self::start(command, Cores::All)
    }

    /// Starts the real server on this data, with rate limits that let one participant act for many, and with additional
    /// settings, which take precedence. Also returns the server's address.
    pub async fn real(data: &Data, settings: &[(&str, String)]) -> anyhow::Result<(Self, String)> {
        Self::real_on(Cores::All, data, settings).await
    }

    /// Starts the real server on these cores; otherwise like [`Server::real`].
    pub async fn real_on(cores: Cores, data: &Data, settings: &[(&str, String)]) -> anyhow::Result<(Self, String)> {
        let mut command = Command::new(Self::program()?);
        let folder = data.folder.path();
        command.arg("serve").env_clear().env("HOME", folder).current_dir(folder);
        let settings_under_load = SETTINGS.iter().map(|(name, value)| (*name, (*value).to_owned()));
        for (name, value) in settings_under_load.chain(data.settings()).chain(settings.iter().cloned()) {
            command.env(format!("ROUNDTABLE_{name}"), value);
        }
        let mut server = Self::start(command, cores)?;
        let address = server.address().await?;
        server.profiler = PROFILES.get().map(|folder| profile(server.pid, folder)).transpose()?;
        Ok((server, address))
    }

    /// Returns the path of the real server's program.
    pub fn program() -> anyhow::Result<PathBuf> {
        let program = std::env::current_exe()?.with_file_name("roundtable");
        ensure!(program.exists(), "build the server first: cargo build --release");
        Ok(program)
    }

    /// Starts a program that uses the line protocol.
    pub fn start(mut command: Command, cores: Cores) -> anyhow::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // A child runs on the cores of the thread that starts it.
        let mut child = match cores {
            Cores::All => command.spawn(),
            Cores::First => machine::on_core(0, || command.spawn())?,
        }?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?).lines();
        let pid = child.id().context("ended at once")?;
        Ok(Self { child, input, output, pid, profiler: None })
    }

    /// Returns the next line that the server prints.
    pub async fn read_line(&mut self) -> anyhow::Result<String> {
        let line = tokio::time::timeout(Duration::from_secs(300), self.output.next_line()).await;
        line.context("the server printed nothing")??.context("the server ended")
    }

    /// Sends a line to the server.
    pub async fn write_line(&mut self, line: &str) -> anyhow::Result<()> {
        Ok(self.input.write_all(format!("{line}\n").as_bytes()).await?)
    }

    /// Returns the address of the real server, once the server has printed it.
    async fn address(&mut self) -> anyhow::Result<String> {
        let line = self.read_line().await?;
        Ok(line.rsplit_once("http://").context("no address in the first line")?.1.trim().to_owned())
    }

    /// Kills the server.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.child.kill().await.context("cannot stop the server")?;
        // The profiler ends with the server, after it has written its file.
        if let Some(mut profiler) = self.profiler {
            profiler.wait().await?;
        }
        Ok(())
    }
}

/// Samples the stacks of a process until it ends. The frequency avoids sampling in lockstep with the server's timers.
fn profile(pid: u32, folder: &Path) -> anyhow::Result<Child> {
    let file = folder.join(format!("{pid}.perf"));
    let mut command = Command::new("perf");
    command.args(["record", "--quiet", "--freq", "499", "--call-graph", "fp", "--pid"]).arg(pid.to_string());
    command.arg("--output").arg(file).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().context("cannot start perf; install it, for example the package linux-perf")
}

/// Sends a request and returns the JSON of the response.
pub async fn post(
    address: &str,
    token: &str,
    path: &str,
    body: &serde_json::Value,
) -> anyhow::Result<serde_json::Value> {
    post_text(address, token, path, &body.to_string()).await
}

/// Sends a request with a body that is JSON text, and returns the JSON of the response.
pub async fn post_text(address: &str, token: &str, path: &str, body: &str) -> anyhow::Result<serde_json::Value> {
    request("POST", address, token, path, body).await
}

/// Returns the newest run of a session.
pub async fn newest_run(address: &str, token: &str, session: &str) -> anyhow::Result<String> {
    let snapshot = request("GET", address, token, &format!("/api/v1/sessions/{session}"), "").await?;
    Ok(snapshot["state"]["run"]["id"].as_str().context("no run")?.to_owned())
}

/// Sends a request and returns the JSON of the response.
pub async fn request(
    method: &str,
    address: &str,
    token: &str,
    path: &str,
    body: &str,
) -> anyhow::Result<serde_json::Value> {
    let mut tcp = TcpStream::connect(address).await?;
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    tcp.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    tcp.take(1 << 20).read_to_string(&mut response).await?;
    let (head, body) = response.split_once("\r\n\r\n").context("no response")?;
    if !head.starts_with("HTTP/1.1 2") {
        bail!("{path}: {} {body}", head.lines().next().unwrap_or_default());
    }
    serde_json::from_str(body).with_context(|| format!("{path}: not JSON: {body:.200}"))
}

/// Creates a session.
pub async fn session(address: &str, token: &str, title: &str) -> anyhow::Result<String> {
    create(address, token, serde_json::json!({ "title": title, "language": "en" })).await
}

/// Creates a session of this team.
pub async fn team_session(address: &str, token: &str, team: &str) -> anyhow::Result<String> {
    create(address, token, serde_json::json!({ "title": team, "team": team })).await
}

async fn create(address: &str, token: &str, body: serde_json::Value) -> anyhow::Result<String> {
    let created = post(address, token, "/api/v1/sessions", &body).await?;
    Ok(created["session"].as_str().context("no session")?.to_owned())
}

/// Returns `host:port` of a URL on this machine. Load tests run only on loopback.
pub fn loopback(url: &str) -> anyhow::Result<String> {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    ensure!(["127.0.0.1", "localhost", "[::1]"].contains(&host), "load goes to this machine only, not to {host}");
    Ok(address.to_owned())
}
