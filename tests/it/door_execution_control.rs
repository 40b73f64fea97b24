//! Control of executions over WebSocket, while their callers read events.

use reqwest::StatusCode;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::door_executions::{ExecutionHarness, input};
use crate::door_teams::{create, document};
use crate::server::{Server, with_timeout};
use crate::socket_harness::WebSocketClient;
use crate::sse::{SseEvent, SseReader};

/// A participant of an execution's session, on a WebSocket.
struct Controller {
    client: WebSocketClient,
    session: SessionId,
    run: Value,
    sent: u32,
}

impl Controller {
    /// Joins the session of an execution.
    async fn join(harness: &ExecutionHarness, id: &str) -> (Self, Value) {
        let session: SessionId = format!("s_{}", id.replace('-', "")).parse().expect("an id");
        let mut client = WebSocketClient::connect_to_server(&harness.server, &harness.ann).await;
        let state = client.join(session, None).await["snapshot"]["state"].clone();
        let run = state["run"]["id"].clone();
        (Self { client, session, run, sent: 0 }, state)
    }

    /// Sends a command, and returns its acknowledgement.
    async fn command(&mut self, name: &str, data: Value, rev: Option<&Value>) -> Value {
        self.sent += 1;
        let id = format!("c_{}", self.sent);
        let mut frame = json!({ "type": "command", "session": self.session, "id": id, "do": name, "data": data });
        if let Some(rev) = rev {
            frame["expect"] = json!({ "rev": rev });
        }
        self.client.send(frame).await;
        self.wait_for(|frame| frame["id"] == *id && (frame["type"] == "ack" || frame["type"] == "error")).await
    }

    async fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        let frame = async {
            loop {
                let frame = self.client.next().await;
                if wanted(&frame) {
                    return frame;
                }
            }
        };
        with_timeout(frame).await
    }
}

/// Returns the names of the events, the last of which must be the completion of the execution.
fn names(events: &[SseEvent]) -> Vec<&str> {
    let names: Vec<&str> = events.iter().filter_map(|sent| sent.data["event"].as_str()).collect();
    assert_eq!(names.last(), Some(&"execution_complete"), "{names:?}");
    assert_eq!(names.iter().filter(|name| **name == "node_complete").count(), 3, "every node once: {names:?}");
    names
}

#[tokio::test]
async fn a_viewer_steers_an_execution_that_its_caller_reads() {
    let harness = ExecutionHarness::start_held().await;
    let (id, stream) = harness.start_paused(json!({})).await;
    let (mut viewer, _) = Controller::join(&harness, &id).await;
    let steer = json!({ "text": "@all compare the disks, too", "mode": "steer" });
    assert_eq!(viewer.command("say", steer, None).await["type"], "ack");
    assert_eq!(viewer.command("resume", json!({ "run": viewer.run }), None).await["type"], "ack");
    let events = harness.read_and_release(stream).await;
    names(&events);
    let read = harness.server.demo().requests();
    assert!(read.iter().any(|request| format!("{request:?}").contains("compare the disks")), "an agent read it");
}

#[tokio::test]
async fn a_viewer_interrupts_an_execution_that_its_caller_reads() {
    let harness = ExecutionHarness::start_held().await;
    let (id, stream) = harness.start_paused(json!({})).await;
    let (mut viewer, _) = Controller::join(&harness, &id).await;
    assert_eq!(viewer.command("resume", json!({ "run": viewer.run }), None).await["type"], "ack");
    let demo = harness.server.demo();
    with_timeout(demo.counters().wait_for(|counters| counters.held > 0)).await.expect("lives");
    let interrupt = json!({ "run": viewer.run, "text": "only the orders, please" });
    assert_eq!(viewer.command("interrupt", interrupt, None).await["type"], "ack");
    viewer.wait_for(|frame| frame["event"] == "control.effective").await;
    let events = harness.read_and_release(stream).await;
    names(&events);
    let read = harness.server.demo().requests();
    assert!(read.iter().any(|request| format!("{request:?}").contains("only the orders")), "an agent read it");
}

#[tokio::test]
async fn viewers_decide_on_the_calls_of_an_execution_that_its_caller_reads() {
    let server = Server::start().await;
    let mut harness = ExecutionHarness::on_server(server).await;
    let mut asking = document();
    let agent = &mut asking["topology"]["nodes"][0]["agents"][0];
    agent["tools"] = json!(["report"]);
    agent["tool_choice"] = json!("required");
    agent["permissions"] = json!([{ "tool": "report", "permission": "ask" }]);
    harness.team = create(&harness.server, &harness.ann, &asking).await;
    let mut stream =
        SseReader::of(harness.execute(&harness.ann, &json!({ "input": input("Why do orders fail?") })).await);
    let start = stream.next().await.expect("a start");
    let id = start.data["execution_id"].as_str().expect("an id").to_owned();
    let (mut viewer, state) = Controller::join(&harness, &id).await;
    let open = state["gates"].as_array().and_then(|gates| gates.first().cloned());
    let gate = match open {
        Some(gate) => gate,
        None => viewer.wait_for(|frame| frame["event"] == "gate.opened").await["data"]["gate"].clone(),
    };
    assert_eq!(
        (&gate["kind"], &harness.get(&format!("executions/{id}")).await["status"]),
        (&json!("tool"), &json!("running"))
    );
    let vote = json!({ "gate": gate["id"], "choice": "approve" });
    let voted = viewer.command("vote", vote, Some(&gate["rev"])).await;
    assert_eq!(voted["type"], "ack", "{voted}");
    let events = stream.rest().await;
    assert!(names(&events).contains(&"tool_call"), "the call was made");
    harness.control(&id, "pause", StatusCode::CONFLICT).await;
}
