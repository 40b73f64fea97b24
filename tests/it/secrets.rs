//! Secrets that are planted in prompts, contexts, headers and keys, and then searched for in everything that an
//! execution leaves behind.

use std::future::IntoFuture;
use std::path::Path;

use axum::http::{HeaderMap, StatusCode};
use roundtable::demo_model::{DemoModel, DemoSettings};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::command_line::{client, roundtable, start_with_metrics};
use crate::server::with_timeout;

/// Values that only the server may know: they must not appear anywhere.
const KEYS: [&str; 3] = ["sk-planted-api-key", "planted-header-value", "planted-idempotency-key"];
/// Values that participants of the session may read, but that must not appear in logs, metrics or the audit log.
const TEXTS: [&str; 4] = ["planted-system-prompt", "planted-template", "planted-context", "planted-task"];

/// Starts a provider that refuses every request and echoes its headers, including the key. Returns its address.
async fn echo() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("an address");
    let refuse = async |headers: HeaderMap| (StatusCode::UNAUTHORIZED, format!("{headers:?}"));
    tokio::spawn(axum::serve(listener, axum::Router::new().fallback(refuse)).into_future());
    format!("http://{address}")
}

fn configuration(demo: &str, echo: &str) -> String {
    let provider =
        |name: &str, url: &str| format!("[providers.named.{name}]\nbase_url = \"{url}\"\napi_key = \"{}\"\n", KEYS[0]);
    let providers = [provider("good", demo), provider("echo", echo)].concat();
    format!("[log]\nfilter = \"debug\"\n[providers]\ndefault = \"good/demo\"\ntitles = false\n{providers}")
}

fn document() -> Value {
    let mut document = crate::door_teams::document();
    let text = document.to_string().replace(r#""model_provider":"demo""#, r#""model_provider":"good""#);
    document = serde_json::from_str(&text).expect("JSON");
    let agents = &mut document["topology"]["nodes"][0]["agents"];
    agents[0]["system_prompt"] = json!(TEXTS[0]);
    agents[0]["user_prompt_template"] = json!(format!("{} {{context.word}} {{task}}", TEXTS[1]));
    agents[1]["model_provider"] = json!("echo");
    document
}

fn found<'a>(secrets: &'a [&str], place: &str) -> Vec<&'a str> {
    secrets.iter().copied().filter(|secret| place.contains(secret)).collect()
}

fn at_rest(data: &Path) -> String {
    let files = ["roundtable.db", "roundtable.db-wal"].map(|name| std::fs::read(data.join("data").join(name)));
    files.into_iter().flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_of_an_execution_contain_no_secret() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("binds");
    listener.set_nonblocking(true).expect("sets");
    let demo = DemoModel::spawn(TcpListener::from_std(listener).expect("a listener"), DemoSettings::fast());
    let demo = demo.expect("starts");
    let data = tempfile::tempdir().expect("makes a folder");
    let config = data.path().join("roundtable.toml");
    std::fs::write(&config, configuration(&demo.base_url(), &echo().await)).expect("writes");
    let config = config.to_str().expect("UTF-8");
    let mut create = roundtable(&data, &["token", "create", "--name", "ann", "--role", "admin", "--config", config]);
    let token = with_timeout(create.output()).await.expect("runs").stdout;
    let token = String::from_utf8(token).expect("UTF-8").trim().to_owned();
    let metrics = ["--set", "metrics_listen=127.0.0.1:0", "--config", config];
    let mut serve = roundtable(&data, &[&["serve", "--listen", "127.0.0.1:0"], &metrics[..]].concat());
    let log = data.path().join("log");
    // The tests' environment allows only the demo model.
    serve.env("ROUNDTABLE_ONLY_DEMO_MODEL", "false");
    let (mut process, address, metrics) =
        start_with_metrics(serve.stderr(std::fs::File::create(&log).expect("a file"))).await;

    let get = async |path: &str| {
        let request = client().get(format!("{address}{path}")).bearer_auth(&token).header("x-custom", KEYS[1]);
        with_timeout(request.send()).await.expect("answers").text().await.expect("text")
    };
    let post = async |path: &str, body: Value| {
        let request = client().post(format!("{address}{path}")).bearer_auth(&token).header("x-custom", KEYS[1]);
        let request = request.header("idempotency-key", KEYS[2]).json(&body);
        with_timeout(request.send()).await.expect("answers").json::<Value>().await.expect("JSON")
    };
    let created = post("/api/v1/teams", document()).await;
    assert_eq!(created["status"], "created", "{created}");
    let team = created["team_id"].as_str().expect("an id").to_owned();
    let input = json!({ "task": TEXTS[3], "context": { "word": TEXTS[2] } });
    let done = post(&format!("/api/v1/teams/{team}/execute"), json!({ "input": input, "stream": false })).await;
    assert_eq!(done["status"], "success", "{done}");
    let (id, session) = (done["id"].as_str().expect("an id"), done["session_id"].as_str().expect("an id"));
    let details = get(&format!("/api/v1/executions/{id}")).await;
    assert!(details.contains("MODEL_UNAUTHORIZED"), "the provider refused: {details}");
    assert!(get(&format!("/api/v1/sessions/{session}/log")).await.contains(TEXTS[2]), "participants read it");

    let readable = [
        format!("/api/v1/executions/{id}/log?size=100"),
        format!("/api/v1/executions/{id}/events"),
        format!("/api/v1/executions/{id}/metrics"),
        format!("/api/v1/executions/{id}/metrics?format=prometheus"),
        format!("/api/v1/sessions/{session}"),
        format!("/api/v1/sessions/{session}/log"),
        format!("/api/v1/teams/{team}/export"),
        format!("/api/v1/teams/{team}/export?format=toml"),
        "/api/v1/sessions".into(),
        "/api/v1/server".into(),
    ];
    for path in readable {
        let text = get(&path).await;
        assert_eq!(found(&KEYS, &text), [""; 0], "{path}: {text}");
        assert!(!text.contains(&token), "{path}");
    }
    let metrics = with_timeout(client().get(&metrics).send()).await.expect("answers").text().await.expect("text");
    let (audit, failed) = (get("/api/v1/audit").await, post("/api/v1/teams/nonsense/execute", done.clone()).await);
    let stop = process.id().expect("runs").to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &stop]).status().await.expect("runs").success());
    assert!(with_timeout(process.wait()).await.expect("ends").success());
    let logged = std::fs::read_to_string(log).expect("reads");
    assert!(logged.contains(id) || logged.contains(session), "the log is about the execution");
    for (place, text) in [("metrics", metrics), ("audit", audit), ("error", failed.to_string()), ("log", logged)] {
        assert_eq!(found(&[&KEYS[..], &TEXTS[..]].concat(), &text), [""; 0], "{place}: {text}");
        assert!(!text.contains(&token), "{place}");
    }
    assert_eq!(found(&KEYS, &at_rest(data.path())), [""; 0]);
    assert!(!at_rest(data.path()).contains(&token), "the database knows only its hash");
}
