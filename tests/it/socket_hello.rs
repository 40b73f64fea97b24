//! Authentication: the client has a time limit for it, and the server's own slowness does not count against that limit.

use std::sync::Arc;
use std::time::Duration;

use roundtable::feed::FeedSettings;
use roundtable::identity::ServerRole;
use roundtable::socket::SocketSettings;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::server::with_timeout;
use crate::socket_harness::{SlowIdentityStore, SocketHarness, WebSocketClient};

/// Starts a server whose lookups wait, with a client that is not authenticated yet.
async fn start(ping_seconds: u64) -> (SocketHarness, Arc<SlowIdentityStore>, WebSocketClient) {
    let bounds = SocketSettings { hello_seconds: 100, ping_seconds, join_seconds: 600, ..SocketSettings::default() };
    let mut slow_store = None;
    let harness = SocketHarness::start_with_identities(bounds, FeedSettings::default(), |identities| {
        slow_store.insert(SlowIdentityStore::new(identities)).clone()
    })
    .await;
    let client = WebSocketClient::connect(&harness).await;
    (harness, slow_store.expect("was set up"), client)
}

fn hello(token: &str) -> serde_json::Value {
    json!({ "type": "hello", "token": token })
}

/// Advances the clock by this many seconds in one step.
async fn advance_clock(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

async fn wait_for_lookups(identities: &SlowIdentityStore, count: u64) {
    with_timeout(identities.lookups.subscribe().wait_for(|lookups| *lookups == count)).await.expect("is there");
}

#[tokio::test]
async fn a_slow_lookup_does_not_count_against_the_hello_timeout() {
    let (harness, identities, mut client) = start(200).await;
    let (_, token) = harness.person("Ann", ServerRole::Member).await;
    client.send(hello(&token)).await;
    wait_for_lookups(&identities, 1).await;
    advance_clock(201).await;
    // The connection's timer fired and found no reason to close.
    let ping = client.message().await;
    assert!(matches!(ping, Some(Message::Ping(_))), "{ping:?}");
    identities.permits.add_permits(1);
    client.wait_for("welcome").await;
    advance_clock(201).await;
    let ping = client.message().await;
    assert!(matches!(ping, Some(Message::Ping(_))), "{ping:?}");
}

#[tokio::test]
async fn a_hello_with_an_unknown_token_does_not_extend_the_timeout() {
    let (_harness, identities, mut client) = start(3600).await;
    identities.permits.add_permits(1);
    advance_clock(60).await;
    client.send(hello("rt_token_guess")).await;
    assert_eq!(client.wait_for("error").await["code"], "unauthenticated");
    advance_clock(50).await;
    assert_eq!(client.close_code().await, 4500);
}

#[tokio::test]
async fn repeated_hellos_do_not_keep_a_socket_open() {
    let (_harness, identities, mut client) = start(3600).await;
    for _ in 0..3 {
        client.send(hello("rt_token_guess")).await;
    }
    wait_for_lookups(&identities, 1).await;
    advance_clock(101).await;
    identities.permits.add_permits(3);
    assert_eq!(client.wait_for("error").await["code"], "unauthenticated");
    assert_eq!(client.close_code().await, 4500);
    assert_eq!(*identities.lookups.borrow(), 1);
}

#[tokio::test]
async fn a_slow_identity_lookup_closes_with_try_again() {
    let (harness, identities, mut client) = start(3600).await;
    let (_, token) = harness.person("Ann", ServerRole::Member).await;
    client.send(hello(&token)).await;
    wait_for_lookups(&identities, 1).await;
    advance_clock(101).await;
    identities.permits.close();
    assert_eq!(client.wait_for("error").await["code"], "store_unavailable");
    assert_eq!(client.close_code().await, 4003);
}
