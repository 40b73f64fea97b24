//! Shutdown of connections and of the server.

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::{Server, with_timeout};
use crate::sse::SseReader;

#[tokio::test]
async fn a_stop_ends_streams_without_waiting_for_viewers() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let events = server.as_person(&ann, Method::GET, &format!("/api/v1/sessions/{session}/events"));
    let mut stream = SseReader::of(events.send().await.expect("answers"));
    while stream.next().await.expect("goes on").data["type"] != "caught_up" {}
    let url = server.url.clone();
    server.stop().await;
    assert!(stream.rest().await.iter().all(|sent| sent.id.is_none()), "nothing happened any more");
    assert!(reqwest::Client::builder().no_proxy().build().expect("a client").get(url).send().await.is_err());
}

#[tokio::test]
async fn a_stop_does_not_wait_for_an_unfinished_request_head() {
    let server = Server::start_with(|config| config.http.header_timeout_seconds = 1).await;
    let mut slow = TcpStream::connect(server.url.trim_start_matches("http://")).await.expect("connects");
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: local").await.expect("writes");
    let mut answer = vec![];
    with_timeout(slow.read_to_end(&mut answer)).await.expect("is closed");
    let others = server.request(Method::GET, "/healthz").send().await.expect("answers");
    assert_eq!(others.status(), StatusCode::OK);
}

#[tokio::test]
async fn ten_concurrent_conversations_are_served() {
    let server = Server::start().await;
    let talk = async || {
        let body = json!({ "message": "生成支付接口的测试用例" });
        let request = server.request(Method::POST, "/api/team-chat/stream").json(&body);
        let lines = SseReader::of(request.send().await.expect("answers")).rest().await;
        lines.last().expect("lines").data.clone()
    };
    let all = futures_util::future::join_all((0..15).map(|_| talk())).await;
    assert!(all.iter().all(|last| *last == json!({ "type": "done" })), "{all:?}");
}
