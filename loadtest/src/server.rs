//! The servers that are measured: children of this process, on a core of their own where that matters.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::machine;

/// One line to whoever started this process.
pub fn say(line: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// A child that is spoken with line by line.
pub struct Server {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    pub pid: u32,
}

impl Server {
    /// Start this program again as one of its hidden servers.
    pub fn own(scenario: &str, load: &[(&str, u64)]) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(scenario);
        for (name, value) in load {
            command.arg(format!("--{name}")).arg(value.to_string());
        }
        Self::start(command)
    }

    /// Start the real server on this data, on `cores` if given, with further settings from the environment.
    pub fn real(folder: &std::path::Path, cores: Option<usize>, settings: &[(&str, String)]) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?.with_file_name("roundtable");
        ensure!(program.exists(), "build the server first: cargo build --release");
        let mut command = Command::new(program);
        command.arg("serve").env_clear().env("HOME", folder).current_dir(folder);
        command.env("ROUNDTABLE_LISTEN", "127.0.0.1:0").env("ROUNDTABLE_LOG__FILTER", "warn");
        command.env("ROUNDTABLE_DATABASE_URL", format!("sqlite:{}", folder.join("roundtable.db").display()));
        for (name, value) in settings {
            command.env(format!("ROUNDTABLE_{name}"), value);
        }
        // A child runs where the thread ran that started it.
        let before = cores.map(|core| machine::pin([core])).transpose()?;
        let server = Self::start(command);
        if let Some(before) = before {
            rustix::thread::sched_setaffinity(None, &before)?;
        }
        server
    }

    fn start(mut command: Command) -> anyhow::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let input = child.stdin.take().context("no standard input")?;
        let output = BufReader::new(child.stdout.take().context("no standard output")?).lines();
        let pid = child.id().context("ended at once")?;
        Ok(Self { child, input, output, pid })
    }

    /// The next line that it says.
    pub async fn line(&mut self) -> anyhow::Result<String> {
        let line = tokio::time::timeout(Duration::from_secs(300), self.output.next_line()).await;
        line.context("the server says nothing")??.context("the server ended")
    }

    /// Tell it something.
    pub async fn tell(&mut self, line: &str) -> anyhow::Result<()> {
        Ok(self.input.write_all(format!("{line}\n").as_bytes()).await?)
    }

    /// The address of the real server, once it answers.
    pub async fn address(&mut self) -> anyhow::Result<String> {
        let line = self.line().await?;
        Ok(line.rsplit_once("http://").context("no address in the first line")?.1.trim().to_owned())
    }

    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.child.kill().await.context("cannot stop the server")
    }
}

/// One request that is answered with JSON.
pub async fn post(
    address: &str,
    token: &str,
    path: &str,
    body: &serde_json::Value,
) -> anyhow::Result<serde_json::Value> {
    let mut tcp = TcpStream::connect(address).await?;
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    tcp.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    tcp.take(1 << 20).read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    if !head.starts_with("HTTP/1.1 2") {
        bail!("{path}: {} {body}", head.lines().next().unwrap_or_default());
    }
    serde_json::from_str(body).with_context(|| format!("{path}: not JSON: {body:.200}"))
}

/// `host:port` of a URL on this machine; load is for loopback only.
pub fn loopback(url: &str) -> anyhow::Result<String> {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    ensure!(["127.0.0.1", "localhost", "[::1]"].contains(&host), "load goes to this machine only, not to {host}");
    Ok(address.to_owned())
}
