//! Schemathesis sends generated requests, valid and invalid, to every operation of the OpenAPI document. No response is
//! an internal error, and each has a status, a content type, headers and a schema that the document declares.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use super::server::ServerProcess;

/// The program, which `make test-setup` installs.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/openapi/.venv/bin/schemathesis");
/// Checks of each response.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
    response_schema_conformance";
/// Operations whose responses do not end on their own.
const STREAMS: &str = "^(/AutoAgent|.*/events|.*/stream|.*/execute)$";
/// These operations, plus the one that is served at another address.
const EXCLUDED: &str = "^(/AutoAgent|.*/events|.*/stream|.*/execute|/metrics)$";

/// Operations that are about one session, or list sessions.
const SESSIONS: &str = "^/api/v1/sessions";
/// Name of the configuration of Schemathesis, in the folder of a test.
const CONFIG: &str = "schemathesis.toml";

/// Number of generated requests to each operation. The environment variable `OPENAPI_EXAMPLES` overrides it.
const EXAMPLES: u32 = 5;

/// Creates objects, so that requests get past the access check. Returns the values for most path parameters.
async fn create_objects(server: &ServerProcess) -> Vec<(&'static str, Vec<Value>)> {
    let send = async |method: reqwest::Method, path: &str, body: &'static str| {
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let request = client.request(method, format!("{}{path}", server.url)).bearer_auth(&server.token);
        let answer = request.body(body).send().await.expect("answers");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json::<Value>().await.expect("JSON")
    };
    let mut sessions = vec![];
    for number in 0..12 {
        // Some requests close or redact a session, so there are several, with and without a run.
        let body = if number % 2 == 0 { json!({ "message": "Test the payment interface" }) } else { json!({}) };
        sessions.push(server.post("/api/v1/sessions", body).await["session"].clone());
    }
    let task = server.post("/api/orchestrator/tasks/", json!({ "requirement": "Test the refunds" })).await;
    let mut bases = vec![];
    for number in 0..4 {
        let body = json!({ "name": format!("Rules {number}"), "readers": { "members": true } });
        bases.push(server.post("/api/v1/knowledge", body).await["id"].clone());
    }
    let base = bases.pop().expect("four bases");
    let mut teams = vec![];
    for _ in 0..8 {
        teams.push(server.post("/api/v1/teams", crate::door_teams::document()).await["team_id"].clone());
    }
    let mut executions = vec![];
    for team in &teams[..3] {
        let path = format!("/api/v1/teams/{}/execute", team.as_str().expect("an id"));
        let body = json!({ "input": { "task": "Why do orders fail?" }, "stream": false });
        executions.push(server.post(&path, body).await["execution_id"].clone());
    }
    let session = sessions[0].as_str().expect("an id").to_owned();
    let invite = server.post(&format!("/api/v1/sessions/{session}/invites"), json!({ "role": "viewer" })).await;
    send(reqwest::Method::PUT, &format!("/api/v1/sessions/{session}/files/a.txt"), "line one\nline two\n").await;
    send(reqwest::Method::PUT, &format!("/api/v1/knowledge/{base}/documents/a.txt"), "line one\nline two\n").await;
    server.command(&["token", "create", "--name", "bob", "--role", "member"]).await;
    let found = send(reqwest::Method::GET, "/api/v1/participants?search=bob", "").await;
    let other = found["participants"][0]["id"].clone();
    let path = format!("/api/v1/participants/{}/credentials", other.as_str().expect("an id"));
    let credentials = send(reqwest::Method::GET, &path, "").await;
    let conversation = format!("team_session_{}", session.trim_start_matches("s_"));
    vec![
        ("session", sessions),
        ("id", vec![task["id"].clone()]),
        ("participant", vec![other]),
        ("base", vec![base]),
        ("team", teams),
        ("execution", executions),
        ("name", vec!["a.txt".into(), "b.md".into()]),
        ("invite", vec![invite["id"].clone()]),
        ("credential", vec![credentials["credentials"][0]["id"].clone()]),
        ("conversation", vec![conversation.into()]),
        (REMOVABLE, bases),
    ]
}

/// Name of the list of knowledge bases that requests can remove. The list is separate, so that one knowledge base with
/// a document remains.
const REMOVABLE: &str = "removable";

/// Returns the configuration of Schemathesis.
fn configuration(known: &[(&str, Vec<Value>)]) -> String {
    let mut text = String::new();
    for (name, values) in known {
        text += &format!("[dictionaries.{name}]\nvalues = {}\n\n", json!(values));
    }
    text += "[parameters]\n";
    for (name, _) in known.iter().filter(|(name, _)| *name != REMOVABLE) {
        text += &format!("\"path.{name}\" = {{ dictionary = \"{name}\", probability = 0.8 }}\n");
    }
    text += &format!(
        "\n[[operations]]\ninclude-name = \"DELETE /api/v1/knowledge/{{base}}\"\n\
         parameters = {{ \"path.base\" = {{ dictionary = \"{REMOVABLE}\", probability = 1.0 }} }}\n"
    );
    // The body of this operation is one of many commands.
    text + "\n[[operations]]\ninclude-name = \"POST /api/v1/sessions/{session}/commands\"\n\
            generation.max-examples = 80\n"
}

/// A server, with objects that requests can name.
struct Target {
    server: ServerProcess,
    folder: TempDir,
    authorization: String,
}

impl Target {
    async fn start() -> Self {
        assert!(Path::new(PROGRAM).exists(), "run `make test-setup`, which installs Schemathesis");
        let limits = ["ADDRESS", "REQUEST", "EXPENSIVE", "STRANGER", "JOIN", "CHAT", "CONTROL", "REDACTION"];
        let limits: Vec<(&str, &str)> = limits
            .iter()
            .flat_map(|name| ["BURST", "PER_SECOND"].map(|field| format!("ROUNDTABLE_RATE_LIMITS__{name}__{field}")))
            .map(|name| (&*name.leak(), "1000000"))
            .collect();
        let server = ServerProcess::start(&limits).await;
        let folder = tempfile::tempdir().expect("makes a folder");
        std::fs::write(folder.path().join(CONFIG), configuration(&create_objects(&server).await)).expect("writes");
        let authorization = format!("Authorization: Bearer {}", server.token);
        Self { server, folder, authorization }
    }

    /// Runs Schemathesis with a credential on the operations that these arguments select.
    async fn check(&self, selection: &[&str]) {
        let examples = std::env::var("OPENAPI_EXAMPLES").map_or(EXAMPLES, |number| number.parse().expect("a number"));
        run(self, examples, &[&["--header", &self.authorization], selection].concat()).await;
    }
}

// Schemathesis uses one thread, so the operations are divided among several tests.

#[tokio::test(flavor = "multi_thread")]
async fn requests_about_sessions_get_documented_responses() {
    Target::start().await.check(&["--include-path-regex", SESSIONS, "--exclude-path-regex", EXCLUDED]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_requests_get_documented_responses() {
    let excluded = format!("{SESSIONS}|{EXCLUDED}");
    Target::start().await.check(&["--exclude-path-regex", &excluded]).await;
}

/// A valid request to one of these operations starts a stream, and Schemathesis would wait for its end.
#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_for_streams_get_documented_responses() {
    Target::start().await.check(&["--include-path-regex", STREAMS, "--mode", "negative"]).await;
}

/// Without a credential, all requests to an operation get the same response, so two requests are enough.
#[tokio::test(flavor = "multi_thread")]
async fn requests_without_a_credential_get_documented_responses() {
    run(&Target::start().await, 2, &["--exclude-path-regex", EXCLUDED, "--phases", "fuzzing"]).await;
}

/// Runs Schemathesis on the operations that these arguments select. Each operation gets `examples` generated requests,
/// and requests that cover the values of its schema.
async fn run(target: &Target, examples: u32, arguments: &[&str]) {
    let seed = std::env::var("OPENAPI_SEED").unwrap_or_else(|_| "1".to_owned());
    let output = Command::new(PROGRAM)
        .args(["--config-file", CONFIG, "run", &format!("{}/api/openapi.json", target.server.url)])
        .args(["--checks", CHECKS])
        .args(arguments)
        .args(["--seed", &seed, "--max-examples", &examples.to_string(), "--workers", "1"])
        .args(["--request-timeout", "20"])
        .args(["--generation-database", "none", "--suppress-health-check", "all", "--warnings", "off"])
        .current_dir(target.folder.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .expect("runs");
    assert!(
        output.status.success(),
        "replay with: OPENAPI_SEED={seed} cargo test --test it process::openapi\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
