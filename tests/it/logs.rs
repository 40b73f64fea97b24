//! The operator's log: each line names its subject, and slow operations are reported.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::command_line::{client, roundtable, start_with_metrics};
use crate::fresh_database::FreshDatabase;
use crate::process::viewer::{SocketViewer, ViewerState, event};
use crate::server::with_timeout;

/// A server that logs to a file.
pub struct LoggingServer {
    data: TempDir,
    process: Child,
    pub address: String,
    pub token: String,
}

impl LoggingServer {
    pub async fn start(settings: &[(&str, &str)]) -> Self {
        Self::start_configured(settings, "").await
    }

    /// Starts a server with this text in its `roundtable.toml`.
    pub async fn start_configured(settings: &[(&str, &str)], configuration: &str) -> Self {
        let data = tempfile::tempdir().expect("makes a folder");
        std::fs::write(data.path().join("roundtable.toml"), configuration).expect("writes");
        let with = |command: &mut Command| {
            command.envs(settings.iter().copied());
        };
        let mut create = roundtable(&data, &["token", "create", "--name", "ann"]);
        with(&mut create);
        let created = with_timeout(create.stderr(Stdio::inherit()).output()).await.expect("runs").stdout;
        let token = String::from_utf8(created).expect("UTF-8").trim().to_owned();
        let mut serve = roundtable(&data, &["serve", "--listen", "127.0.0.1:0", "--set", "metrics_listen=127.0.0.1:0"]);
        with(&mut serve);
        let log = std::fs::File::create(data.path().join("log")).expect("a file");
        serve.env("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "100000").stderr(log);
        let (process, address, _) = start_with_metrics(&mut serve).await;
        Self { data, process, address, token }
    }

    async fn post(&self, path: &str, body: &Value) -> reqwest::Response {
        let request = client().post(format!("{}{path}", self.address)).bearer_auth(&self.token).json(body);
        with_timeout(request.send()).await.expect("answers")
    }

    pub async fn session(&self, body: Value) -> String {
        let created: Value = self.post("/api/v1/sessions", &body).await.json().await.expect("JSON");
        created["session"].as_str().expect("an id").to_owned()
    }

    /// Stops the server gracefully. Returns its log.
    pub async fn stop(mut self) -> String {
        let id = self.process.id().expect("runs").to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().await.expect("runs").success());
        assert!(with_timeout(self.process.wait()).await.expect("ends").success());
        self.read()
    }

    fn read(&self) -> String {
        std::fs::read_to_string(self.data.path().join("log")).expect("reads")
    }
}

/// Returns the fields of a log line and of all enclosing spans.
pub fn fields(line: &Value) -> BTreeMap<String, Value> {
    let spans = line["spans"].as_array().into_iter().flatten().chain([line]);
    spans.flat_map(|span| span.as_object().expect("an object").clone()).collect()
}

/// Starts a run with a viewer that leaves the session when a gate opens, pauses the run, and sends a request that is
/// rejected. Returns the ids of the session and the run, and the viewer.
async fn run(server: &LoggingServer) -> (String, String, SocketViewer) {
    let session = server.session(json!({ "message": "test the xyzzy-77 machine" })).await;
    let mut viewer = SocketViewer::connect(&server.address, &server.token).await;
    viewer.join(&session, 0).await;
    let mut seen = ViewerState::default();
    viewer.wait_for(&mut seen, event("gate.opened")).await.expect("asks people");
    viewer.send(json!({ "type": "leave", "session": session })).await;
    viewer.send(json!({ "type": "ping" })).await;
    viewer.wait_for(&mut seen, |frame| frame["type"] == "pong").await.expect("has left");
    let run = seen.run().as_str().expect("an id").to_owned();
    let pause = json!({ "id": "c1", "do": "pause", "data": { "run": run } });
    let paused = server.post(&format!("/api/v1/sessions/{session}/commands"), &pause).await;
    assert_eq!(paused.status(), StatusCode::OK);
    let secret = client().get(format!("{}/api/v1/sessions/{session}", server.address));
    assert_eq!(with_timeout(secret.send()).await.expect("answers").status(), StatusCode::UNAUTHORIZED);
    (session, run, viewer)
}

#[tokio::test]
async fn each_line_carries_the_ids_of_its_connection_session_run_and_turn() {
    let server = LoggingServer::start(&[("RUST_LOG", "debug"), ("ROUNDTABLE_LOG__JSON", "true")]).await;
    let (session, run, _viewer) = run(&server).await;
    let log = server.stop().await;
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let about = |message: &str| {
        let found = lines.iter().rev().find(|line| line["message"] == message);
        fields(found.unwrap_or_else(|| panic!("no line {message:?} in {log}")))
    };

    let joined = about("joined");
    assert_eq!(joined["session"], session);
    for message in ["connection accepted", "socket opened", "identified", "left", "socket closed"] {
        let all = lines.iter().filter(|line| line["message"] == message).map(fields);
        assert!(all.into_iter().any(|line| line["connection"] == joined["connection"]), "{message}: {log}");
    }
    assert_eq!(
        (&about("socket closed")["code"], &about("socket closed")["reason"]),
        (&4000.into(), &"GoingAway".into())
    );
    let refused = about("refused");
    assert_eq!((&refused["route"], &refused["status"]), (&"/api/v1/sessions/{session}".into(), &401.into()));
    assert_eq!(refused["request"].as_str().map(str::len), Some(32));
    assert!(refused["connection"].as_u64() > joined["connection"].as_u64(), "it came later: {refused:?}");

    for message in ["session claimed", "session task started", "run started", "session task ends", "session released"] {
        let line = about(message);
        assert_eq!(line["session"], session, "{line:?}");
        assert!(!line.contains_key("request"), "it is the session's own: {line:?}");
    }
    for message in ["control requested", "control effective"] {
        let line = about(message);
        assert_eq!((&line["session"], &line["run"]), (&json!(session), &json!(run)), "{line:?}");
        assert_eq!(line["verb"], "Pause", "{line:?}");
    }
    for message in ["turn started", "turn completed"] {
        let line = about(message);
        assert_eq!((&line["session"], &line["run"]), (&json!(session), &json!(run)), "{line:?}");
        assert_eq!((&line["agent"], &line["attempt"]), (&"TestCase_Reviewer".into(), &1.into()), "{line:?}");
    }
    let own = |line: &&Value| line["target"].as_str().is_some_and(|target| target.ends_with("::session_task"));
    assert!(lines.iter().filter(own).map(fields).all(|line| line["session"] == session), "{log}");
}

#[tokio::test]
async fn a_line_of_text_carries_the_same_ids_and_names_its_target() {
    let server = LoggingServer::start(&[("RUST_LOG", "warn,roundtable::orchestrator=debug")]).await;
    let (session, run, _viewer) = run(&server).await;
    let log = server.stop().await;
    let completed = log.lines().rev().find(|line| line.contains("turn completed")).expect("a turn");
    for part in ["DEBUG session:turn: roundtable::orchestrator::turns: turn completed", &session, &run, "attempt=1"] {
        assert!(completed.contains(part), "{part} in {completed}");
    }
    assert!(log.lines().all(|line| line.contains("roundtable::orchestrator::") || line.contains(" WARN ")), "{log}");
}

#[tokio::test]
async fn a_filter_can_name_the_field_of_a_span() {
    let server = LoggingServer::start(&[("RUST_LOG", "warn,[{agent=TestCase_Reviewer}]=debug")]).await;
    let _viewer = run(&server).await;
    let log = server.stop().await;
    assert!(log.contains("turn completed"), "{log}");
    assert!(log.lines().all(|line| line.contains("agent=TestCase_Reviewer") || line.contains(" WARN ")), "{log}");
}

#[tokio::test]
async fn a_slow_database_is_one_warning_and_not_one_for_each_command() {
    let fresh = FreshDatabase::sqlite().await;
    let settings = [
        ("ROUNDTABLE_DATABASE_URL", &*fresh.url),
        ("ROUNDTABLE_LOG__JSON", "true"),
        ("ROUNDTABLE_LOG__SLOW_OPERATION_MS", "200"),
    ];
    let server = LoggingServer::start(&settings).await;
    let mut sessions = vec![];
    for _ in 0..4 {
        sessions.push(server.session(json!({})).await);
    }
    let busy = fresh.lock().await;
    let mut waiting = vec![];
    for session in &sessions {
        let path = format!("{}/api/v1/sessions/{session}/commands", server.address);
        let body = json!({ "id": "c1", "do": "set", "data": { "title": "xyzzy-77" } });
        waiting.push(tokio::spawn(client().post(path).bearer_auth(&server.token).json(&body).send()));
    }
    let first = timeout(Duration::from_millis(600), &mut waiting[0]).await;
    assert!(first.is_err(), "waits for the database");
    busy.release().await;
    for answer in waiting {
        assert_eq!(with_timeout(answer).await.expect("ends").expect("answers").status(), StatusCode::OK);
    }
    let log = server.stop().await;
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let slow: Vec<_> = lines.filter(|line| line["message"] == "slow operation").map(|line| fields(&line)).collect();
    for kind in ["store append", "command"] {
        let of_kind: Vec<_> = slow.iter().filter(|line| line["operation"] == kind).collect();
        assert_eq!(of_kind.len(), 1, "{kind}: {log}");
        assert!(of_kind[0]["level"] == "WARN" && of_kind[0]["duration_ms"].as_u64() >= Some(200), "{of_kind:?}");
    }
    let command = slow.iter().find(|line| line["operation"] == "command").expect("a command");
    assert!(sessions.iter().any(|session| command["session"] == **session) && command.contains_key("request"));
    assert!(!log.contains("xyzzy-77"), "{log}");
}
