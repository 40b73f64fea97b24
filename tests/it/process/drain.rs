//! A node that is replaced while people watch: it hands over its sessions and sends its viewers elsewhere.

use std::time::Duration;

use futures_util::future::{join_all, select_all};
use serde_json::json;

use super::cluster::{start_mid_message, start_two_nodes};
use super::server::ServerProcess;
use super::viewer::{SocketViewer, ViewerState, event};
use crate::fresh_database::FreshDatabase;
use crate::redis;

/// Connects this many viewers of one session to this node, and waits until all of them have caught up with the log.
async fn connect_viewers(on: &ServerProcess, session: &str, size: usize) -> Vec<(SocketViewer, ViewerState)> {
    let come = async |_| {
        let (mut viewer, mut seen) = (on.viewer().await, ViewerState::default());
        viewer.join(session, 0).await;
        viewer.wait_for(&mut seen, |frame| frame["type"] == "caught_up").await.expect("is there");
        (viewer, seen)
    };
    join_all((0..size).map(come)).await
}

#[tokio::test]
async fn viewers_of_a_replaced_node_continue_elsewhere_and_miss_nothing() {
    let (mut one, two) = start_two_nodes(&redis::shared()).await;
    let (session, mut elsewhere, mut all) = start_mid_message(&one, &two).await;
    let crowd = connect_viewers(&one, &session, 40).await;
    one.signal("TERM").await;
    let follow = async |(mut viewer, mut seen): (SocketViewer, ViewerState)| {
        // Does what every client does: rejoins with the last seq on any available node, until the gate opens.
        if viewer.wait_for(&mut seen, |_| false).await.is_none() {
            assert_eq!(viewer.code, Some(4000), "sent elsewhere, and told so");
        }
        let mut viewer = two.viewer().await;
        viewer.join(&session, seen.seq()).await;
        if !seen.events.iter().any(event("gate.opened")) {
            viewer.wait_for(&mut seen, event("gate.opened")).await.expect("goes on");
        }
        (viewer, seen)
    };
    let mut moved = join_all(crowd.into_iter().map(follow)).await;
    one.wait_for_exit().await;
    // All viewers have moved to the other node, and so has the run.
    let (voter, _) = &mut moved[0];
    voter.command(&session, "approval", "say", json!({ "text": "approve" })).await;
    elsewhere.wait_for(&mut all, event("run.finished")).await.expect("finishes");
    let end = |frame: &serde_json::Value| frame["event"] == "run.finished";
    join_all(moved.into_iter().map(async |(mut viewer, mut seen)| {
        viewer.wait_for(&mut seen, end).await.expect("sees it");
        assert!(all.events.starts_with(&seen.events) || seen.events.starts_with(&all.events), "one log");
    }))
    .await;
    assert!(two.log(&session).await.starts_with(&all.events), "what was seen is the log");
}

#[tokio::test]
async fn a_second_signal_ends_a_draining_node() {
    let settings = [("ROUNDTABLE_SOCKET__DRAIN_MS", "60000")];
    let mut server = ServerProcess::start(&settings).await;
    let session = server.create().await;
    let crowd = connect_viewers(&server, &session, 60).await;
    server.signal("TERM").await;
    // The first viewer is disconnected within about a second; the others would follow over a minute.
    let closings = crowd.into_iter().map(|(mut viewer, mut seen)| {
        Box::pin(async move {
            viewer.wait_for(&mut seen, |_| false).await;
            viewer
        })
    });
    let (first, _, others) = select_all(closings).await;
    assert_eq!(first.code, Some(4000));
    server.signal("TERM").await;
    assert_eq!(server.wait_for_exit().await.code(), Some(130));
    drop(others);
}

#[tokio::test]
async fn a_node_stops_in_time_even_if_its_database_hangs() {
    let settings = [("ROUNDTABLE_HTTP__DRAIN_SECONDS", "1"), ("ROUNDTABLE_SOCKET__DRAIN_MS", "0")];
    let mut server = ServerProcess::start_on(FreshDatabase::postgres().await, &settings).await;
    server.create().await;
    let hangs = server.database().lock().await;
    server.signal("TERM").await;
    let ended = tokio::time::timeout(Duration::from_secs(8), server.wait_for_exit()).await;
    assert!(ended.expect("ends long before its database answers").success());
    hangs.release().await;
}
