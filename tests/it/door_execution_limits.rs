//! Limits of executions through the door `teams`: time, size, retention and input for structured output.

use reqwest::{Method, StatusCode};
use roundtable::clock;
use roundtable::config::Config;
use serde_json::{Value, json};

use crate::door_executions::{ExecutionHarness, input};
use crate::door_teams::{create, document};
use crate::server::{Server, json as body_of};

const DAYS: u64 = 24 * 60 * 60 * 1000;

#[tokio::test]
async fn the_time_limit_is_that_of_the_request_or_otherwise_of_the_team() {
    let mut harness = ExecutionHarness::new().await;
    let mut short = document();
    short["timeout_seconds"] = json!(77);
    harness.team = create(&harness.server, &harness.ann, &short).await;
    for (more, limit) in [(json!({}), 77), (json!({ "timeout_seconds": 78.0 }), 78)] {
        let mut body = json!({ "input": input("Why?"), "stream": false });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let done = body_of(harness.execute(&harness.ann, &body).await, StatusCode::OK).await;
        let shown = harness.get(&format!("executions/{}", done["id"].as_str().expect("an id"))).await;
        assert_eq!(shown["input"]["timeout_seconds"], limit, "{shown}");
    }
}

#[tokio::test]
async fn an_execution_ends_at_the_time_limit_of_its_team() {
    let mut harness = ExecutionHarness::start_held().await;
    let mut short = document();
    short["timeout_seconds"] = json!(1);
    harness.team = create(&harness.server, &harness.ann, &short).await;
    let body = json!({ "input": input("Why?"), "stream": false });
    let late = body_of(harness.execute(&harness.ann, &body).await, StatusCode::REQUEST_TIMEOUT).await;
    assert_eq!(late["error_code"], "EXECUTION_TIMEOUT", "{late}");
}

#[tokio::test]
async fn an_execution_is_in_the_history_for_thirty_days() {
    assert_eq!(Config::default().teams.execution_retention_days, 30);
    let server = Server::start_with(|config| config.sessions.expire_hours = 24 * 365).await;
    let harness = ExecutionHarness::on_server(server).await;
    let done = harness.execute_to_end().await;
    let session = done["session_id"].as_str().expect("an id").to_owned();
    let total = async || harness.get(&format!("teams/{}/executions", harness.team)).await["total"].clone();
    harness.server.node.sweeper.sweep_at(clock::now().plus(29 * DAYS)).await;
    assert_eq!(total().await, 1, "it is still there");
    harness.server.node.sweeper.sweep_at(clock::now().plus(31 * DAYS)).await;
    assert_eq!(total().await, 0, "it is over");
    let path = format!("executions/{}", done["id"].as_str().expect("an id"));
    let gone = harness.request(&harness.ann, Method::GET, &path).send().await.expect("answers");
    assert_eq!(body_of(gone, StatusCode::NOT_FOUND).await["error_code"], "EXECUTION_NOT_FOUND");
    let redacted = harness.get(&format!("sessions/{session}")).await;
    assert_eq!(redacted["state"]["closed"], true, "{redacted}");
}

#[tokio::test]
async fn a_huge_body_starts_no_execution() {
    let harness = ExecutionHarness::new().await;
    let text = "x".repeat(10 << 20);
    for path in ["execute", "structured-output"] {
        for body in [json!({ "input": { "task": text } }).to_string(), text.clone()] {
            let path = format!("teams/{}/{path}", harness.team);
            let sent = harness.request(&harness.ann, Method::POST, &path).body(body).send().await.expect("answers");
            let refused = body_of(sent, StatusCode::PAYLOAD_TOO_LARGE).await;
            assert_eq!(refused["error_code"], "TOO_LARGE", "{path}: {refused}");
            assert!(refused["details"]["max_bytes"].is_u64(), "{path}: {refused}");
        }
    }
    assert_eq!(harness.get("sessions").await["sessions"], json!([]));
}

#[tokio::test]
async fn bad_input_for_structured_output_gets_a_coded_error() {
    let harness = ExecutionHarness::new().await;
    let id = harness.execute_to_end().await["id"].clone();
    let deep = (0..40).fold(json!({}), |inner, _| json!({ "properties": { "x": inner } }));
    let path = format!("teams/{}/structured-output", harness.team);
    let cases: [(&str, String, StatusCode, &str); 12] = [
        ("nothing", String::new(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("no JSON", "{".into(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("a list", "[]".into(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("no schema", "{}".into(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("a null", json!({ "output_schema": null }).to_string(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("a text", json!({ "output_schema": "{}" }).to_string(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        (
            "an unknown type",
            json!({ "output_schema": { "type": "strange" } }).to_string(),
            StatusCode::BAD_REQUEST,
            "INVALID_REQUEST",
        ),
        ("a deep schema", json!({ "output_schema": deep }).to_string(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        (
            "a long schema",
            json!({ "output_schema": { "description": "x".repeat(70_000) } }).to_string(),
            StatusCode::PAYLOAD_TOO_LARGE,
            "TOO_LARGE",
        ),
        (
            "an unknown field",
            json!({ "output_schema": {}, "schema": {} }).to_string(),
            StatusCode::BAD_REQUEST,
            "INVALID_REQUEST",
        ),
        (
            "a name twice",
            r#"{ "output_schema": { "type": "object", "type": "string" } }"#.into(),
            StatusCode::BAD_REQUEST,
            "INVALID_REQUEST",
        ),
        (
            "no id of an execution",
            json!({ "execution_id": "exec-1", "output_schema": {} }).to_string(),
            StatusCode::NOT_FOUND,
            "EXECUTION_NOT_FOUND",
        ),
    ];
    for (name, body, status, code) in cases {
        let sent = harness.request(&harness.ann, Method::POST, &path).body(body).send().await.expect("answers");
        let refused: Value = body_of(sent, status).await;
        assert_eq!((&refused["error_code"], &refused["status"]), (&json!(code), &json!("failed")), "{name}: {refused}");
        assert_eq!(refused["retryable"], false, "{name}: {refused}");
    }
    let shown = harness.get(&format!("executions/{}", id.as_str().expect("an id"))).await;
    assert_eq!(shown["structured_outputs"], json!([]), "nothing was written");
}
