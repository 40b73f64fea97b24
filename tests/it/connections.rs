//! Connections: idle timeouts, limits on their number, and health checks that always get a response.

use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::http::monitoring::MonitoringServer;
use roundtable::identity::ServerRole;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::command_line::{client, roundtable, start_with_metrics};
use crate::server::{Server, with_timeout};

async fn connect(url: &str) -> TcpStream {
    TcpStream::connect(url.trim_start_matches("http://")).await.expect("connects")
}

/// Reads everything until the server closes the connection.
async fn rest(tcp: &mut TcpStream) -> String {
    let mut answer = vec![];
    let _ = with_timeout(tcp.read_to_end(&mut answer)).await;
    String::from_utf8(answer).expect("UTF-8")
}

fn limit_connections(config: &mut Config) {
    config.http.max_connections = 16;
    config.http.max_connections_per_address = Some(4);
}

/// Opens four connections and completes one request on each of them.
async fn four(server: &Server) -> Vec<TcpStream> {
    let mut held = vec![];
    for _ in 0..4 {
        let mut tcp = connect(&server.url).await;
        tcp.write_all(b"GET /healthz HTTP/1.1\r\nhost: local\r\n\r\n").await.expect("writes");
        let mut head = [0; 12];
        with_timeout(tcp.read_exact(&mut head)).await.expect("is answered");
        assert_eq!(&head, b"HTTP/1.1 200");
        held.push(tcp);
    }
    held
}

async fn health(server: &Server) -> String {
    let answer = server.request(Method::GET, "/healthz").send().await.expect("answers");
    answer.text().await.expect("text")
}

/// Requests the page on a separate connection.
async fn page(server: &Server) -> String {
    let mut tcp = connect(&server.url).await;
    let address = server.url.trim_start_matches("http://");
    let head = format!("GET / HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    tcp.write_all(head.as_bytes()).await.expect("writes");
    rest(&mut tcp).await
}

async fn wait_until_served(server: &Server) {
    with_timeout(async { while !page(server).await.starts_with("HTTP/1.1 200") {} }).await;
}

#[tokio::test]
async fn a_connection_without_a_complete_request_is_closed() {
    let server = Server::start_with(|config| config.http.header_timeout_seconds = 1).await;
    for sent in
        ["", "P", "PRI * HTTP/2.0\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\r\n\r\n", "GET / HTTP/1.1\r\nhost"]
    {
        let mut tcp = connect(&server.url).await;
        tcp.write_all(sent.as_bytes()).await.expect("writes");
        let mut answer = vec![];
        let _ = with_timeout(tcp.read_to_end(&mut answer)).await;
    }
    let mut idle = connect(&server.url).await;
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: local\r\n\r\n").await.expect("writes");
    assert!(rest(&mut idle).await.starts_with("HTTP/1.1 200"), "is answered, then closed");
}

#[tokio::test]
async fn an_open_stream_is_not_an_idle_connection() {
    let server = Server::start_with(|config| config.http.header_timeout_seconds = 1).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let path = format!("/api/v1/sessions/{session}/events");
    let mut stream =
        crate::sse::SseReader::of(server.as_person(&ann, Method::GET, &path).send().await.expect("answers"));
    while stream.next().await.expect("goes on").data["type"] != "caught_up" {}
    // Meanwhile, the idle timeout of another connection expires.
    assert_eq!(rest(&mut connect(&server.url).await).await, "");
    let say = json!({ "id": "c1", "do": "say", "data": { "text": "@people still here" } });
    assert_eq!(server.post(&ann, &format!("/api/v1/sessions/{session}/commands"), &say).await.0, StatusCode::OK);
    while stream.next().await.expect("goes on").data["event"] != "message.posted" {}
}

#[tokio::test]
async fn one_address_cannot_use_all_connections_and_health_checks_are_exempt() {
    let server = Server::start_with(limit_connections).await;
    let held = four(&server).await;
    let refused = server.request(Method::GET, "/").send().await.expect("answers");
    let refused = crate::server::json(refused, StatusCode::SERVICE_UNAVAILABLE).await;
    assert_eq!(refused["code"], "busy", "{refused}");
    assert_eq!(health(&server).await, "ok\n");
    assert_eq!(server.request(Method::GET, "/readyz").send().await.expect("answers").status(), StatusCode::OK);
    // Clients that hold the slots reserved for health checks without sending a request do not block health checks.
    let mut silent = vec![];
    for _ in 0..100 {
        silent.push(connect(&server.url).await);
    }
    assert_eq!(health(&server).await, "ok\n");
    drop(held);
    wait_until_served(&server).await;
}

#[tokio::test]
async fn a_trusted_proxy_can_use_all_connections() {
    let server = Server::start_with(|config| {
        limit_connections(config);
        config.http.trusted_proxies = vec!["127.0.0.1".into()];
    })
    .await;
    let _held = [four(&server).await, four(&server).await, four(&server).await];
    assert!(page(&server).await.starts_with("HTTP/1.1 200"));
    let _more = four(&server).await;
    assert!(page(&server).await.starts_with("HTTP/1.1 503"));
    assert_eq!(health(&server).await, "ok\n");
}

#[tokio::test]
async fn a_socket_counts_as_its_connection() {
    let server = Server::start_with(limit_connections).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    // Makes the test's own client open and keep the fourth connection.
    server.get(&ann, "/api/v1/me").await;
    let address = server.url.trim_start_matches("http://");
    let mut sockets = vec![];
    for _ in 0..3 {
        let mut tcp = connect(&server.url).await;
        let upgrade = format!(
            "GET /api/v1/ws HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\nupgrade: websocket\r\n\
             connection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            ann.token
        );
        tcp.write_all(upgrade.as_bytes()).await.expect("writes");
        let mut welcome = [0; 4000];
        let mut read = 0;
        while !String::from_utf8_lossy(&welcome[..read]).contains("welcome") {
            let more = with_timeout(tcp.read(&mut welcome[read..])).await.expect("is open");
            assert!(more > 0, "is open");
            read += more;
        }
        assert!(welcome.starts_with(b"HTTP/1.1 101"));
        sockets.push(tcp);
    }
    assert!(page(&server).await.starts_with("HTTP/1.1 503"));
    drop(sockets);
    wait_until_served(&server).await;
}

#[tokio::test]
async fn monitors_are_answered_while_others_hold_connections_open() {
    let server = Server::start_with(|config| {
        config.http.header_timeout_seconds = 1;
        config.metrics_listen = Some("127.0.0.1:0".into());
    })
    .await;
    let monitoring = MonitoringServer::start(&server.node).await.expect("starts").expect("is set");
    let url = format!("http://{}", monitoring.address);
    let mut silent = vec![];
    for _ in 0..200 {
        silent.push(connect(&url).await);
    }
    let request = reqwest::Client::builder().no_proxy().build().expect("a client").get(format!("{url}/metrics"));
    assert_eq!(with_timeout(request.send()).await.expect("answers").status(), StatusCode::OK);
    for mut tcp in silent {
        assert_eq!(rest(&mut tcp).await, "");
    }
}

/// Returns the log of a server up to the moment at which it starts serving requests.
async fn read_start_log(arguments: &[&str]) -> String {
    let data = tempfile::tempdir().expect("makes a folder");
    let log = data.path().join("log");
    let file = std::fs::File::create(&log).expect("a file");
    let arguments = [&["serve", "--set", "metrics_listen=127.0.0.1:0", "--listen"], arguments].concat();
    let (mut server, address, _) = start_with_metrics(roundtable(&data, &arguments).stderr(file)).await;
    // The warnings are logged before the public address is served.
    let (_, port) = address.rsplit_once(':').expect("a port");
    let health = client().get(format!("http://127.0.0.1:{port}/healthz"));
    assert_eq!(with_timeout(health.send()).await.expect("answers").status(), StatusCode::OK);
    server.kill().await.expect("ends");
    std::fs::read_to_string(&log).expect("a log")
}

#[tokio::test]
async fn a_public_start_without_tls_logs_a_warning() {
    let warning = "other machines can reach this server without TLS";
    assert!(read_start_log(&["0.0.0.0:0"]).await.contains(warning));
    assert!(!read_start_log(&["127.0.0.1:0"]).await.contains(warning));
    assert!(!read_start_log(&["0.0.0.0:0", "--public-url", "https://round.example"]).await.contains(warning));
}

#[tokio::test]
async fn a_start_with_open_guest_doors_logs_a_warning() {
    let warning = "the doors accept callers without a credential";
    assert!(read_start_log(&["127.0.0.1:0"]).await.contains(warning));
    assert!(!read_start_log(&["127.0.0.1:0", "--public-url", "https://round.example"]).await.contains(warning));
    assert!(!read_start_log(&["127.0.0.1:0", "--set", "guest_doors=false"]).await.contains(warning));
}
