//! A node that is replaced while people watch: it hands over its sessions and sends its viewers elsewhere.

use std::time::Duration;

use futures_util::future::{join_all, select_all};
use serde_json::json;

use super::cluster::{in_mid_sentence, two};
use super::server::ServerProcess;
use super::viewer::{Seen, SocketViewer, event};
use crate::fresh_database::Fresh;
use crate::redis;

/// This many viewers of one session on this node, all of them caught up with its log.
async fn crowd(on: &ServerProcess, session: &str, size: usize) -> Vec<(SocketViewer, Seen)> {
    let come = async |_| {
        let (mut viewer, mut seen) = (on.viewer().await, Seen::default());
        viewer.join(session, 0).await;
        viewer.until(&mut seen, |frame| frame["type"] == "caught_up").await.expect("is there");
        (viewer, seen)
    };
    join_all((0..size).map(come)).await
}

#[tokio::test]
async fn viewers_of_a_node_that_is_replaced_go_on_elsewhere_and_miss_nothing() {
    let (mut one, two) = two(&redis::shared()).await;
    let (session, mut elsewhere, mut all) = in_mid_sentence(&one, &two).await;
    let crowd = crowd(&one, &session, 40).await;
    one.signal("TERM").await;
    let follow = async |(mut viewer, mut seen): (SocketViewer, Seen)| {
        // As every client does: rejoin with the last seq on any available node, until the gate opens.
        if viewer.until(&mut seen, |_| false).await.is_none() {
            assert_eq!(viewer.code, Some(4000), "sent elsewhere, and told so");
        }
        let mut viewer = two.viewer().await;
        viewer.join(&session, seen.seq()).await;
        if !seen.events.iter().any(event("gate.opened")) {
            viewer.until(&mut seen, event("gate.opened")).await.expect("goes on");
        }
        (viewer, seen)
    };
    let mut moved = join_all(crowd.into_iter().map(follow)).await;
    one.ended().await;
    // All viewers have arrived, and so has the run.
    let (voter, _) = &mut moved[0];
    voter.command(&session, "approval", "say", json!({ "text": "approve" })).await;
    elsewhere.until(&mut all, event("run.finished")).await.expect("finishes");
    let end = |frame: &serde_json::Value| frame["event"] == "run.finished";
    join_all(moved.into_iter().map(async |(mut viewer, mut seen)| {
        viewer.until(&mut seen, end).await.expect("sees it");
        assert!(all.events.starts_with(&seen.events) || seen.events.starts_with(&all.events), "one log");
    }))
    .await;
    assert!(two.log(&session).await.starts_with(&all.events), "what was seen is the log");
}

#[tokio::test]
async fn a_second_signal_ends_a_node_that_takes_its_time() {
    let settings = [("ROUNDTABLE_SOCKET__DRAIN_MS", "60000")];
    let mut server = ServerProcess::start(&settings).await;
    let session = server.create().await;
    let crowd = crowd(&server, &session, 60).await;
    server.signal("TERM").await;
    // The first viewer is sent away within about a second; the others would follow over a minute.
    let gone = crowd.into_iter().map(|(mut viewer, mut seen)| {
        Box::pin(async move {
            viewer.until(&mut seen, |_| false).await;
            viewer
        })
    });
    let (first, _, others) = select_all(gone).await;
    assert_eq!(first.code, Some(4000));
    server.signal("TERM").await;
    assert_eq!(server.ended().await.code(), Some(130));
    drop(others);
}

#[tokio::test]
async fn a_node_ends_in_its_time_also_where_its_database_hangs() {
    let settings = [("ROUNDTABLE_HTTP__DRAIN_SECONDS", "1"), ("ROUNDTABLE_SOCKET__DRAIN_MS", "0")];
    let mut server = ServerProcess::start_on(Fresh::postgres().await, &settings).await;
    server.create().await;
    let hangs = server.database().lock().await;
    server.signal("TERM").await;
    let ended = tokio::time::timeout(Duration::from_secs(8), server.ended()).await;
    assert!(ended.expect("ends long before its database answers").success());
    hangs.release().await;
}
