//! Two versions in one cluster: the older one safely handles messages that it does not know.

use std::time::Duration;

use roundtable::bus::{BusSettings, Urgency};
use roundtable::kernel::*;
use roundtable::node_id::NodeId;
use roundtable::orchestrator::ClusterSettings;
use roundtable::peer_messages;
use roundtable::protocol::Code;
use roundtable::store::LiveNode;
use serde_json::{Value, json};

use super::harness::{ClusterHarness, fast_settings};
use crate::fresh_database::FreshDatabase;
use crate::run::harness::{say, sender};

const TIMEOUT: Duration = Duration::from_secs(20);

/// Encodes a participant's command as a later version does.
fn encode_command(session: SessionId, id: &str, command: &Value) -> Value {
    let CommandSender::Participant { actor, .. } = sender(id) else { unreachable!("a participant") };
    let mut actor = json!(actor);
    actor["later"] = json!({ "unknown": true });
    json!({ "command": {
        "session": session, "actor": actor, "id": id, "granted_role": null, "command": command, "later": [1]
    } })
}

#[tokio::test]
async fn unknown_parts_of_a_request_of_a_later_version_are_ignored() {
    let cluster = ClusterHarness::on(FreshDatabase::sqlite().await).await;
    let one = cluster.add_node(fast_settings()).await;
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    let later = cluster.hub.join(NodeId::fresh(), &BusSettings::default());
    let ask = async |question: Value| {
        let answer = later.bus.ask(one.me.node, peer_messages::encode(&question), TIMEOUT).await.expect("answers");
        serde_json::from_slice::<Value>(&answer).expect("JSON")
    };
    for unknown in [json!({ "teleport": { "to": session } }), json!("teleport"), json!(7)] {
        assert_eq!(ask(unknown).await, "elsewhere");
    }
    assert_eq!(ask(encode_command(session, "c1", &json!({ "Teleport": { "to": "the moon" } }))).await, "elsewhere");
    let mut known = json!(say("write"));
    known["Say"]["later"] = json!("more");
    let first = ask(encode_command(session, "c2", &known)).await;
    assert!(first["done"].as_u64().is_some(), "{first}");
    assert_eq!(ask(encode_command(session, "c2", &known)).await, first, "counts once");
}

#[tokio::test]
async fn messages_of_a_later_version_are_skipped() {
    let cluster = ClusterHarness::on(FreshDatabase::sqlite().await).await;
    let one = cluster.add_node(fast_settings()).await;
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    let mut viewer = one.open_viewer(session).await;
    let later = cluster.hub.join(NodeId::fresh(), &BusSettings::default());
    for news in [json!({ "later": {} }), json!({ "type": "later" }), json!({ "here": { "later": 1 } }), json!(null)] {
        later.bus.publish(session, peer_messages::encode(&news), Urgency::Now);
    }
    one.submit(session, "c1", say("write")).await.expect("accepted");
    viewer.wait_for("gate.opened").await;
    cluster.assert_sees_whole_log(&mut viewer, session).await;
}

#[tokio::test]
async fn an_unknown_reply_of_a_later_version_counts_as_no_reply() {
    let cluster = ClusterHarness::on(FreshDatabase::sqlite().await).await;
    let one = cluster.add_node(ClusterSettings { forward_ms: 100, ..fast_settings() }).await;
    let me = LiveNode { node: NodeId::fresh(), name: "later".into(), version: "2".into(), bus: None };
    let mut later = cluster.hub.join(me.node, &BusSettings::default());
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    cluster.transfer_session(&one, &me, session).await;
    tokio::spawn(async move {
        while let Some(request) = later.requests.recv().await {
            request.reply(peer_messages::encode(&json!({ "postponed": { "until": "later" } })));
        }
    });
    // The command is neither executed nor lost: the sender is told to retry it.
    let problem = one.submit(session, "c1", say("write")).await.expect_err("is not answered");
    assert_eq!(problem.code(), Code::Busy);
    assert!(cluster.log(session).await.iter().all(|event| !matches!(event.fact, Fact::MessagePosted { .. })));
}
