//! Request slots: the shares of strangers and of individual participants leave room for everyone else.

use std::num::NonZeroU32;

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use roundtable::limits::RateLimit;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::{Person, Server, with_timeout};

/// Sends a request whose body never arrives completely. Returns its connection.
async fn half_sent(server: &Server, method: &str, path: &str, who: Option<&Person>) -> TcpStream {
    let address = server.url.trim_start_matches("http://");
    let mut tcp = TcpStream::connect(address).await.expect("connects");
    let token = who.map(|who| format!("authorization: Bearer {}\r\n", who.token)).unwrap_or_default();
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n{token}content-length: 100\r\n\r\n{{");
    tcp.write_all(head.as_bytes()).await.expect("writes");
    tcp
}

async fn answer(tcp: &mut TcpStream) -> String {
    let mut head = [0; 12];
    with_timeout(tcp.read_exact(&mut head)).await.expect("is answered");
    String::from_utf8(head.to_vec()).expect("text")
}

#[tokio::test]
async fn missing_bodies_do_not_use_up_request_slots() {
    let server = Server::start_with(|config| config.http.max_concurrent_requests = 16).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let mut held = vec![];
    for _ in 0..33 {
        held.push(half_sent(&server, "POST", "/api/v1/sign-in", None).await);
    }
    // One address may have 32 requests in flight, so the first rejection means that all have reached the server.
    let mut answers = vec![];
    for tcp in held.iter_mut() {
        answers.push(Box::pin(answer(tcp)));
    }
    let (first, _, rest) = futures_util::future::select_all(answers).await;
    assert_eq!(first, "HTTP/1.1 503");
    let (status, made) = server.post(&ann, "/api/v1/sessions", &json!({})).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    drop(rest);
    // A participant's requests do not block other participants or strangers either.
    let eve = server.person("Eve", ServerRole::Member).await;
    let mut of_eve = vec![];
    for _ in 0..3 {
        of_eve.push(half_sent(&server, "POST", "/api/v1/sessions", Some(&eve)).await);
    }
    let answers: Vec<_> = of_eve.iter_mut().map(|tcp| Box::pin(answer(tcp))).collect();
    assert_eq!(futures_util::future::select_all(answers).await.0, "HTTP/1.1 503", "she has two of sixteen");
    let list = server.as_person(&eve, Method::GET, "/api/v1/sessions").send().await.expect("answers");
    assert_eq!(list.status(), StatusCode::OK, "bodies on their way take none of her places");
    let (status, made) = server.post(&ann, "/api/v1/sessions", &json!({})).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
}

#[tokio::test]
async fn slow_uploads_of_one_participant_leave_request_slots_to_others() {
    let server = Server::start_with(|config| {
        config.files.max_concurrent_uploads = 4;
        config.files.max_concurrent_uploads_per_participant = 2;
    })
    .await;
    let (ann, eve) = (server.person("Ann", ServerRole::Member).await, server.person("Eve", ServerRole::Member).await);
    let put = async |who: &Person, path: &str| {
        let answer = server.as_person(who, Method::PUT, path).body("hello").send().await.expect("answers");
        answer.status()
    };
    let mut held = vec![];
    for kind in ["file", "upload"] {
        let session = server.session(&eve, &json!({})).await;
        let (method, path) = match kind {
            "file" => ("PUT", format!("/api/v1/sessions/{session}/files/slow.txt")),
            _ => ("POST", "/api/v1/uploads?name=slow.txt".to_owned()),
        };
        held.push(half_sent(&server, method, &path, Some(&eve)).await);
    }
    let of_eve = format!("/api/v1/sessions/{}/files/a.txt", server.session(&eve, &json!({})).await);
    with_timeout(async { while put(&eve, &of_eve).await != StatusCode::SERVICE_UNAVAILABLE {} }).await;
    let of_ann = format!("/api/v1/sessions/{}/files/a.txt", server.session(&ann, &json!({})).await);
    assert_eq!(put(&ann, &of_ann).await, StatusCode::OK);
    drop(held);
    with_timeout(async { while put(&eve, &of_eve).await != StatusCode::OK {} }).await;
}

#[tokio::test]
async fn large_bodies_of_one_member_leave_memory_to_others() {
    const BODY: usize = 128 << 10;
    // Without a limit per participant, eight of these bodies would leave only 32 KiB.
    let server = Server::start_with(|config| {
        config.http.max_buffered_bytes = 8 * BODY;
        config.http.max_body_bytes = BODY;
        config.rate_limits.chat =
            RateLimit { burst: NonZeroU32::new(100).expect("not zero"), ..config.rate_limits.chat };
    })
    .await;
    let (ann, eve) = (server.person("Ann", ServerRole::Member).await, server.person("Eve", ServerRole::Member).await);
    let (of_ann, of_eve) = (server.session(&ann, &json!({})).await, server.session(&eve, &json!({})).await);
    let [of_ann, of_eve] = [of_ann, of_eve].map(|id| format!("/api/v1/sessions/{id}/commands"));
    let address = server.url.trim_start_matches("http://");
    let head = format!(
        "POST {of_eve} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\ncontent-length: {BODY}\r\n\r\n",
        eve.token
    );
    let sent = [head.as_bytes(), &vec![b' '; BODY - 1]].concat();
    let hold = async || {
        let mut tcp = TcpStream::connect(address).await.expect("connects");
        // The rest of a rejected body is not read.
        let _ = tcp.write_all(&sent).await;
        tcp
    };
    let mut held = futures_util::future::join_all((0..16).map(|_| hold())).await;
    let ends = held.iter_mut().map(|tcp| Box::pin(async move { tcp.read_exact(&mut [0; 12]).await.map(drop) }));
    let mut ends: futures_util::stream::FuturesUnordered<_> = ends.collect();
    for _ in 0..8 {
        let end = with_timeout(futures_util::StreamExt::next(&mut ends)).await;
        assert!(end.is_some(), "most of them are refused");
    }
    for number in 0..20 {
        let text = format!("@people {}", "x".repeat(50_000));
        let say = json!({ "id": format!("c_{number}"), "do": "say", "data": { "text": text } });
        let (status, answer) = server.post(&ann, &of_ann, &say).await;
        assert_eq!(status, StatusCode::OK, "{number}: {answer}");
    }
    let stop = json!({ "id": "c_stop", "do": "interrupt", "data": { "run": "r_1" } });
    let (status, answer) = server.post(&eve, &of_eve, &stop).await;
    assert_eq!(status, StatusCode::CONFLICT, "hers fits, too, and nothing runs: {answer}");
}

#[tokio::test]
async fn unauthenticated_bodies_are_small_and_time_out_early() {
    let server = Server::start_with(|config| {
        config.guest_doors = Some(false);
        config.http.stranger_body_seconds = 1;
        config.http.timeout_seconds = 600;
    })
    .await;
    let code = json!({ "code": "x".repeat(17 << 10) });
    let refused = server.request(Method::POST, "/api/v1/sign-in").json(&code).send().await.expect("answers");
    let refused = crate::server::json(refused, StatusCode::PAYLOAD_TOO_LARGE).await;
    assert!(refused["message"].as_str().expect("text").contains("max_stranger_body_bytes"), "{refused}");
    let ann = server.person("Ann", ServerRole::Member).await;
    let (status, refused) = server.post(&ann, "/api/v1/sign-in", &code).await;
    assert_eq!((status, &refused["code"]), (StatusCode::GONE, &json!("link_invalid")), "a member's may be larger");
    let mut slow = half_sent(&server, "POST", "/api/v1/sign-in", None).await;
    assert_eq!(answer(&mut slow).await, "HTTP/1.1 504");
}

#[tokio::test]
async fn bodies_share_a_bounded_memory() {
    let server = Server::start_with(|config| {
        config.http.max_buffered_bytes = 1 << 20;
        config.http.max_body_bytes = 2 << 20;
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let post = async |bytes: usize| {
        let body = json!({ "title": "x".repeat(bytes) });
        server.post(&ann, "/api/v1/sessions", &body).await.0
    };
    assert_eq!(post(3 << 19).await, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(post(1000).await, StatusCode::BAD_REQUEST, "it is free again: the title alone is too long");
}
