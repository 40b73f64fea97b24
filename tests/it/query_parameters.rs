//! Unknown query parameters: every operation rejects them with the same error, which names the known ones.

use reqwest::{Method, StatusCode};
use roundtable::doors::openapi_document;
use serde_json::{Value, json};

use crate::access::callers::{AccessHarness, CallerKind};
use crate::server::Server;

/// Operations that accept any parameter: the redirect from an identity provider, which can add its own, and health
/// checks, which must not fail. `/metrics` has a separate address.
const LENIENT: [&str; 4] = ["/api/v1/sign-in/oidc/callback", "/healthz", "/readyz", "/metrics"];

/// Returns the path with valid values for its parameters.
fn fill(path: &str, session: &str) -> String {
    let id = session.trim_start_matches("s_");
    let uuid = "0190f3c0-7a1b-7c3d-8e5f-60718293a4b5";
    let values = [
        ("{session}", session.to_owned()),
        ("{id}", session.to_owned()),
        ("{participant}", format!("u_{id}")),
        ("{base}", "1".into()),
        ("{team}", uuid.into()),
        ("{execution}", uuid.into()),
        ("{name}", "a.md".into()),
        ("{credential}", "0123456789ab".into()),
        ("{invite}", "0123456789ab".into()),
        ("{conversation}", format!("team_session_{id}")),
    ];
    values.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value))
}

#[tokio::test]
async fn every_operation_rejects_unknown_query_parameters() {
    let harness = AccessHarness::start(true).await;
    let admin = harness.person(CallerKind::Admin).expect("is one");
    let document = openapi_document();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let method: Method = method.to_uppercase().parse().expect("a method");
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let known: Vec<&str> =
                parameters.filter(|one| one["in"] == "query").filter_map(|one| one["name"].as_str()).collect();
            let documented = operation["responses"].get("400").is_some();
            if LENIENT.contains(&path.as_str()) {
                continue;
            }
            assert!(documented, "{method} {path} documents its error");
            let filled = format!("{}?zz_unknown=1", fill(path, &harness.session.to_string()));
            let request = harness.server.as_person(admin, method.clone(), &filled).json(&json!({}));
            let answer = request.send().await.expect("answers");
            let is_team_chat = path == "/api/team-chat/stream" || path.starts_with("/api/debug");
            let status = if is_team_chat { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
            assert_eq!(answer.status(), status, "{method} {path}");
            let text = answer.text().await.expect("text");
            let body: Value = serde_json::from_str(&text).expect("JSON");
            let message = ["message", "detail", "error_message"].into_iter().find_map(|field| body[field].as_str());
            let message = message.or(body["detail"][0]["msg"].as_str()).expect("a message");
            let advice = match known.as_slice() {
                [] => "this operation has no query parameters, so remove it".to_owned(),
                known => format!("use {}", known.join(", ")),
            };
            let expected = format!("in the query string: unknown parameter \"zz_unknown\"; {advice}");
            assert_eq!(message, expected, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn pages_and_health_checks_accept_any_parameter() {
    let server = Server::start().await;
    for path in ["/healthz", "/readyz", "/", "/sign-in"] {
        let answer = server.request(Method::GET, &format!("{path}?zz_unknown=1")).send().await.expect("answers");
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
    }
    let head = server.request(Method::HEAD, "/api/v1/server?zz_unknown=1").send().await.expect("answers");
    assert_eq!(head.status(), StatusCode::BAD_REQUEST, "HEAD is checked like GET");
}
