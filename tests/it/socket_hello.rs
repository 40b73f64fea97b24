//! Authentication: the client has a time limit for it, and the server's own slowness does not count against that limit.

use std::sync::Arc;
use std::time::Duration;

use roundtable::feed::FeedSettings;
use roundtable::identity::ServerRole;
use roundtable::socket::SocketSettings;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use crate::live::{Client, Live, SlowIdentityStore};
use crate::server::soon;

/// A server whose lookups wait, with a client that is not authenticated yet.
async fn begin(ping_seconds: u64) -> (Live, Arc<SlowIdentityStore>, Client) {
    let bounds = SocketSettings { hello_seconds: 100, ping_seconds, join_seconds: 600, ..SocketSettings::default() };
    let mut desk = None;
    let live = Live::asking(bounds, FeedSettings::default(), |identities| {
        desk.insert(SlowIdentityStore::new(identities)).clone()
    })
    .await;
    let client = Client::connect(&live).await;
    (live, desk.expect("was set up"), client)
}

fn hello(token: &str) -> serde_json::Value {
    json!({ "type": "hello", "token": token })
}

/// Advances the clock by this many seconds in one step.
async fn pass(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

async fn until_asked(desk: &SlowIdentityStore, count: u64) {
    soon(desk.asked.subscribe().wait_for(|asked| *asked == count)).await.expect("is there");
}

#[tokio::test]
async fn while_the_server_looks_a_client_up_the_client_is_not_late() {
    let (live, desk, mut client) = begin(200).await;
    let (_, token) = live.person("Ann", ServerRole::Member).await;
    client.send(hello(&token)).await;
    until_asked(&desk, 1).await;
    pass(201).await;
    // The connection's timer fired and found no reason to close.
    let ping = client.message().await;
    assert!(matches!(ping, Some(Message::Ping(_))), "{ping:?}");
    desk.permits.add_permits(1);
    client.until("welcome").await;
    pass(201).await;
    let ping = client.message().await;
    assert!(matches!(ping, Some(Message::Ping(_))), "{ping:?}");
}

#[tokio::test]
async fn a_hello_of_nobody_gives_no_further_time() {
    let (_live, desk, mut client) = begin(3600).await;
    desk.permits.add_permits(1);
    pass(60).await;
    client.send(hello("rt_token_guess")).await;
    assert_eq!(client.until("error").await["code"], "unauthenticated");
    pass(50).await;
    assert_eq!(client.closed().await, 4500);
}

#[tokio::test]
async fn hellos_one_after_the_other_do_not_keep_a_socket_open() {
    let (_live, desk, mut client) = begin(3600).await;
    for _ in 0..3 {
        client.send(hello("rt_token_guess")).await;
    }
    until_asked(&desk, 1).await;
    pass(101).await;
    desk.permits.add_permits(3);
    assert_eq!(client.until("error").await["code"], "unauthenticated");
    assert_eq!(client.closed().await, 4500);
    assert_eq!(*desk.asked.borrow(), 1);
}

#[tokio::test]
async fn a_slow_identity_lookup_closes_with_try_again() {
    let (live, desk, mut client) = begin(3600).await;
    let (_, token) = live.person("Ann", ServerRole::Member).await;
    client.send(hello(&token)).await;
    until_asked(&desk, 1).await;
    pass(101).await;
    desk.permits.close();
    assert_eq!(client.until("error").await["code"], "store_unavailable");
    assert_eq!(client.closed().await, 4003);
}
