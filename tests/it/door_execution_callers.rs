//! Callers who wait for an execution or continue its stream, and what they may not do.

use reqwest::{Method, StatusCode};
use roundtable::identity::{SecretHash, ServerRole};
use serde_json::json;

use crate::door_teams::{create, document};
use crate::server::{Server, json as body_of, soon};

#[tokio::test]
async fn a_position_in_no_log_starts_no_execution() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let team = create(&server, &ann, &document()).await;
    let path = format!("/api/v1/teams/{team}/execute");
    for (key, words) in [(None, "send its Idempotency-Key too"), (Some("k_1"), "the log of the execution ends at 0")] {
        let asked = server.as_person(&ann, Method::POST, &path).header("last-event-id", "44");
        let asked = key.into_iter().fold(asked, |asked, key| asked.header("idempotency-key", key));
        let refused = asked.json(&json!({ "input": { "task": "Why?" } })).send().await.expect("answers");
        let refused = body_of(refused, StatusCode::BAD_REQUEST).await;
        assert_eq!(refused["code"], "invalid_argument");
        assert!(refused["error_message"].as_str().is_some_and(|text| text.contains(words)), "{refused}");
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
    soon(async { while server.get(&ann, &listed).await["total"] == 0 {} }).await;
    let token = SecretHash::of(&ann.token).id();
    assert_eq!(server.node.identities.revoke_tokens(&token).await.expect("revokes"), 1);
    let answer = soon(waits).await.expect("ends").expect("answers");
    let refused = body_of(answer, StatusCode::UNAUTHORIZED).await;
    assert_eq!((&refused["error_code"], &refused["retryable"]), (&json!("UNAUTHENTICATED"), &json!(false)));
}
