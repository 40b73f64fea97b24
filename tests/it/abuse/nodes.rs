//! A participant who floods one node of a cluster with chat, and another who presses stop on a different node.

use std::convert::Infallible;

use serde_json::json;

use super::{AbuseCounter, http, run_concurrently};
use crate::fresh_database::FreshDatabase;
use crate::process::server::ServerProcess;
use crate::process::viewer::{ViewerState, event};
use crate::redis;
use crate::server::with_timeout;

/// Number of presses of pause and resume during the flood, below the burst limit.
const PRESSES: usize = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_chat_on_one_node_does_not_delay_a_stop_on_another() {
    let prefix = format!("test-{}", uuid::Uuid::now_v7().simple());
    let redis = redis::shared();
    let settings = [
        ("ROUNDTABLE_REDIS_URL", &*redis),
        ("ROUNDTABLE_BUS__PREFIX", &prefix),
        ("ROUNDTABLE_DEMO__RESPONSE_TOKENS", "5000"),
        ("ROUNDTABLE_DEMO__DELAY_MS", "0"),
    ];
    let one = ServerProcess::start_on(FreshDatabase::postgres().await, &settings).await;
    let two = one.start_another().await;
    let session = two.create().await;
    let (mut viewer, mut seen) = (two.viewer().await, ViewerState::default());
    viewer.join(&session, 0).await;
    viewer.command(&session, "begin", "say", json!({ "text": "write on" })).await;
    viewer.wait_for(&mut seen, |frame| frame["type"] == "delta").await.expect("writes");

    let counter = AbuseCounter::default();
    let url = format!("{}/api/v1/sessions/{session}/commands", one.url);
    let flood =
        run_concurrently([0, 1, 2, 3].map(|number| chat(url.clone(), one.token.clone(), number, counter.clone())));
    let flood = tokio::spawn(flood);
    with_timeout(counter.wait_for(|acts| acts.accepted > 0 && acts.rejected > 0)).await;
    let run = seen.run().clone();
    for press in 0..PRESSES {
        let (id, name) = (format!("press{press}"), ["pause", "resume"][press % 2]);
        viewer.command(&session, &id, name, json!({ "run": run })).await;
        let answer = viewer.wait_for(&mut seen, |frame| frame["id"] == *id).await.expect("an answer");
        assert_eq!(answer["type"], "ack", "{name}, press {press}: {answer}");
    }
    viewer.command(&session, "stop", "interrupt", json!({ "run": run })).await;
    viewer.wait_for(&mut seen, event("control.effective")).await.expect("stops");
    assert!(!flood.is_finished(), "the flood goes on");
    flood.abort();
}

/// Sends messages to people in an endless loop.
async fn chat(url: String, token: String, number: usize, counter: AbuseCounter) -> Infallible {
    let (http, mut sent) = (http(), 0);
    loop {
        sent += 1;
        let say = json!({ "id": format!("flood{number}_{sent}"), "do": "say", "data": { "text": "@people hi" } });
        counter.count_response(http.post(&url).bearer_auth(&token).json(&say).send().await.expect("answers").status());
    }
}
