//! Event streams are bounded like sockets: in their number, in their request rate, and in the data kept for a reader
//! that reads nothing.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering::Relaxed;

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use roundtable::kernel::Role;
use roundtable::limits::RateLimit;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;

use crate::append_builders::{self, AppendExt, append};
use crate::server::{Person, Server, with_timeout};
use crate::sse::SseReader;

async fn wait_until_open(server: &Server, streams: usize) {
    with_timeout(async {
        while server.node.sockets.traffic.connections.load(Relaxed) != streams {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

async fn watch(server: &Server, person: &Person, path: &str) -> reqwest::Response {
    with_timeout(server.as_person(person, Method::GET, path).send()).await.expect("answers")
}

#[tokio::test]
async fn streams_and_sockets_are_counted_together() {
    let server = Server::start_with(|config| {
        config.socket.max_connections = 1;
        config.guest_doors = Some(true);
        // Otherwise the door's stream would end with its run, possibly before the last request.
        config.demo.hold_after_tokens = Some(1);
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let path = format!("/api/v1/sessions/{session}/events");
    let mut one = SseReader::of(watch(&server, &ann, &path).await);
    one.next().await.expect("has the log");
    let refused = watch(&server, &ann, &path).await;
    let busy = crate::server::json(refused, StatusCode::SERVICE_UNAVAILABLE).await;
    assert_eq!(busy["code"], "busy", "{busy}");
    let say = json!({ "message": "write test cases" });
    let (status, refused) = server.post(&ann, "/api/team-chat/stream", &say).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "a door's streams are streams: {refused}");
    drop(one);
    wait_until_open(&server, 0).await;
    let door = server.as_person(&ann, Method::POST, "/api/team-chat/stream").json(&say).send();
    let mut door = SseReader::of(with_timeout(door).await.expect("answers"));
    door.next().await.expect("begins");
    assert_eq!(watch(&server, &ann, &path).await.status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn opening_a_stream_counts_as_a_join() {
    let few = RateLimit { burst: NonZeroU32::new(2).expect("is not 0"), per_second: NonZeroU32::MIN };
    let server = Server::start_with(|config| config.rate_limits.join = few).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let path = format!("/api/v1/sessions/{session}/events");
    let mut refused = 0;
    for _ in 0..10 {
        let answer = watch(&server, &ann, &path).await;
        if answer.status() == StatusCode::TOO_MANY_REQUESTS {
            assert!(answer.headers().contains_key("retry-after"));
            refused += 1;
        }
    }
    assert!(refused >= 5, "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_stream_is_closed() {
    let server = Server::start_with(|config| config.socket.stall_seconds = 1).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    // A log of 30 MB, more than all buffers along the way can hold.
    let (session, store) = (append_builders::new_session_id(), &server.node.events);
    let fence = store.claim(session, None).await.expect("claims");
    let text = "x".repeat(50_000);
    for page in 0..12 {
        let member = (page == 0).then_some((ann.participant.id, Some(Role::Member)));
        let mut append = append(session, fence, page * 50, &[text.as_str(); 50]);
        if let Some((participant, role)) = member {
            append = append.with_member(participant, role);
        }
        store.append(append).await.expect("appends");
    }
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(16 << 10).expect("is set");
    let address = server.url.trim_start_matches("http://");
    let mut tcp = socket.connect(address.parse().expect("an address")).await.expect("connects");
    let request = format!(
        "GET /api/v1/sessions/{session}/events HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\r\n",
        ann.token
    );
    tcp.write_all(request.as_bytes()).await.expect("writes");
    let mut head = [0; 15];
    with_timeout(tcp.read_exact(&mut head)).await.expect("answers");
    assert_eq!(&head, b"HTTP/1.1 200 OK");
    assert_eq!(server.node.sockets.traffic.connections.load(Relaxed), 1);
    wait_until_open(&server, 0).await;
    let mut rest = vec![];
    let _ = with_timeout(tcp.read_to_end(&mut rest)).await;
    assert!(rest.len() < 30 << 20, "it had not been sent");
}
