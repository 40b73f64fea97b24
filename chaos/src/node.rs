//! One node: the real server as a separate process, which is restarted after every stop.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, ensure};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Timeout of a start or a stop, longer than either takes even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Settings of all nodes, with which they detect failures quickly.
const SETTINGS: &[(&str, &str)] = &[
    ("ONLY_DEMO_MODEL", "true"),
    ("DEMO__TOKENS_PER_SECOND", "240"),
    ("DEMO__RESPONSE_TOKENS", "120"),
    ("DEMO__DELAY_MS", "20"),
    ("TOOLS__PYTHON__ENABLED", "false"),
    ("LISTEN", "127.0.0.1:0"),
    ("LOG__JSON", "true"),
    ("LOG__FILTER", "info"),
    ("CLUSTER__LEASE_MS", "1000"),
    ("CLUSTER__RENEW_MS", "250"),
    ("CLUSTER__TAKEOVER_MS", "100"),
    ("FEED__CHECK_MS", "400"),
    ("FEED__POLL_MS", "100"),
    ("CLUSTER__FORWARD_MS", "3000"),
    ("BUS__CONNECT_MS", "500"),
    // Here, all viewers are the same participant and have the same address. In production, each person has a separate
    // rate limit.
    ("RATE_LIMITS__REQUEST__BURST", "100000"),
    ("RATE_LIMITS__REQUEST__PER_SECOND", "100000"),
    ("RATE_LIMITS__EXPENSIVE__BURST", "100000"),
    ("RATE_LIMITS__EXPENSIVE__PER_SECOND", "100000"),
    ("RATE_LIMITS__ADDRESS__BURST", "100000"),
    ("RATE_LIMITS__ADDRESS__PER_SECOND", "100000"),
    ("RATE_LIMITS__STRANGER__BURST", "100000"),
    ("RATE_LIMITS__STRANGER__PER_SECOND", "100000"),
    ("RATE_LIMITS__JOIN__BURST", "100000"),
    ("RATE_LIMITS__JOIN__PER_SECOND", "100000"),
    ("BUS__REPLY_MS", "400"),
    ("BUS__PING_MS", "200"),
    ("BUS__RETRY_MS", "20"),
    ("BUS__MAX_RETRY_MS", "200"),
    ("STORE__CONNECT_MS", "1000"),
    ("STORE__REPLY_MS", "1500"),
    // Small enough that viewers that are slow for a moment fall behind.
    ("FEED__MAX_RING_BYTES", "16384"),
    ("FEED__MAX_PAGE_EVENTS", "16"),
    ("ORCHESTRATOR__SNAPSHOT_INTERVAL_EVENTS", "20"),
    ("ORCHESTRATOR__IDLE_SECONDS", "1"),
    ("ORCHESTRATOR__STORE_RETRY_MS", "100"),
    ("SOCKET__DRAIN_MS", "200"),
    ("SOCKET__PING_SECONDS", "1"),
    ("SOCKET__STALL_SECONDS", "2"),
    ("HTTP__DRAIN_SECONDS", "1"),
];

/// A node, running or not.
pub struct Node {
    pub index: usize,
    pub log: PathBuf,
    program: PathBuf,
    folder: PathBuf,
    environment: Vec<(String, String)>,
    database: String,
    child: Option<Child>,
    starts: u32,
}

impl Node {
    /// Returns a node that is not running yet. `database` is the URL of the database, to which [`Node::start`] appends
    /// the name of the process.
    pub fn new(index: usize, program: &Path, folder: &Path, database: String, environment: &[(&str, String)]) -> Self {
        let settings = SETTINGS.iter().map(|(name, value)| (format!("ROUNDTABLE_{name}"), (*value).to_owned()));
        let more = environment.iter().map(|(name, value)| (format!("ROUNDTABLE_{name}"), value.clone()));
        let environment = settings.chain(more).collect();
        let log = folder.join(format!("node-{index}.log"));
        Self {
            index,
            log,
            program: program.to_owned(),
            folder: folder.to_owned(),
            environment,
            database,
            child: None,
            starts: 0,
        }
    }

    /// Starts a process and returns its address. Each process has a separate name in PostgreSQL.
    pub async fn start(&mut self) -> anyhow::Result<SocketAddr> {
        self.starts += 1;
        let url = format!("{}&options[chaos.process]=node-{}.{}", self.database, self.index, self.starts);
        let log = std::fs::OpenOptions::new().create(true).append(true).open(&self.log)?;
        let mut command = Command::new(&self.program);
        command.arg("serve").env_clear().envs(self.environment.iter().cloned()).env("ROUNDTABLE_DATABASE_URL", url);
        command.env("ROUNDTABLE_DATA_DIR", self.folder.join("data"));
        command.kill_on_drop(true).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().context("the server does not start")?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        self.child = Some(child);
        let first = tokio::time::timeout(TIMEOUT, lines.next_line()).await.context("the server says nothing")??;
        let first = first.with_context(|| format!("node {} ended at its start", self.index))?;
        let url = first.split_whitespace().find_map(|word| word.strip_prefix("http://"));
        // Without a reader, a full pipe would block the server.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(url.context("it does not say where it listens")?.parse()?)
    }

    /// Uses the newest program from the next start on.
    pub fn upgrade(&mut self) -> anyhow::Result<()> {
        self.program = newest()?;
        Ok(())
    }

    /// Omits this setting from the next start on.
    pub fn unset(&mut self, setting: &str) {
        self.environment.retain(|(name, _)| name.strip_prefix("ROUNDTABLE_") != Some(setting));
    }

    /// Starts the node, and retries while the database rejects it.
    pub async fn restart(&mut self) -> anyhow::Result<SocketAddr> {
        let mut retries_left = 40;
        loop {
            match self.start().await {
                Err(_) if retries_left > 0 => retries_left -= 1,
                result => return result,
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Sends a signal by name.
    pub async fn signal(&self, name: &str) -> anyhow::Result<()> {
        let id = self.child.as_ref().and_then(Child::id).context("it does not run")?;
        let sent = Command::new("kill").args(["-s", name, &id.to_string()]).status().await?;
        ensure!(sent.success(), "node {} ended by itself", self.index);
        Ok(())
    }

    /// Waits until the process has ended.
    pub async fn wait(&mut self) -> anyhow::Result<()> {
        let Some(mut child) = self.child.take() else { return Ok(()) };
        let ended = tokio::time::timeout(TIMEOUT, child.wait()).await;
        ended.with_context(|| format!("node {} does not stop", self.index))??;
        Ok(())
    }

    /// Returns the lines of the node's log that indicate a bug.
    pub fn log_errors(&self) -> Vec<String> {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let is_error =
            |line: &&str| line.contains("panicked") || line.contains("\"ERROR\"") || line.contains("overflowed");
        log.lines().filter(is_error).map(|line| format!("node {} says: {line}", self.index)).collect()
    }
}

/// Returns the path of the server program next to this one.
pub fn newest() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?.with_file_name("roundtable");
    ensure!(program.exists(), "the server is not built: cargo build --bin roundtable");
    Ok(program)
}
