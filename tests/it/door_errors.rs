//! Errors that occur before a request reaches its door have the format of the door.

use reqwest::header::{HOST, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Method, StatusCode};
use roundtable::limits::RateLimit;
use serde_json::{Value, json};

use crate::server::Server;

/// Returns one operation for each error format, with the fields of its errors. The texts are placeholders.
fn formats(code: &str) -> [(Method, &'static str, Value); 4] {
    let detail = json!({ "detail": "…", "code": code, "retryable": code == "rate_limited" });
    let team = json!({
        "status": "failed", "error_code": code.to_uppercase(), "error_message": "…", "code": code,
        "retryable": code == "rate_limited",
    });
    [
        (Method::POST, "/api/team-chat/stream", json!({ "detail": "…" })),
        (Method::POST, "/api/v1/analyze/stream", detail),
        (Method::POST, "/api/v1/teams", team.clone()),
        (Method::GET, "/api/v1/executions/e_1/log", team),
    ]
}

/// Checks the fields of an error body. Texts need not be equal, and additional data is ignored.
fn check(mut body: Value, expected: &Value, path: &str) {
    let members = body.as_object_mut().expect("an object");
    members.remove("details");
    for text in ["detail", "error_message"] {
        if let Some(text) = members.get_mut(text) {
            assert!(text.as_str().is_some_and(|text| !text.is_empty()), "{path}: {text}");
            *text = json!("…");
        }
    }
    assert_eq!(&body, expected, "{path}");
}

#[tokio::test]
async fn an_invalid_token_or_host_gets_the_format_of_the_door() {
    let server = Server::start().await;
    for (method, path, expected) in formats("unauthenticated") {
        let request = server.request(method, path).bearer_auth("rt_unknown").json(&json!({}));
        let answer = request.send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{path}");
        assert_eq!(answer.headers()[WWW_AUTHENTICATE], "Bearer", "{path}");
        check(answer.json().await.expect("JSON"), &expected, path);
    }
    for (method, path, expected) in formats("wrong_origin") {
        let request = server.request(method, path).header(HOST, "elsewhere.example").json(&json!({}));
        let answer = request.send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path}");
        check(answer.json().await.expect("JSON"), &expected, path);
    }
    let answer = server.request(Method::DELETE, "/api/v1/teams").send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
    let refused: Value = answer.json().await.expect("JSON");
    assert_eq!(refused["error_code"], "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn a_rate_limit_gets_the_format_of_the_door_and_keeps_its_headers() {
    for at in 0..formats("").len() {
        let server = Server::start_with(|config| {
            config.rate_limits.address =
                RateLimit { burst: 1.try_into().expect("not 0"), per_second: 1.try_into().expect("not 0") };
        })
        .await;
        let (method, path, expected) = formats("rate_limited").into_iter().nth(at).expect("is one");
        let ask = async || server.request(method.clone(), path).json(&json!({})).send().await.expect("answers");
        // On a slow machine, the rate limit can refill before the next request.
        let mut answer = ask().await;
        for _ in 0..10 {
            if answer.status() != StatusCode::TOO_MANY_REQUESTS {
                answer = ask().await;
            }
        }
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS, "{path}");
        assert!(answer.headers().contains_key(RETRY_AFTER) && answer.headers().contains_key("ratelimit"), "{path}");
        check(answer.json().await.expect("JSON"), &expected, path);
    }
}
