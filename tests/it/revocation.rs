//! Revoking a credential closes everything that was opened with it, on every node.

use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::demo_model::DemoSettings;
use roundtable::identity::{SecretHash, ServerRole};
use serde_json::json;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::fresh_database::{FreshDatabase, laws};
use crate::server::{self, Person, Server, with_timeout};
use crate::socket_harness::WebSocketClient;
use crate::sse::SseReader;

laws! {
    a_revoked_token_ends_sockets_and_streams_on_every_node,
    signing_out_on_one_node_ends_what_is_open_on_another,
    an_expired_credential_ends_sockets_and_streams,
}

/// Starts two nodes on one database, from which they read revocations. On PostgreSQL, they must receive each other's
/// messages; on SQLite, no messages ever pass between them. Two servers on one file would be wrong in other respects,
/// but for these tests they are equivalent to two nodes.
async fn nodes(fresh: &FreshDatabase) -> [Server; 2] {
    let prefix = format!("revocation-{}", uuid::Uuid::now_v7().simple());
    let settings = |config: &mut Config| {
        config.database_url = Some(fresh.url.clone());
        if fresh.url.starts_with("postgres") {
            config.redis_url = Some(servers::redis::shared());
            config.bus.prefix = prefix.clone();
        }
        config.identity.revocation_ms = 20;
        config.demo = DemoSettings { hold_after_tokens: Some(1), ..DemoSettings::fast() };
    };
    [Server::start_with(settings).await, Server::start_with(settings).await]
}

async fn cookie(server: &Server, person: &Person) -> String {
    let request = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": person.token }));
    let answer = request.send().await.expect("answers");
    let set = answer.headers()["set-cookie"].to_str().expect("text").to_owned();
    set.split_once(';').expect("a pair").0.to_owned()
}

/// Opens a socket with the value of a cookie, under the cookie name of this server.
async fn socket_by_cookie(server: &Server, cookie: &str) -> WebSocketClient {
    let (_, value) = cookie.split_once('=').expect("a pair");
    let port = server.url.rsplit_once(':').expect("a port").1;
    let url = format!("{}/api/v1/ws", server.url.replace("http", "ws"));
    let mut request = url.into_client_request().expect("a request");
    request.headers_mut().insert("cookie", format!("roundtable_{port}={value}").parse().expect("a value"));
    let (socket, _) = tokio_tungstenite::connect_async(request).await.expect("connects");
    let mut client = WebSocketClient { socket };
    client.wait_for("welcome").await;
    client
}

async fn a_revoked_token_ends_sockets_and_streams_on_every_node(fresh: FreshDatabase) {
    let nodes = nodes(&fresh).await;
    let ann = nodes[0].person("Ann", ServerRole::Member).await;
    let bob = nodes[0].person("Bob", ServerRole::Member).await;
    let session = nodes[0].session(&ann, &json!({ "title": "Payment" })).await;
    let (mut open, mut others) = (vec![], vec![]);
    for node in &nodes {
        open.push(WebSocketClient::connect_to_server(node, &ann).await);
        others.push(WebSocketClient::connect_to_server(node, &bob).await);
    }
    // A cookie obtained with the token ends with the token.
    open.push(socket_by_cookie(&nodes[1], &cookie(&nodes[0], &ann).await).await);
    let events = format!("/api/v1/sessions/{session}/events");
    let events = nodes[1].as_person(&ann, Method::GET, &events).send().await.expect("answers");
    let request = nodes[1].as_person(&ann, Method::POST, "/api/team-chat/stream");
    let door = request.json(&json!({ "message": "write" })).send().await.expect("answers");
    assert_eq!((events.status(), door.status()), (StatusCode::OK, StatusCode::OK));

    let id = SecretHash::of(&ann.token).id();
    assert_eq!(nodes[0].node.identities.revoke_tokens(&id).await.expect("revokes"), 1);
    for mut client in open {
        assert_eq!(client.close_code().await, 4501);
    }
    // The model holds its response forever, so nothing else ends this stream.
    let seen = with_timeout(SseReader::of(events).rest()).await;
    let last = &seen.last().expect("a reason").data;
    assert_eq!((&last["type"], &last["code"]), (&json!("closing"), &json!("unauthenticated")));
    with_timeout(SseReader::of(door).rest()).await;
    for mut client in others {
        client.send(json!({ "type": "ping" })).await;
        client.wait_for("pong").await;
    }
}

async fn signing_out_on_one_node_ends_what_is_open_on_another(fresh: FreshDatabase) {
    let nodes = nodes(&fresh).await;
    let ann = nodes[0].person("Ann", ServerRole::Member).await;
    let cookie = cookie(&nodes[0], &ann).await;
    let mut by_cookie = socket_by_cookie(&nodes[1], &cookie).await;
    let mut by_token = WebSocketClient::connect_to_server(&nodes[1], &ann).await;
    let out = nodes[0].request(Method::POST, "/api/v1/sign-out").header("cookie", &cookie).send().await;
    assert_eq!(out.expect("answers").status(), StatusCode::NO_CONTENT);
    assert_eq!(by_cookie.close_code().await, 4501);
    by_token.send(json!({ "type": "ping" })).await;
    by_token.wait_for("pong").await;
}

#[test]
fn a_node_checks_for_revocations_more_than_once_a_second() {
    assert!(Config::default().identity.revocation_ms <= 500, "what is open outlives its credential by a second");
}

async fn an_expired_credential_ends_sockets_and_streams(fresh: FreshDatabase) {
    let nodes = nodes(&fresh).await;
    let ann = nodes[0].person("Ann", ServerRole::Member).await;
    let mut client = WebSocketClient::connect_to_server(&nodes[0], &ann).await;
    let ago = roundtable::clock::now().millis() - 1_000;
    fresh.execute_sql(&format!("update credentials set expires_at = {ago}")).await;
    assert_eq!(client.close_code().await, 4501);
    let refused = nodes[1].as_person(&ann, Method::GET, "/api/v1/me").send().await.expect("answers");
    server::json(refused, StatusCode::UNAUTHORIZED).await;
}
