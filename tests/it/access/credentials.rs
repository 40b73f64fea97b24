//! Credentials and origins: tokens, cookies, hosts.

use reqwest::{Method, StatusCode};
use roundtable::identity::{CredentialKind, SecretHash, ServerRole, issue};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::server::{self, Server};
use crate::socket_harness::WebSocketClient;

async fn error_response(request: reqwest::RequestBuilder) -> (StatusCode, Value) {
    let answer = request.send().await.expect("answers");
    (answer.status(), answer.json().await.expect("every refusal is JSON"))
}

/// Signs this person in and returns the cookie, as `name=value`.
pub(super) async fn cookie(server: &Server, person: &server::Person) -> String {
    let code =
        issue(&*server.node.identities, person.participant.id, CredentialKind::SignIn, Some(60)).await.expect("issues");
    let request = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": code.reveal() }));
    let answer = request.send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::OK);
    let set = answer.headers()["set-cookie"].to_str().expect("text").to_owned();
    set.split(';').next().expect("a pair").to_owned()
}

#[tokio::test]
async fn requests_without_a_token_are_unauthenticated() {
    let server = Server::start().await;
    for path in ["/api/v1/me", "/api/v1/sessions", "/api/v1/server", "/api/v1/sessions/s_1/log"] {
        let (status, body) = error_response(server.request(Method::GET, path)).await;
        assert_eq!((status, &body["code"]), (StatusCode::UNAUTHORIZED, &json!("unauthenticated")), "{path}");
    }
    for header in ["Bearer rt_token_00", "Basic YTpi", "Bearer", ""] {
        let request = server.request(Method::GET, "/api/v1/me").header("authorization", header);
        assert_eq!(error_response(request).await.0, StatusCode::UNAUTHORIZED, "{header:?}");
    }
}

#[tokio::test]
async fn a_cookie_signs_in_until_it_is_signed_out() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let cookie = cookie(&server, &ann).await;
    let with_cookie = |method, path| server.request(method, path).header("cookie", &cookie);
    let me = server::json(with_cookie(Method::GET, "/api/v1/me").send().await.expect("answers"), StatusCode::OK).await;
    assert_eq!(me["you"]["name"], "Ann");
    let renamed = with_cookie(Method::PATCH, "/api/v1/me").json(&json!({ "name": "  Anna " }));
    assert_eq!(server::json(renamed.send().await.expect("answers"), StatusCode::OK).await["you"]["name"], "Anna");
    let out = with_cookie(Method::POST, "/api/v1/sign-out").send().await.expect("answers");
    assert_eq!(out.status(), StatusCode::NO_CONTENT);
    assert!(out.headers()["set-cookie"].to_str().expect("text").contains("Max-Age=0"));
    assert_eq!(error_response(with_cookie(Method::GET, "/api/v1/me")).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_bot_keeps_the_name_that_it_was_given() {
    let server = Server::start().await;
    let bot = server.bot("CI").await;
    let renames = server.as_person(&bot, Method::PATCH, "/api/v1/me").json(&json!({ "name": "Ann" }));
    assert_eq!(server::json(renames.send().await.expect("answers"), StatusCode::FORBIDDEN).await["code"], "forbidden");
    assert_eq!(server.get(&bot, "/api/v1/me").await["you"]["name"], "CI");
}

#[tokio::test]
async fn a_token_can_be_exchanged_for_a_cookie_which_is_not_a_token() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let request = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": ann.token }));
    let set = request.send().await.expect("answers").headers()["set-cookie"].to_str().expect("text").to_owned();
    let secret = set.split(['=', ';']).nth(1).expect("a value");
    let known = server.node.identities.authenticate(SecretHash::of(secret), CredentialKind::Cookie).await;
    assert_eq!(known.expect("answers").map(|who| who.id), Some(ann.participant.id));
    let (status, _) = error_response(server.request(Method::GET, "/api/v1/me").bearer_auth(secret)).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_cross_site_page_cannot_change_anything_with_a_cookie() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let cookie = cookie(&server, &ann).await;
    let post = |origin: &str| {
        let request = server.request(Method::POST, "/api/v1/sessions").json(&json!({ "title": "x" }));
        request.header("cookie", &cookie).header("origin", origin.to_owned())
    };
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        let (status, body) = error_response(post(origin)).await;
        assert_eq!((status, &body["code"]), (StatusCode::FORBIDDEN, &json!("wrong_origin")), "{origin}");
    }
    assert_eq!(post(&server.url).send().await.expect("answers").status(), StatusCode::CREATED);
    // If another site could sign a browser in, the browser's user would act as somebody else.
    let sign_in = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": ann.token }));
    assert_eq!(error_response(sign_in.header("origin", "http://evil.example")).await.0, StatusCode::FORBIDDEN);
    // A socket is opened with a GET request but accepts commands.
    let socket = server.request(Method::GET, "/api/v1/ws").header("upgrade", "websocket").header("cookie", &cookie);
    let (status, body) = error_response(socket.header("origin", "http://evil.example")).await;
    assert_eq!((status, &body["code"]), (StatusCode::FORBIDDEN, &json!("wrong_origin")));
    // A program with a token has no cookie that a page could abuse.
    let program = server.as_person(&ann, Method::POST, "/api/v1/sessions").json(&json!({}));
    let answer = program.header("origin", "http://evil.example").send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::CREATED);
}

#[tokio::test]
async fn requests_for_an_unknown_host_are_refused() {
    let server = Server::start_with(|config| config.allowed_hosts = vec!["Round.Example".into()]).await;
    for path in ["/", "/api/v1/me", "/api/v1/teams", "/nothing"] {
        let (status, body) = error_response(server.request(Method::GET, path).header("host", "evil.example")).await;
        assert_eq!((status, &body["code"]), (StatusCode::FORBIDDEN, &json!("wrong_origin")), "{path}");
    }
    let named = server.request(Method::GET, "/").header("host", "round.example").send().await.expect("answers");
    assert_eq!(named.status(), StatusCode::OK);
    let health = server.request(Method::GET, "/healthz").header("host", "10.0.0.7").send().await.expect("answers");
    assert_eq!(health.text().await.expect("text"), "ok\n");
}

#[tokio::test]
async fn every_response_has_security_headers() {
    let server = Server::start().await;
    for path in ["/", "/api/v1/me", "/nothing", "/healthz"] {
        let answer = server.request(Method::GET, path).send().await.expect("answers");
        let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().expect("text").to_owned());
        let policy = header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'self'") && policy.contains("frame-ancestors 'none'"), "{path}");
        assert_eq!(header("x-content-type-options").as_deref(), Some("nosniff"), "{path}");
        assert_eq!(header("referrer-policy").as_deref(), Some("no-referrer"), "{path}");
        assert!(header("x-request-id").is_some_and(|id| id.len() == 32), "{path}");
    }
}

#[tokio::test]
async fn oversized_slow_and_malformed_requests_get_a_coded_error() {
    let server = Server::start_with(|config| config.http.max_body_bytes = 2048).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let post = |body: String| server.as_person(&ann, Method::POST, "/api/v1/sessions").body(body);
    let cases = [
        (post("x".repeat(4096)), StatusCode::PAYLOAD_TOO_LARGE, "too_large"),
        (post("{".into()), StatusCode::BAD_REQUEST, "bad_frame"),
        (post("{\"titel\":\"x\"}".into()), StatusCode::BAD_REQUEST, "invalid_argument"),
        (post("{\"team\":\"none\"}".into()), StatusCode::NOT_FOUND, "unknown_team"),
        (post("{\"flow\":\"none\"}".into()), StatusCode::BAD_REQUEST, "invalid_argument"),
        (post("{\"team\":\"assistant-en\",\"flow\":\"plan\"}".into()), StatusCode::BAD_REQUEST, "invalid_argument"),
        (post("{\"language\":null,\"settings\":7}".into()), StatusCode::BAD_REQUEST, "invalid_argument"),
        (server.as_person(&ann, Method::GET, "/api/v1/nothing"), StatusCode::NOT_FOUND, "not_found"),
        (server.as_person(&ann, Method::PUT, "/api/v1/me"), StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
        (server.as_person(&ann, Method::GET, "/api/v1/sessions?limit=0"), StatusCode::BAD_REQUEST, "invalid_argument"),
        (server.as_person(&ann, Method::GET, "/api/v1/sessions?x=0"), StatusCode::BAD_REQUEST, "invalid_argument"),
        (
            server.as_person(&ann, Method::GET, "/api/v1/sessions?search=%00"),
            StatusCode::BAD_REQUEST,
            "invalid_argument",
        ),
        (server.as_person(&ann, Method::GET, "/api/v1/me?dry_run=true"), StatusCode::BAD_REQUEST, "invalid_argument"),
        (server.as_person(&ann, Method::GET, "/api/v1/sessions/1"), StatusCode::BAD_REQUEST, "invalid_argument"),
    ];
    for (request, status, code) in cases {
        let (got, body) = error_response(request).await;
        assert_eq!((got, &body["code"]), (status, &json!(code)), "{body}");
    }
    let put = server.as_person(&ann, Method::PUT, "/api/v1/me").send().await.expect("answers");
    let allow = put.headers()["allow"].to_str().expect("text").to_owned();
    let problem = put.json::<serde_json::Value>().await.expect("JSON")["message"].clone();
    assert_eq!(problem, "the path does not support this method; use GET or PATCH");
    assert!(allow.contains("GET") && allow.contains("PATCH") && !allow.contains("PUT"), "{allow}");
    let nothing = server.as_person(&ann, Method::POST, "/api/v1/nothing").send().await.expect("answers");
    assert_eq!((nothing.status(), nothing.headers().get("allow")), (StatusCode::NOT_FOUND, None));
    let typed =
        error_response(post("{\"settings\":{\"max_messages_per_run\":\"x\"}}".into())).await.1["message"].clone();
    assert!(typed.as_str().is_some_and(|message| message.contains("expected a whole number")), "{typed}");
    let large = error_response(post("x".repeat(4096))).await.1["message"].clone();
    assert_eq!(large, "the body is larger than 2048 bytes (http.max_body_bytes); make it smaller");
    for (path, text) in [
        ("/api/v1/sessions/%ff", "message"),
        ("/api/v1/sessions/s_1/files/%ff", "message"),
        ("/api/v1/knowledge/%ff", "message"),
        ("/api/v1/knowledge/1/documents/%ff", "message"),
        ("/api/v1/teams/%ff", "error_message"),
        ("/AutoAgent/files/%ff/a", "detail"),
    ] {
        let (status, body) = error_response(server.as_person(&ann, Method::GET, path)).await;
        assert_eq!((status, &body["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_argument")), "{path}: {body}");
        assert!(body[text].as_str().is_some_and(|message| message.contains("percent-encode")), "{path}: {body}");
    }
    let (status, body) = error_response(server.as_person(&ann, Method::GET, "/api/debug/session/%ff")).await;
    assert_eq!((status, &body["detail"][0]["loc"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!(["body"])), "{body}");
    let (_, body) = error_response(server.as_person(&ann, Method::GET, "/api/v1/sessions?limit=ten")).await;
    assert_eq!(body["message"], "in the query string: limit: \"ten\" is not a whole number from 0 to 4294967295");
    let invalid = server.as_person(&ann, Method::POST, "/api/v1/sessions").body(vec![b'"', 0xff, b'"']);
    assert_eq!(error_response(invalid).await.1["code"], "bad_frame");
}

#[tokio::test]
async fn a_response_to_an_unread_body_closes_the_connection() {
    let server = Server::start_with(|config| config.http.max_body_bytes = 2048).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    for (body, closes) in [("x".repeat(400_000), true), ("{".to_owned(), false)] {
        let request = server.as_person(&ann, Method::POST, "/api/v1/sessions").body(body);
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.headers().get("connection").is_some_and(|value| value == "close"), closes);
    }
}

/// Sends a request whose body stays incomplete, and returns the response.
async fn send_half_request(server: &Server, path: &str) -> String {
    let address = server.url.trim_start_matches("http://");
    let mut tcp = tokio::net::TcpStream::connect(address).await.expect("connects");
    let head = format!("POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 100\r\n\r\n{{");
    tcp.write_all(head.as_bytes()).await.expect("writes");
    let mut answer = vec![0; 4096];
    let read = server::with_timeout(tcp.read(&mut answer)).await.expect("reads");
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

#[tokio::test]
async fn a_missing_body_does_not_hold_a_request_slot() {
    let server = Server::start_with(|config| config.http.timeout_seconds = 1).await;
    for path in ["/api/team-chat/stream", "/api/v1/sign-in"] {
        let answer = send_half_request(&server, path).await;
        assert!(answer.starts_with("HTTP/1.1 504"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn authentication_precedes_validation() {
    let settings = |config: &mut roundtable::config::Config| {
        config.guest_doors = Some(false);
        config.http.timeout_seconds = 600;
    };
    let server = Server::start_with(settings).await;
    for path in ["/api/team-chat/stream", "/api/v1/sessions"] {
        let answer = send_half_request(&server, path).await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn a_cookie_ends_with_the_token_that_it_was_made_from() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let request = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": ann.token }));
    let set = request.send().await.expect("answers").headers()["set-cookie"].to_str().expect("text").to_owned();
    let cookie = set.split(';').next().expect("a pair");
    let me = || server.request(Method::GET, "/api/v1/me").header("cookie", cookie);
    assert_eq!(me().send().await.expect("answers").status(), StatusCode::OK);
    let id = SecretHash::of(&ann.token).id();
    assert_eq!(server.node.identities.revoke_tokens(&id).await.expect("revokes"), 1);
    assert_eq!(error_response(me()).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn signing_out_ends_sockets_and_streams() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({ "title": "Payment" })).await;
    let cookie = cookie(&server, &ann).await;
    let mut request =
        format!("{}/api/v1/ws", server.url.replace("http", "ws")).into_client_request().expect("a request");
    request.headers_mut().insert("cookie", cookie.parse().expect("a value"));
    let (socket, _) = tokio_tungstenite::connect_async(request).await.expect("connects");
    let mut client = WebSocketClient { socket };
    client.wait_for("welcome").await;
    let events = format!("/api/v1/sessions/{session}/events");
    let events = server.request(Method::GET, &events).header("cookie", &cookie).send().await.expect("answers");
    let out = server.request(Method::POST, "/api/v1/sign-out").header("cookie", &cookie).send().await;
    assert_eq!(out.expect("answers").status(), StatusCode::NO_CONTENT);
    assert_eq!(client.close_code().await, 4501);
    server::with_timeout(crate::sse::SseReader::of(events).rest()).await;
}
