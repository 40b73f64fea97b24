//! A full disk.

use serde_json::json;

use super::server::ServerProcess;
use super::viewer::{ViewerState, event};

#[tokio::test]
async fn a_full_disk_refuses_commands_until_there_is_room() {
    let server = ServerProcess::start(&[("ROUNDTABLE_STORE__UNREADY_SECONDS", "1")]).await;
    let session = server.create().await;
    let (mut viewer, mut seen) = (server.viewer().await, ViewerState::default());
    viewer.join(&session, 0).await;
    viewer.command(&session, "c1", "say", json!({ "text": "@people first" })).await;
    viewer.wait_for(&mut seen, |frame| frame["id"] == "c1").await.expect("is taken");
    let before = server.log(&session).await;

    server.allow_file_growth(false).await;
    let say = json!({ "text": "@people second" });
    viewer.command(&session, "c2", "say", say.clone()).await;
    let refused = viewer.wait_for(&mut seen, |frame| frame["id"] == "c2").await.expect("is answered");
    assert_eq!((&refused["type"], &refused["code"]), (&json!("error"), &json!("store_unavailable")), "{refused}");
    server.wait_for_readiness(503).await;
    assert_eq!(server.log(&session).await, before, "what is there can be read, and nothing more is there");

    server.allow_file_growth(true).await;
    server.wait_for_readiness(200).await;
    viewer.command(&session, "c2", "say", say).await;
    let posted = viewer.wait_for(&mut seen, |frame| event("message.posted")(frame) && frame["seq"] != 1).await;
    assert_eq!(posted.expect("is shown")["data"]["text"], "@people second");
    assert!(server.log(&session).await.starts_with(&seen.events), "what was seen is the log");
}
