//! Callers that start an execution, wait for it or resume its stream, and the requests that are rejected.

use reqwest::{Method, StatusCode};
use roundtable::identity::{SecretHash, ServerRole};
use serde_json::{Value, json};

use crate::door_executions::{ExecutionHarness, input};
use crate::door_teams::{create, document, share};
use crate::server::{Server, json as body_of, with_timeout};

#[tokio::test]
async fn an_invalid_resume_position_starts_no_execution() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let team = create(&server, &ann, &document()).await;
    let path = format!("/api/v1/teams/{team}/execute");
    for (key, expected) in [(None, "send its Idempotency-Key too"), (Some("k_1"), "the log of the execution ends at 0")]
    {
        let request = server.as_person(&ann, Method::POST, &path).header("last-event-id", "44");
        let request = key.into_iter().fold(request, |request, key| request.header("idempotency-key", key));
        let refused = request.json(&json!({ "input": { "task": "Why?" } })).send().await.expect("answers");
        let refused = body_of(refused, StatusCode::BAD_REQUEST).await;
        assert_eq!(refused["code"], "invalid_argument");
        assert!(refused["error_message"].as_str().is_some_and(|text| text.contains(expected)), "{refused}");
    }
    assert_eq!(server.get(&ann, &format!("/api/v1/teams/{team}/executions")).await["total"], 0);
}

#[tokio::test]
async fn a_caller_whose_token_is_revoked_while_it_waits_is_unauthenticated() {
    let server = Server::start_with(|config| {
        config.demo.hold_after_tokens = Some(1);
        config.identity.revocation_ms = 20;
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let team = create(&server, &ann, &document()).await;
    let body = json!({ "input": { "task": "Why?", "context": { "key": "value" } }, "stream": false });
    let request = server.as_person(&ann, Method::POST, &format!("/api/v1/teams/{team}/execute")).json(&body);
    let waits = tokio::spawn(request.send());
    let listed = format!("/api/v1/teams/{team}/executions");
    with_timeout(async { while server.get(&ann, &listed).await["total"] == 0 {} }).await;
    let token = SecretHash::of(&ann.token).id();
    assert_eq!(server.node.identities.revoke_tokens(&token).await.expect("revokes"), 1);
    let answer = with_timeout(waits).await.expect("ends").expect("answers");
    let refused = body_of(answer, StatusCode::UNAUTHORIZED).await;
    assert_eq!((&refused["error_code"], &refused["retryable"]), (&json!("UNAUTHENTICATED"), &json!(false)));
}

#[tokio::test]
async fn executions_require_the_right_and_the_membership() {
    let harness = ExecutionHarness::new().await;
    let [ben, cleo] = [
        harness.server.person("Ben", ServerRole::Member).await,
        harness.server.person("Cleo", ServerRole::Member).await,
    ];
    let body = json!({ "input": input("Why do orders fail?"), "stream": false });
    let hidden = body_of(harness.execute(&ben, &body).await, StatusCode::NOT_FOUND).await;
    assert_eq!(hidden["error_code"], "TEAM_NOT_FOUND");
    share(&harness.server, &harness.ann, &harness.team, ben.participant.id, "read").await;
    let refused = body_of(harness.execute(&ben, &body).await, StatusCode::FORBIDDEN).await;
    assert_eq!(refused["code"], "forbidden");
    share(&harness.server, &harness.ann, &harness.team, ben.participant.id, "execute").await;
    let id =
        body_of(harness.execute(&ben, &body).await, StatusCode::OK).await["id"].as_str().expect("an id").to_owned();
    for who in [&harness.ann, &cleo] {
        for path in ["", "/log", "/metrics", "/events"] {
            let path = format!("executions/{id}{path}");
            let hidden = harness.request(who, Method::GET, &path).send().await.expect("answers");
            assert_eq!(body_of(hidden, StatusCode::NOT_FOUND).await["error_code"], "EXECUTION_NOT_FOUND", "{path}");
        }
    }
    assert_eq!(
        harness.get(&format!("teams/{}/executions", harness.team)).await["total"],
        0,
        "Ann is not in the session"
    );
}

#[tokio::test]
async fn a_request_that_cannot_be_executed_leaves_no_session() {
    let harness = ExecutionHarness::new().await;
    let refused = async |body: Value| {
        let body = body_of(harness.execute(&harness.ann, &body).await, StatusCode::BAD_REQUEST).await;
        body["error_message"].as_str().expect("text").to_owned()
    };
    assert!(refused(json!({ "input": { "task": " \u{200b}" } })).await.starts_with("input.task is empty"));
    assert!(refused(json!({ "input": input("x"), "timeout_seconds": 0 })).await.contains("1 to 1800"));
    assert!(refused(json!({ "input": input("x"), "timeout_seconds": 1801 })).await.contains("1 to 1800"));
    let text = refused(json!({ "input": { "task": "x", "context": 1 } })).await;
    assert!(text.contains("invalid at /input/context") && text.contains("an object"), "{text}");
    let twice = r#"{"input": {"task": "x", "context": {"a": {"limit": 1, "limit": 100}}}}"#;
    let path = format!("teams/{}/execute", harness.team);
    let answer = harness.request(&harness.ann, Method::POST, &path).body(twice).send().await.expect("answers");
    let text = body_of(answer, StatusCode::BAD_REQUEST).await["error_message"].to_string();
    assert!(text.contains("limit") && text.contains("occurs twice"), "{text}");
    let mut needs = document();
    needs["topology"]["nodes"][0]["agents"][0]["user_prompt_template"] = json!("{task} in {context.region}");
    let path = format!("/api/v1/teams/{}", harness.team);
    let replaced =
        harness.server.as_person(&harness.ann, Method::PUT, &path).json(&needs).send().await.expect("answers");
    body_of(replaced, StatusCode::OK).await;
    let text = refused(json!({ "input": { "task": "x" } })).await;
    assert!(text.contains("node-a/agent-1") && text.contains("context.region"), "{text}");
    let change = harness.server.as_person(&harness.ann, Method::PATCH, &path).json(&json!({ "status": "inactive" }));
    body_of(change.send().await.expect("answers"), StatusCode::OK).await;
    let off = harness.execute(&harness.ann, &json!({ "input": input("x") })).await;
    assert_eq!(body_of(off, StatusCode::CONFLICT).await["error_code"], "TEAM_INACTIVE");
    assert_eq!(harness.get("sessions").await["sessions"], json!([]));
}
