//! HTTP/2 without TLS, as used by proxies and by clients with prior knowledge.

use std::sync::atomic::Ordering::Relaxed;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use roundtable::identity::{CredentialKind, ServerRole, issue};
use roundtable::kernel::Role;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::append_builders::{self, AppendExt, append};
use crate::server::{Server, with_timeout};

/// The client side of an HTTP/2 connection.
pub type Http2Client = SendRequest<String>;

/// Opens a connection to the server at this URL.
pub async fn connect(url: &str) -> Http2Client {
    let tcp = TcpStream::connect(url.trim_start_matches("http://")).await.expect("connects");
    let mut builder = Builder::new(TokioExecutor::new());
    let handshake = builder.initial_stream_window_size(65_535).handshake(TokioIo::new(tcp));
    let (client, connection) = handshake.await.expect("speaks HTTP/2");
    tokio::spawn(connection);
    client
}

fn address(server: &Server) -> &str {
    server.url.trim_start_matches("http://")
}

async fn ask(client: &mut Http2Client, request: Request<String>) -> Response<Incoming> {
    with_timeout(client.send_request(request)).await.expect("answers")
}

async fn body(response: Response<Incoming>) -> Value {
    let bytes = with_timeout(response.into_body().collect()).await.expect("a body").to_bytes();
    serde_json::from_slice(&bytes).unwrap_or_else(|_| panic!("not JSON: {bytes:?}"))
}

/// Reads an event stream up to the next frame that contains this text.
async fn read_until(stream: &mut Response<Incoming>, wanted: &str) {
    loop {
        let frame = with_timeout(stream.body_mut().frame()).await.expect("goes on").expect("goes on");
        let data = frame.into_data().expect("is data");
        if String::from_utf8_lossy(&data).contains(wanted) {
            return;
        }
    }
}

fn get(server: &Server, path: &str, token: &str) -> Request<String> {
    let request = Request::get(format!("{}{path}", server.url)).header("authorization", format!("Bearer {token}"));
    request.body(String::new()).expect("a request")
}

#[tokio::test]
async fn requests_are_answered_and_their_authority_is_their_host() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let mut client = connect(&server.url).await;
    let answer = ask(&mut client, get(&server, "/api/v1/me", &ann.token)).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(body(answer).await["you"]["name"], "Ann");
    let create = Request::post(format!("{}/api/v1/sessions", server.url));
    let create = create.header("authorization", format!("Bearer {}", ann.token)).body("{}".to_owned());
    assert_eq!(ask(&mut client, create.expect("a request")).await.status(), StatusCode::CREATED);
    let elsewhere = Request::get("http://evil.example/api/v1/me").body(String::new()).expect("a request");
    let answer = ask(&mut client, elsewhere).await;
    assert_eq!((answer.status(), &body(answer).await["code"]), (StatusCode::FORBIDDEN, &json!("wrong_origin")));
    let two = Request::get(format!("{}/api/v1/me", server.url)).header("host", "evil.example");
    let answer = ask(&mut client, two.body(String::new()).expect("a request")).await;
    assert_eq!(answer.status(), StatusCode::FORBIDDEN, "one request has one host");
}

#[tokio::test]
async fn a_cross_site_page_cannot_change_anything_over_http2() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let code =
        issue(&*server.node.identities, ann.participant.id, CredentialKind::SignIn, Some(60)).await.expect("issues");
    let mut client = connect(&server.url).await;
    let sign_in = async |client: &mut Http2Client, origin: &str| {
        let request = Request::post(format!("{}/api/v1/sign-in", server.url)).header("origin", origin);
        let body = json!({ "code": code.reveal() }).to_string();
        ask(client, request.body(body).expect("a request")).await
    };
    for origin in ["http://evil.example", "null", "http://localhost:1"] {
        assert_eq!(sign_in(&mut client, origin).await.status(), StatusCode::FORBIDDEN, "{origin}");
    }
    assert_eq!(sign_in(&mut client, &server.url).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn one_connection_carries_many_event_streams() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let path = format!("/api/v1/sessions/{session}/events");
    let mut client = connect(&server.url).await;
    // A browser opens at most six HTTP/1.1 connections per host.
    let mut streams = vec![];
    for _ in 0..12 {
        streams.push(ask(&mut client, get(&server, &path, &ann.token)).await);
    }
    for stream in &mut streams {
        assert_eq!(stream.status(), StatusCode::OK);
        read_until(stream, "caught_up").await;
    }
    let say = json!({ "id": "c1", "do": "say", "data": { "text": "@people hello" } });
    assert_eq!(server.post(&ann, &format!("/api/v1/sessions/{session}/commands"), &say).await.0, StatusCode::OK);
    for stream in &mut streams {
        read_until(stream, "message.posted").await;
    }
    let answer = ask(&mut client, get(&server, "/api/v1/me", &ann.token)).await;
    assert_eq!(answer.status(), StatusCode::OK, "others are answered meanwhile");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_stream_is_closed_and_others_of_its_connection_continue() {
    let server = Server::start_with(|config| config.socket.stall_seconds = 1).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let (session, store) = (append_builders::new_session_id(), &server.node.events);
    let fence = store.claim(session, None).await.expect("claims");
    let text = "x".repeat(50_000);
    // More than all buffers along the way can hold.
    let append = append(session, fence, 0, &[text.as_str(); 50]);
    store.append(append.with_member(ann.participant.id, Some(Role::Member))).await.expect("appends");
    let mut client = connect(&server.url).await;
    let path = format!("/api/v1/sessions/{session}/events");
    let forgotten = ask(&mut client, get(&server, &path, &ann.token)).await;
    assert_eq!(forgotten.status(), StatusCode::OK);
    with_timeout(async {
        while server.node.sockets.traffic.connections.load(Relaxed) != 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let answer = ask(&mut client, get(&server, "/api/v1/me", &ann.token)).await;
    assert_eq!(answer.status(), StatusCode::OK);
    drop(forgotten);
}

#[tokio::test]
async fn a_websocket_over_http2_is_refused_with_a_reason() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let mut client = connect(&server.url).await;
    let answer = ask(&mut client, get(&server, "/api/v1/ws", &ann.token)).await;
    assert_eq!(answer.status(), StatusCode::UPGRADE_REQUIRED);
    let problem = body(answer).await;
    assert_eq!(problem["code"], "upgrade_required");
    assert!(problem["message"].as_str().expect("text").contains("HTTP/1.1"), "{problem}");
    let connect = Request::builder().method(Method::CONNECT).uri(address(&server)).body(String::new());
    let refused = with_timeout(client.send_request(connect.expect("a request"))).await;
    assert!(refused.is_err() || refused.is_ok_and(|answer| answer.status().is_client_error()));
    let answer = ask(&mut client, get(&server, "/api/v1/me", &ann.token)).await;
    assert_eq!(answer.status(), StatusCode::OK, "and the connection goes on");
}

/// Sends requests, and resets each one before its response, until the connection is closed.
pub async fn cancel_requests(mut client: Http2Client, url: &str, sent: impl Fn()) {
    loop {
        let request = Request::get(format!("{url}/api/v1/me")).body(String::new()).expect("a request");
        if client.ready().await.is_err() {
            return;
        }
        // Dropping the request before its response resets the stream.
        tokio::select! {
            biased;
            _ = client.send_request(request) => return,
            () = tokio::task::yield_now() => sent(),
        }
    }
}

#[tokio::test]
async fn a_client_that_keeps_cancelling_requests_is_disconnected() {
    let server = Server::start().await;
    with_timeout(cancel_requests(connect(&server.url).await, &server.url, || ())).await;
    let others = server.request(reqwest::Method::GET, "/healthz").send().await.expect("answers");
    assert_eq!(others.status(), reqwest::StatusCode::OK);
}
