//! Several servers that share one PostgreSQL and one Redis, each in its own process, and failures of any of them.

use roundtable::identity::SecretHash;
use serde_json::{Value, json};

use super::server::ServerProcess;
use super::viewer::{SocketViewer, ViewerState, event};
use crate::fresh_database::FreshDatabase;
use crate::{postgres, redis};

/// Starts two nodes that detect failures quickly.
pub(super) async fn start_two_nodes(redis: &str) -> (ServerProcess, ServerProcess) {
    start_two_nodes_on(FreshDatabase::postgres().await, redis, "1000", "250").await
}

/// Starts two nodes whose leases last for this many milliseconds.
async fn start_two_nodes_on(
    database: FreshDatabase,
    redis: &str,
    lease: &str,
    renew: &str,
) -> (ServerProcess, ServerProcess) {
    let prefix = format!("test-{}", uuid::Uuid::now_v7().simple());
    let settings = [
        ("ROUNDTABLE_REDIS_URL", redis),
        ("ROUNDTABLE_BUS__PREFIX", &prefix),
        ("ROUNDTABLE_CLUSTER__LEASE_MS", lease),
        ("ROUNDTABLE_CLUSTER__RENEW_MS", renew),
        ("ROUNDTABLE_CLUSTER__TAKEOVER_MS", "100"),
        ("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "300"),
        ("ROUNDTABLE_DEMO__DELAY_MS", "0"),
        ("ROUNDTABLE_STORE__UNREADY_SECONDS", "2"),
    ];
    let one = ServerProcess::start_on(database, &settings).await;
    let two = one.start_another().await;
    (one, two)
}

fn is_writing(frame: &Value) -> bool {
    frame["type"] == "delta" && frame["at"].as_u64() > Some(40)
}

fn is_recovered(frame: &Value) -> bool {
    frame["data"]["recovered"] == true
}

/// Starts a run on the first node, watched from the second, and waits until an agent is writing a message.
pub(super) async fn start_mid_message(one: &ServerProcess, two: &ServerProcess) -> (String, SocketViewer, ViewerState) {
    let session = one.create().await;
    let (mut seen, mut viewer) = (ViewerState::default(), two.viewer().await);
    viewer.join(&session, 0).await;
    viewer.wait_for(&mut seen, |frame| frame["type"] == "caught_up").await.expect("is there");
    viewer.command(&session, "c1", "say", json!({ "text": "write test cases for refunds" })).await;
    viewer.wait_for(&mut seen, is_writing).await.expect("is seen as it is written");
    (session, viewer, seen)
}

/// Runs from the gate to the end, with a vote through this viewer, and checks that the viewer saw exactly the log.
async fn finish(on: &ServerProcess, session: &str, mut viewer: SocketViewer, mut seen: ViewerState) {
    viewer.wait_for(&mut seen, event("gate.opened")).await.expect("asks people");
    viewer.command(session, "c2", "say", json!({ "text": "approve" })).await;
    viewer.wait_for(&mut seen, event("run.finished")).await.expect("finishes");
    let log = on.log(session).await;
    assert!(log.starts_with(&seen.events) && log.len() - seen.events.len() < 3, "what was seen is the log");
    let posted = log.iter().filter(|event| event["event"] == "message.posted").count();
    assert_eq!(posted, 2, "each command counted once");
}

#[tokio::test]
async fn a_run_continues_for_viewers_of_another_node_after_a_kill() {
    let (mut one, two) = start_two_nodes(&redis::shared()).await;
    let (session, mut viewer, mut seen) = start_mid_message(&one, &two).await;
    one.kill().await;
    viewer.wait_for(&mut seen, is_recovered).await.expect("the turn is taken up");
    viewer.command(&session, "c1", "say", json!({ "text": "write test cases for refunds" })).await;
    finish(&two, &session, viewer, seen).await;
}

#[tokio::test]
async fn a_node_that_slept_past_its_lease_writes_nothing_and_shows_what_others_wrote() {
    let (one, two) = start_two_nodes(&redis::shared()).await;
    let (session, mut viewer, mut seen) = start_mid_message(&one, &two).await;
    let (mut here, mut here_seen) = (one.viewer().await, ViewerState::default());
    here.join(&session, 0).await;
    here.wait_for(&mut here_seen, |frame| frame["type"] == "caught_up").await.expect("is there");
    one.signal("STOP").await;
    viewer.wait_for(&mut seen, is_recovered).await.expect("the turn is taken up");
    one.signal("CONT").await;
    here.wait_for(&mut here_seen, is_recovered).await.expect("hears of it when it wakes");
    finish(&one, &session, here, here_seen).await;
    viewer.wait_for(&mut seen, event("run.finished")).await.expect("sees the same");
}

#[tokio::test]
async fn a_node_that_stops_hands_over_at_once() {
    let (mut one, two) = start_two_nodes(&redis::shared()).await;
    let (session, mut viewer, mut seen) = start_mid_message(&one, &two).await;
    one.signal("TERM").await;
    viewer.wait_for(&mut seen, is_recovered).await.expect("the turn is taken up");
    one.wait_for_exit().await;
    finish(&two, &session, viewer, seen).await;
}

#[tokio::test]
async fn a_token_revoked_by_the_command_line_is_disconnected_on_every_node() {
    let (one, two) = start_two_nodes(&redis::shared()).await;
    let token = one.command(&["token", "create", "--name", "bob"]).await;
    let (mut here, mut there) =
        (SocketViewer::connect(&one.url, &token).await, SocketViewer::connect(&two.url, &token).await);
    for viewer in [&mut here, &mut there] {
        viewer.wait_for(&mut ViewerState::default(), |frame| frame["type"] == "welcome").await.expect("is known");
    }
    let mut ada = two.viewer().await;
    one.command(&["token", "revoke", &SecretHash::of(&token).id()]).await;
    for viewer in [&mut here, &mut there] {
        assert_eq!(viewer.next().await, None);
        assert_eq!(viewer.code, Some(4501));
    }
    ada.send(json!({ "type": "ping" })).await;
    ada.wait_for(&mut ViewerState::default(), |frame| frame["type"] == "pong").await.expect("stays");
}

#[tokio::test]
async fn without_redis_viewers_of_another_node_read_the_store() {
    let mut redis = redis::Server::start(&[]);
    // The lease is long enough even for a slow machine: a session that the second node took over would be live there
    // without Redis.
    let (one, two) = start_two_nodes_on(FreshDatabase::postgres().await, &redis.url(), "60000", "1000").await;
    let (session, mut viewer, mut seen) = start_mid_message(&one, &two).await;
    redis.kill();
    let live = |is: bool| move |frame: &Value| frame["name"] == "liveness" && frame["data"]["live"] == is;
    viewer.wait_for(&mut seen, live(false)).await.expect("is told");
    // On a slow machine, the gate can open before Redis is gone.
    if !seen.events.iter().any(event("gate.opened")) {
        viewer.wait_for(&mut seen, event("gate.opened")).await.expect("reads the store");
    }
    redis.launch();
    viewer.wait_for(&mut seen, live(true)).await.expect("is told");
    // Each node reconnects on its own schedule. Until the writing node has reconnected, its deltas reach no other node.
    one.wait_for_bus().await;
    // Only Redis was restarted, and text is again shown as it is written.
    let (mut owner, mut ignored) = (one.viewer().await, ViewerState::default());
    owner.join(&session, 0).await;
    owner.wait_for(&mut ignored, |frame| frame["type"] == "caught_up").await.expect("is there");
    owner.command(&session, "c3", "say", json!({ "text": "add boundary tests" })).await;
    viewer.wait_for(&mut seen, is_writing).await.expect("is seen as it is written");
    viewer.wait_for(&mut seen, event("gate.opened")).await.expect("asks people");
    viewer.command(&session, "c2", "say", json!({ "text": "approve" })).await;
    viewer.wait_for(&mut seen, event("run.finished")).await.expect("finishes");
    assert!(two.log(&session).await.starts_with(&seen.events), "what was seen is the log");
}

#[tokio::test]
async fn responses_that_complete_while_postgresql_is_down_are_kept() {
    let mut postgres = postgres::Cluster::start();
    // The leases are long enough even for a slow machine, so that only the database's clock ends them.
    let (one, two) = start_two_nodes_on(FreshDatabase::on(&postgres).await, &redis::shared(), "60000", "1000").await;
    let mut watched = [start_mid_message(&one, &two).await, start_mid_message(&two, &one).await];
    // PostgreSQL comes back after the leases have expired: whichever node renews first finds that the other's sessions
    // have no living owner.
    one.database().set_clock_ahead_for_new_connections("5 minutes").await;
    postgres.stop();
    one.wait_for_readiness(503).await;
    two.wait_for_readiness(503).await;
    postgres.launch();
    for watched in &mut watched {
        assert_model_asked_once(watched).await;
    }
}

/// Checks that the response is written to its end, and that no model was asked twice.
async fn assert_model_asked_once((_, viewer, seen): &mut (String, SocketViewer, ViewerState)) {
    viewer.wait_for(seen, event("gate.opened")).await.expect("asks people");
    let attempts: Vec<_> = seen.events.iter().filter(|event| event["event"] == "message.started").collect();
    assert!(attempts.iter().all(|event| event["data"]["attempt"] == 1), "{attempts:?}");
}

#[tokio::test]
async fn responses_that_complete_while_postgresql_is_frozen_are_kept() {
    let mut postgres = postgres::Cluster::start();
    let database = FreshDatabase::on(&postgres).await;
    // The clock function is set before any node starts, so that all connections see the clock jump.
    database.set_clock_ahead_for_new_connections("0 minutes").await;
    // The interval between renewals is long enough that an append comes before the next renewal, and short enough that
    // no node may take over a session before then.
    let (one, two) = start_two_nodes_on(database, &redis::shared(), "15000", "5000").await;
    let mut watched = [start_mid_message(&one, &two).await, start_mid_message(&two, &one).await];
    // All leases have expired by the time PostgreSQL continues.
    one.database().set_clock_ahead_for_new_connections("5 minutes").await;
    postgres.freeze();
    one.wait_for_readiness(503).await;
    two.wait_for_readiness(503).await;
    postgres.thaw();
    for watched in &mut watched {
        assert_model_asked_once(watched).await;
    }
}
