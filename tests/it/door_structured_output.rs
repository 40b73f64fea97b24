//! Structured output that an execution stores: its outcomes, before and after a restart, and their redaction.

use reqwest::{Method, StatusCode};
use roundtable::demo_model::Mistake;
use roundtable::identity::ServerRole;
use serde_json::{Value, json};

use crate::door_executions::ExecutionHarness;
use crate::server::{Server, json as body_of};
use crate::socket_harness::WebSocketClient;

fn schema() -> Value {
    json!({ "type": "object", "properties": { "code": { "type": "integer" } }, "required": ["code"] })
}

/// Requests structured output, and returns the response.
async fn request_output(harness: &ExecutionHarness, status: StatusCode) -> Value {
    let path = format!("teams/{}/structured-output", harness.team);
    let request = harness.request(&harness.ann, Method::POST, &path).json(&json!({ "output_schema": schema() }));
    body_of(request.send().await.expect("answers"), status).await
}

async fn stored_outputs(harness: &ExecutionHarness, id: &str) -> Vec<Value> {
    let execution = harness.get(&format!("executions/{id}")).await;
    execution["structured_outputs"].as_array().expect("a list").clone()
}

/// Requests the file of an entry, and returns the response.
async fn fetch_file(harness: &ExecutionHarness, id: &str, file: &Value) -> reqwest::Response {
    let session = harness.get(&format!("executions/{id}")).await["session_id"].as_str().expect("an id").to_owned();
    let (name, version) = (file["name"].as_str().expect("a name"), &file["version"]);
    let path = format!("sessions/{session}/files/{name}?version={version}");
    harness.request(&harness.ann, Method::GET, &path).send().await.expect("answers")
}

#[tokio::test]
async fn a_request_with_a_key_names_its_execution() {
    let harness = ExecutionHarness::new().await;
    harness.execute_to_end().await;
    let path = format!("teams/{}/structured-output", harness.team);
    let body = json!({ "output_schema": schema() });
    let request = harness.request(&harness.ann, Method::POST, &path).header("idempotency-key", "k").json(&body);
    let refused = body_of(request.send().await.expect("answers"), StatusCode::BAD_REQUEST).await;
    assert!(refused["error_message"].as_str().is_some_and(|text| text.contains("set execution_id")), "{refused}");
}

#[tokio::test]
async fn results_of_a_later_run_are_not_those_of_the_execution() {
    let harness = ExecutionHarness::new().await;
    let response = harness.execute_to_end().await;
    let (id, session) = (&response["id"], response["session_id"].as_str().expect("an id"));
    let path = format!("teams/{}/structured-output", harness.team);
    let body = json!({ "execution_id": id, "output_schema": { "type": "object" } });
    let send = async || {
        let request = harness.request(&harness.ann, Method::POST, &path).header("idempotency-key", "k").json(&body);
        request.send().await.expect("answers")
    };
    let first = body_of(send().await, StatusCode::OK).await;
    let mut client = WebSocketClient::connect_to_server(&harness.server, &harness.ann).await;
    client.join(session.parse().expect("an id"), None).await;
    let say = json!({ "type": "command", "session": session, "id": "c_1", "do": "say", "data": { "text": "Again." } });
    client.send(say).await;
    while client.wait_for("event").await["event"] != "run.finished" {}
    assert_eq!(body_of(send().await, StatusCode::OK).await, first, "the same request gets the same output");
    let request = harness.request(&harness.ann, Method::POST, &path).json(&body);
    let refused = body_of(request.send().await.expect("answers"), StatusCode::CONFLICT).await;
    assert_eq!(refused["error_code"], "NO_RESULT", "{refused}");
    assert!(refused["error_message"].as_str().is_some_and(|text| text.contains("another run followed")), "{refused}");
}

#[tokio::test]
async fn outcomes_are_stored_with_their_execution_and_outlive_a_restart() {
    let mistaken = Server::start_with(|config| config.demo.mistake = Some(Mistake::Value)).await;
    let harness = ExecutionHarness::on_server(mistaken).await;
    let id = harness.execute_to_end().await["id"].as_str().expect("an id").to_owned();
    assert_eq!(stored_outputs(&harness, &id).await, Vec::<Value>::new());
    let failed = request_output(&harness, StatusCode::UNPROCESSABLE_ENTITY).await;
    let invalid = stored_outputs(&harness, &id).await.pop().expect("an entry");
    assert_eq!((&invalid["status"], &invalid["output_schema"]), (&json!("invalid"), &schema()), "{invalid}");
    assert_eq!(invalid["schema_validation"], failed["schema_validation"]);
    assert_eq!(invalid["schema_validation"]["errors"][0]["path"], "$.code", "{invalid}");
    assert_eq!(invalid["partial_output"], failed["partial_output"]);
    assert_eq!((&invalid["structured_output"], &invalid["file"]), (&Value::Null, &Value::Null));
    assert_eq!((&invalid["requested_by"]["name"], &invalid["redacted"]), (&json!("Ann"), &json!(false)));

    let ExecutionHarness { server, ann, team } = harness;
    let server = Server::start_in(server.stop().await, |_| {}).await;
    let harness = ExecutionHarness { server, ann, team };
    let written = request_output(&harness, StatusCode::OK).await;
    let before = stored_outputs(&harness, &id).await;
    let [first, valid] = &before[..] else { panic!("{before:?}") };
    assert_eq!(first, &invalid, "the same after a restart");
    assert_eq!((&valid["status"], &valid["structured_output"]), (&json!("valid"), &written["structured_output"]));
    assert_eq!(valid["schema_validation"], json!({ "valid": true, "errors": [] }));
    assert_eq!((&valid["partial_output"], &valid["error_code"]), (&Value::Null, &Value::Null), "{valid}");
    assert_eq!(valid["file"], json!({ "name": "structured-output.json", "version": 1 }));
    assert_eq!(written["file"], valid["file"]);
    assert!(valid["requested_at"].as_str() <= valid["timestamp"].as_str(), "{valid}");

    let ExecutionHarness { server, ann, team } = harness;
    let server = Server::start_in(server.stop().await, |_| {}).await;
    let harness = ExecutionHarness { server, ann, team };
    assert_eq!(stored_outputs(&harness, &id).await, before);
    let content = fetch_file(&harness, &id, &valid["file"]).await;
    assert_eq!(body_of(content, StatusCode::OK).await, written["structured_output"]);
}

#[tokio::test]
async fn a_redacted_message_takes_its_output_and_its_file_along() {
    let harness = ExecutionHarness::new().await;
    let id = harness.execute_to_end().await["id"].as_str().expect("an id").to_owned();
    let written = request_output(&harness, StatusCode::OK).await["structured_output"].clone();
    let file = stored_outputs(&harness, &id).await[0]["file"].clone();
    let session = harness.get(&format!("executions/{id}")).await["session_id"].as_str().expect("an id").to_owned();
    let log = harness.get(&format!("sessions/{session}/log?limit=1000")).await;
    let produced = log["events"].as_array().expect("events").iter().find(|event| event["event"] == "output.produced");
    let message = produced.expect("an output")["data"]["message"].clone();
    let command = json!({ "id": "r1", "do": "redact", "data": { "message": message } });
    let path = format!("/api/v1/sessions/{session}/commands");
    let (status, answer) = harness.server.post(&harness.ann, &path, &command).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let entry = stored_outputs(&harness, &id).await.pop().expect("the entry stays");
    assert_eq!((&entry["status"], &entry["redacted"]), (&json!("valid"), &json!(true)), "{entry}");
    assert_eq!((&entry["structured_output"], &entry["file"]), (&Value::Null, &Value::Null), "{entry}");
    assert_ne!(written, Value::Null);
    assert_eq!(fetch_file(&harness, &id, &file).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_run_that_ends_without_output_is_stored_with_its_error() {
    let harness = ExecutionHarness::new().await;
    let id = harness.execute_to_end().await["id"].as_str().expect("an id").to_owned();
    let ExecutionHarness { server, ann, team } = harness;
    let data = server.stop().await;
    let broken = |config: &mut roundtable::config::Config| {
        config.demo.fault = Some(roundtable::demo_model::Fault::Unauthorized);
    };
    let harness = ExecutionHarness { server: Server::start_in(data, broken).await, ann, team };
    request_output(&harness, StatusCode::CONFLICT).await;
    let entry = stored_outputs(&harness, &id).await.pop().expect("an entry");
    assert_eq!((&entry["status"], &entry["schema_validation"]), (&json!("failed"), &Value::Null), "{entry}");
    assert!(entry["error_code"].is_string() && entry["error_message"].is_string(), "{entry}");
    let bob = harness.server.person("Bob", ServerRole::Member).await;
    let path = format!("executions/{id}");
    let hidden = harness.request(&bob, Method::GET, &path).send().await.expect("answers");
    assert_eq!(hidden.status(), StatusCode::NOT_FOUND);
}
