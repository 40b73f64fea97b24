//! `kill -9` in the middle of a turn, at several points of a run: the run continues, and the log has no gap, on either
//! database engine.

use serde_json::json;

use super::server::ServerProcess;
use super::viewer::{ViewerState, event};
use crate::fresh_database::{FreshDatabase, laws};

laws! { a_run_survives_a_kill_in_every_phase }

#[tokio::test]
async fn a_second_server_on_the_same_data_is_refused() {
    let server = ServerProcess::start(&[]).await;
    let second = tokio::time::timeout(crate::server::TIMEOUT, server.start_second(&[])).await.expect("ends at once");
    let text = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success() && text.contains("another server uses this database"), "{text}");
}

#[tokio::test]
async fn a_second_server_on_the_same_file_is_refused_by_any_path() {
    let server = ServerProcess::start(&[]).await;
    let elsewhere = tempfile::tempdir().expect("makes a folder");
    let link = elsewhere.path().join("linked.db");
    std::os::unix::fs::symlink(server.database().file(), &link).expect("makes a link");
    let (folder, url) = (elsewhere.path().join("data"), format!("sqlite://{}", link.display()));
    let paths = [("ROUNDTABLE_DATA_DIR", folder.to_str().expect("text")), ("ROUNDTABLE_DATABASE_URL", &url)];
    let second = tokio::time::timeout(crate::server::TIMEOUT, server.start_second(&paths)).await.expect("ends at once");
    let text = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success() && text.contains("another server uses this database"), "{text}");
}

async fn a_run_survives_a_kill_in_every_phase(fresh: FreshDatabase) {
    let demo = [("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "400"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    let mut server = ServerProcess::start_on(fresh, &demo).await;
    let session = server.create().await;
    let mut seen = ViewerState::default();
    let mut viewer = server.viewer().await;
    viewer.join(&session, 0).await;
    viewer.command(&session, "c1", "say", json!({ "text": "write test cases for refunds" })).await;

    // The server is killed in the middle of the generator's text, then in the middle of the reviewer's.
    for agent in ["TestCase_Generator", "TestCase_Reviewer"] {
        let is_started =
            |frame: &serde_json::Value| frame["event"] == "message.started" && frame["data"]["agent"] == agent;
        viewer.wait_for(&mut seen, is_started).await.expect("begins");
        viewer
            .wait_for(&mut seen, |frame| frame["type"] == "delta" && frame["at"].as_u64() > Some(40))
            .await
            .expect("writes");
        server.kill().await;
        while viewer.wait_for(&mut seen, |_| false).await.is_some() {}
        server.restart().await;
        viewer = server.viewer().await;
        viewer.join(&session, seen.seq()).await;
        // A retry after the crash gets the first reply.
        viewer.command(&session, "c1", "say", json!({ "text": "write test cases for refunds" })).await;
        let again = |frame: &serde_json::Value| frame["data"]["recovered"] == true;
        viewer.wait_for(&mut seen, again).await.expect("the turn is taken up");
    }
    viewer.wait_for(&mut seen, event("gate.opened")).await.expect("asks people");

    // The server is killed while the run waits for people.
    server.kill().await;
    server.restart().await;
    viewer = server.viewer().await;
    viewer.join(&session, seen.seq()).await;
    viewer.command(&session, "c2", "say", json!({ "text": "approve" })).await;
    viewer.wait_for(&mut seen, event("run.finished")).await.expect("finishes");

    let log = server.log(&session).await;
    assert!(log == seen.events, "what was seen is the log, gapless over three crashes");
    let posted = log.iter().filter(|event| event["event"] == "message.posted").count();
    assert_eq!(posted, 2, "each command counted once");
}
