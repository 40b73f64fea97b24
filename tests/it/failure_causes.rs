//! The log line about a failed model request contains the causes, which people do not see, and no secrets.

use serde_json::{Value, json};

use crate::command_line::client;
use crate::logs::{LoggingServer, fields};
use crate::server::with_timeout;
use crate::sse::SseReader;

/// Settings of a provider whose address nothing listens on. The address contains secrets.
const CONFIGURATION: &str = r#"
[providers]
default = "mine/m"
titles = false

[providers.named.mine]
base_url = "http://ann:planted-password@127.0.0.1:1/planted-path?key=planted-query"
api_key = "planted-key"
"#;

#[tokio::test]
async fn a_refused_connection_is_logged_with_its_causes() {
    let settings =
        [("ROUNDTABLE_ONLY_DEMO_MODEL", "false"), ("ROUNDTABLE_LOG__JSON", "true"), ("RUST_LOG", "roundtable=debug")];
    let server = LoggingServer::start_configured(&settings, CONFIGURATION).await;
    let session = server.session(json!({ "message": "planted-task" })).await;
    let events = client().get(format!("{}/api/v1/sessions/{session}/events", server.address));
    let events = with_timeout(events.bearer_auth(&server.token).send()).await.expect("answers");
    let mut stream = SseReader::of(events);
    let failed = loop {
        let event = stream.next().await.expect("goes on").data;
        if event["event"] == "attempt.failed" {
            break event;
        }
    };
    let seen = failed.to_string();
    assert!(seen.contains("model_unavailable") && !seen.contains("refused") && !seen.contains("planted"), "{seen}");
    drop(stream);
    let log = server.stop().await;
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines.into_iter().find(|line| line["message"] == "model request failed");
    let line = fields(&line.unwrap_or_else(|| panic!("no such line: {log}")));
    assert_eq!((&line["level"], &line["error"]), (&json!("WARN"), &json!("model_unavailable")), "{line:?}");
    assert_eq!((&line["provider"], &line["failures"]), (&json!("mine"), &json!(1)), "{line:?}");
    let causes = line["causes"].as_str().expect("causes");
    assert!(causes.starts_with("Connection refused (os error 111) <- "), "{causes}");
    assert_eq!((&line["session"], line["attempt"].as_u64()), (&json!(session), Some(1)), "{line:?}");
    assert!(line["run"].is_string() && line["message_id"].is_string() && line["agent"].is_string(), "{line:?}");
    assert!(!log.contains("planted"), "{log}");
}
