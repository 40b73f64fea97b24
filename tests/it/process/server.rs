//! `roundtable serve` in its own process.

use std::process::Stdio;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::viewer::SocketViewer;
use crate::fresh_database::FreshDatabase;
use crate::server::with_timeout;

/// A server process, its data, and the token of an administrator.
pub struct ServerProcess {
    child: Child,
    data: Arc<ServerData>,
    demo: Vec<(&'static str, String)>,
    http: reqwest::Client,
    pub url: String,
    pub token: String,
}

/// Data that outlives the process.
struct ServerData {
    folder: TempDir,
    database: FreshDatabase,
}

fn binary(data: &ServerData) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roundtable"));
    command
        .env_clear()
        .env("ROUNDTABLE_DATA_DIR", data.folder.path())
        .env("ROUNDTABLE_DATABASE_URL", &data.database.url);
    command.kill_on_drop(true).stdin(Stdio::null());
    command
}

/// Returns a command that runs the same program with a file size limit of this many 512-byte blocks. Writing beyond the
/// limit fails, but does not kill the process.
fn with_file_size_limit(command: &Command, blocks: &str) -> Command {
    let inner = command.as_std();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")]).arg(inner.get_program());
    shell.args(inner.get_args()).env_clear().kill_on_drop(true).stdin(Stdio::null());
    shell.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell
}

/// Starts the server and reads its address from its first line of output.
async fn spawn(data: &ServerData, demo: &[(&'static str, String)]) -> (Child, String) {
    let mut command = binary(data);
    command.arg("serve").env("ROUNDTABLE_LISTEN", "127.0.0.1:0").env("ROUNDTABLE_ONLY_DEMO_MODEL", "true");
    command.envs(demo.iter().map(|(key, value)| (*key, value.as_str())));
    let mut command = with_file_size_limit(&command, "unlimited");
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("starts");
    let mut lines = BufReader::new(child.stdout.take().expect("is piped")).lines();
    let first = lines.next_line().await.expect("reads").expect("says where it listens");
    let url = first.split_whitespace().find(|word| word.starts_with("http://")).expect("an address").to_owned();
    // Without a reader, a full pipe would block the server.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    (child, url)
}

/// Runs a command of the same binary while the server runs, and returns the output.
async fn run_command(data: &ServerData, arguments: &[&str]) -> String {
    let output = binary(data).args(arguments).output().await.expect("runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

/// Returns the settings of a server whose scripted models respond at once, and whose only tools are those of this MCP
/// server.
pub fn settings_with_tool(url: &str) -> [(&'static str, &str); 4] {
    [
        ("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "0"),
        ("ROUNDTABLE_DEMO__DELAY_MS", "0"),
        ("ROUNDTABLE_TOOLS__PYTHON__ENABLED", "false"),
        ("ROUNDTABLE_TOOLS__MCP__CHAOS__URL", url),
    ]
}

impl ServerProcess {
    pub async fn start(demo: &[(&'static str, &str)]) -> Self {
        Self::start_on(FreshDatabase::sqlite().await, demo).await
    }

    pub async fn start_on(database: FreshDatabase, demo: &[(&'static str, &str)]) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let data = Arc::new(ServerData { folder: tempfile::tempdir().expect("makes a folder"), database });
        let token = run_command(&data, &["token", "create", "--name", "ada", "--role", "admin"]).await;
        assert!(token.starts_with("rt_token_"), "prints nothing but the token: {token}");
        let demo: Vec<_> = demo.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        let (child, url) = spawn(&data, &demo).await;
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Self { child, data, demo, http, url, token }
    }

    /// Runs the program with these arguments while the server runs, and returns the result.
    pub async fn run_command_output(&self, arguments: &[&str]) -> std::process::Output {
        binary(&self.data).args(arguments).output().await.expect("runs")
    }

    /// Runs a shell script in a separate folder, and returns the result. In the script, `roundtable` is this program on
    /// the same data.
    pub async fn shell(&self, script: &str) -> std::process::Output {
        let folder = tempfile::tempdir().expect("makes a folder");
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_roundtable")).parent().expect("has a folder").display();
        let path = format!("{program}:{}", std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("bash");
        let settings = binary(&self.data);
        shell.args(["-c", script]).current_dir(folder.path()).env_clear().env("PATH", path);
        shell.envs(settings.as_std().get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.kill_on_drop(true).stdin(Stdio::null()).output().await.expect("runs")
    }

    /// Does the same as [`Self::run_command_output`], but no file can grow beyond 64 KiB, as on a full disk.
    pub async fn run_on_full_disk(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = binary(&self.data);
        with_file_size_limit(command.args(arguments), "128").output().await.expect("runs")
    }

    /// Allows file growth, or prevents it as on a full disk.
    pub async fn allow_file_growth(&self, room: bool) {
        let (id, size) = (self.id().to_string(), if room { "unlimited" } else { "0" });
        let set =
            Command::new("prlimit").args(["--pid", &id, &format!("--fsize={size}:")]).status().await.expect("runs");
        assert!(set.success());
    }

    /// Waits until `/readyz` returns this status.
    pub async fn wait_for_readiness(&self, status: u16) {
        let ask = async || self.http.get(format!("{}/readyz", self.url)).send().await.expect("answers").status();
        with_timeout(async { while ask().await != status {} }).await;
    }

    /// Waits until `/readyz` reports that the bus works.
    pub async fn wait_for_bus(&self) {
        let ask = async || self.http.get(format!("{}/readyz", self.url)).send().await.expect("answers");
        let works = async || ask().await.json::<Value>().await.expect("JSON")["bus"]["ok"] == true;
        with_timeout(async { while !works().await {} }).await;
    }

    /// Returns the server's database.
    pub fn database(&self) -> &FreshDatabase {
        &self.data.database
    }

    /// Starts another server with the same settings, on the same database.
    pub async fn start_another(&self) -> Self {
        let (data, demo) = (self.data.clone(), self.demo.clone());
        let (child, url) = spawn(&data, &demo).await;
        Self { child, data, demo, http: self.http.clone(), url, token: self.token.clone() }
    }

    /// Runs `roundtable` as a separate process on the same data, and returns the output.
    pub async fn command(&self, arguments: &[&str]) -> String {
        run_command(&self.data, arguments).await
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id().expect("runs")
    }

    /// Sends the process the signal with this name.
    pub async fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status().await.expect("runs");
        assert!(sent.success());
    }

    /// Waits until the process ends on its own.
    pub async fn wait_for_exit(&mut self) -> std::process::ExitStatus {
        self.child.wait().await.expect("ends")
    }

    /// Runs a second server on the same data, with these settings changed, and returns the result.
    pub async fn start_second(&self, but: &[(&str, &str)]) -> std::process::Output {
        let mut command = binary(&self.data);
        command
            .arg("serve")
            .envs(but.iter().copied())
            .env("ROUNDTABLE_LISTEN", "127.0.0.1:0")
            .env("ROUNDTABLE_ONLY_DEMO_MODEL", "true");
        command.output().await.expect("runs")
    }

    /// Sends SIGKILL: no handler runs, and nothing is flushed.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("kills");
    }

    pub async fn restart(&mut self) {
        (self.child, self.url) = spawn(&self.data, &self.demo).await;
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        self.post_as(&self.token, path, body).await
    }

    /// Returns the response to a POST request with this token; the request must succeed.
    pub async fn post_as(&self, token: &str, path: &str, body: Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.url)).bearer_auth(token).json(&body);
        let answer = request.send().await.expect("answers");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }

    /// Returns the response to a GET request; the request must succeed.
    pub async fn get(&self, path: &str) -> Value {
        let answer = self.http.get(format!("{}{path}", self.url)).bearer_auth(&self.token).send().await;
        let answer = answer.expect("answers");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.expect("JSON")
    }

    /// Executes a team with this `Idempotency-Key`, and returns the session of the execution.
    pub async fn execute(&self, team: &str, key: &str, body: &Value) -> String {
        let path = format!("{}/api/v1/teams/{team}/execute", self.url);
        let request = self.http.post(path).bearer_auth(&self.token).header("idempotency-key", key).json(body);
        let answer = request.send().await.expect("answers");
        assert!(answer.status().is_success(), "{}", answer.status());
        answer.headers()["x-session-id"].to_str().expect("an id").to_owned()
    }

    pub async fn create(&self) -> String {
        self.create_as(&self.token).await
    }

    /// Creates a session owned by the holder of this token.
    pub async fn create_as(&self, token: &str) -> String {
        let created = self.post_as(token, "/api/v1/sessions", json!({ "team": "testcase-en" })).await;
        created["session"].as_str().expect("an id").to_owned()
    }

    /// Reads the whole log, page by page.
    pub async fn log(&self, session: &str) -> Vec<Value> {
        let mut log: Vec<Value> = vec![];
        loop {
            let after = log.last().map_or(0, |last| last["seq"].as_u64().expect("a seq"));
            let path = format!("{}/api/v1/sessions/{session}/log?after={after}&limit=100", self.url);
            let page = self.http.get(path).bearer_auth(&self.token).send().await.expect("answers");
            let page: Value = page.json().await.expect("JSON");
            let events = page["events"].as_array().expect("a list").clone();
            if events.is_empty() {
                return log;
            }
            log.extend(events);
        }
    }

    pub async fn viewer(&self) -> SocketViewer {
        SocketViewer::connect(&self.url, &self.token).await
    }
}
