//! Front ends served from another origin: which origins may send requests, which parts of a response they may read, and
//! that none of them may use cookies.

use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use serde_json::json;

use crate::server::Server;

const FRONT_END: &str = "https://app.example.com";
const DOOR: &str = "/api/team-chat/stream";

async fn server() -> Server {
    Server::start_with(|config: &mut Config| config.http.cors_origins = vec![FRONT_END.into()]).await
}

/// Returns the origin that the response to a preflight request from this origin allows.
async fn preflight(server: &Server, origin: &str) -> Option<String> {
    let request = server.request(Method::OPTIONS, DOOR).header("origin", origin);
    let request = request.header("access-control-request-method", "POST");
    let request = request.header("access-control-request-headers", "authorization,content-type");
    let answer = request.send().await.expect("answers");
    let allowed = answer.headers().get("access-control-allow-origin")?;
    assert!(answer.status().is_success());
    assert!(answer.headers().get("access-control-allow-credentials").is_none(), "a cookie is never theirs");
    Some(allowed.to_str().expect("text").to_owned())
}

#[tokio::test]
async fn only_pages_of_configured_origins_are_allowed() {
    let server = server().await;
    assert_eq!(preflight(&server, FRONT_END).await.as_deref(), Some(FRONT_END));
    for other in ["https://evil.example", "https://app.example.com.evil.example", "http://app.example.com", "null"] {
        assert_eq!(preflight(&server, other).await, None, "{other}");
    }
    assert_eq!(preflight(&Server::start().await, FRONT_END).await, None, "none is configured");
}

#[tokio::test]
async fn a_front_end_can_read_the_conversation_id_and_errors() {
    let server = server().await;
    let begin = server.request(Method::POST, DOOR).header("origin", FRONT_END);
    let answer = begin.json(&json!({ "message": "write" })).send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::OK);
    let exposed = answer.headers()["access-control-expose-headers"].to_str().expect("text").to_owned();
    assert!(exposed.contains("x-conversation-id") && answer.headers().contains_key("x-conversation-id"), "{exposed}");
    let refused = server.request(Method::POST, DOOR).header("origin", FRONT_END).body("{");
    let refused = refused.send().await.expect("answers");
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused.headers()["access-control-allow-origin"], FRONT_END);
}

#[tokio::test]
async fn a_front_end_can_read_the_session_to_resume() {
    let server = server().await;
    for (path, body) in [
        ("/AutoAgent", json!({ "requestId": "r-1", "query": "hello", "agentType": 5 })),
        ("/api/v1/analyze/stream", json!({ "original_input": "why?" })),
    ] {
        let request = server.request(Method::POST, path).header("origin", FRONT_END);
        let answer = request.json(&body).send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        let exposed = answer.headers()["access-control-expose-headers"].to_str().expect("text").to_owned();
        assert!(exposed.contains("x-session-id") && answer.headers().contains_key("x-session-id"), "{path}: {exposed}");
    }
}

#[tokio::test]
async fn a_front_end_uses_tokens_and_no_cookies() {
    let server = server().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let sign_in = || server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": ann.token }));
    let own = sign_in().send().await.expect("answers");
    let cookie = own.headers()["set-cookie"].to_str().expect("text").split(';').next().expect("a pair").to_owned();
    let from_there = sign_in().header("origin", FRONT_END).send().await.expect("answers");
    assert!(from_there.headers().get("set-cookie").is_none(), "its visitors do not become somebody else here");

    let create = |origin: Option<&str>| {
        let request = server.request(Method::POST, "/api/v1/sessions").json(&json!({}));
        origin.into_iter().fold(request, |request, origin| request.header("origin", origin))
    };
    let status = async |request: reqwest::RequestBuilder| request.send().await.expect("answers").status();
    assert_eq!(status(create(None).header("cookie", &cookie)).await, StatusCode::CREATED);
    assert_eq!(status(create(Some(FRONT_END)).header("cookie", &cookie)).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(create(Some(FRONT_END)).bearer_auth(&ann.token)).await, StatusCode::CREATED);
}
