//! Several people at one gate, over sockets, on either database engine: votes survive a kill, can be withdrawn or cast
//! on behalf of others, and can decide parts of what is waiting; gates escalate to the next group automatically.

use ::servers::random::Random;
use serde_json::{Value, json};

use super::counting_tool::{CountingTool, TOOL};
use super::server::{ServerProcess, settings_with_tool};
use super::viewer::{SocketViewer, ViewerState, event};
use crate::fresh_database::{FreshDatabase, laws};

laws! {
    votes_survive_a_kill_and_a_gate_escalates,
    exactly_the_approved_calls_are_executed,
    a_comment_holds_its_gate_across_a_kill_until_it_is_resolved,
}

/// Returns the data of a batch of votes at revision 1.
fn batch(votes: &[(&Value, &str)]) -> Value {
    let vote = |(gate, choice): &(&Value, &str)| json!({ "gate": gate, "rev": 1, "choice": choice });
    json!({ "votes": votes.iter().map(vote).collect::<Vec<_>>() })
}

/// Invites a new participant with this role to the session.
async fn invite(server: &ServerProcess, session: &str, name: &str, role: &str) -> Voter {
    let token = server.command(&["token", "create", "--name", name, "--role", "member"]).await;
    let mut socket = SocketViewer::connect(&server.url, &token).await;
    let welcome = socket.next().await.expect("greets");
    let id = welcome["you"]["id"].as_str().expect("an id").to_owned();
    let data = json!({ "participant": id, "role": role });
    let command = json!({ "id": format!("invite-{name}"), "do": "invite", "data": data });
    server.post(&format!("/api/v1/sessions/{session}/commands"), command).await;
    Voter { token, id }
}

/// Adds a file to the session. Returns its id.
async fn upload(server: &ServerProcess, session: &str, name: &str, content: &'static str) -> Value {
    let url = format!("{}/api/v1/sessions/{session}/files/{name}", server.url);
    let request = reqwest::Client::new().put(url).bearer_auth(&server.token).body(content);
    let added: Value = request.send().await.expect("answers").json().await.expect("JSON");
    added["file"]["id"].clone()
}

struct Voter {
    token: String,
    id: String,
}

impl Voter {
    /// Sends one command over a new socket, and returns the reply.
    async fn send(&self, server: &ServerProcess, session: &str, name: &str, data: Value) -> Value {
        let mut socket = SocketViewer::connect(&server.url, &self.token).await;
        socket.join(session, 0).await;
        let id = format!("c-{}", uuid::Uuid::now_v7().simple());
        let expect = matches!(name, "vote" | "comment").then(|| json!({ "rev": 1 }));
        let frame =
            json!({ "type": "command", "id": id, "session": session, "do": name, "data": data, "expect": expect });
        socket.send(frame).await;
        socket.wait_for(&mut ViewerState::default(), |frame| frame["id"] == id).await.expect("answers")
    }
}

async fn votes_survive_a_kill_and_a_gate_escalates(fresh: FreshDatabase) {
    let demo = [("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "0"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    let mut server = ServerProcess::start_on(fresh, &demo).await;
    let session = server.create().await;
    let mut owner = server.viewer().await;
    let mut seen = ViewerState::default();
    let rules = json!([{
        "quorum": { "kind": "at_least", "n": 2, "role": "reviewer" },
        "escalation": [{ "after_seconds": 2, "quorum": { "kind": "role", "role": "member" } }],
        "deadline_seconds": 3600,
    }]);
    let [bea, cem, dan] = [
        invite(&server, &session, "bea", "reviewer").await,
        invite(&server, &session, "cem", "reviewer").await,
        invite(&server, &session, "dan", "member").await,
    ];
    owner.join(&session, 0).await;
    owner.command(&session, "c1", "set", json!({ "settings": { "approval_rules": rules } })).await;
    let answer = owner.wait_for(&mut seen, |frame| frame["id"] == "c1").await.expect("answers");
    assert_eq!(answer["type"], "ack", "{answer}");
    owner.command(&session, "c2", "say", json!({ "text": "write test cases for refunds" })).await;
    let opened = owner.wait_for(&mut seen, event("gate.opened")).await.expect("asks people");
    let gate = opened["data"]["gate"]["id"].clone();
    assert_eq!(opened["data"]["gate"]["at_deadline"], "expired");
    let approve = || json!({ "gate": gate, "choice": "approve" });

    let answer = bea.send(&server, &session, "vote", approve()).await;
    assert_eq!(answer["type"], "ack", "{answer}");
    let answer = bea.send(&server, &session, "withdraw_vote", json!({ "gate": gate })).await;
    assert_eq!(answer["type"], "ack", "{answer}");
    let answer = dan.send(&server, &session, "vote", approve()).await;
    assert_eq!(answer["type"], "ack", "{answer}");
    let answer = cem.send(&server, &session, "delegate_votes", json!({ "to": bea.id })).await;
    assert_eq!(answer["type"], "ack", "{answer}");
    let batch = batch(&[(&gate, "approve"), (&json!("g_1"), "approve")]);
    let answer = bea.send(&server, &session, "vote_batch", batch).await;
    assert_eq!((&answer["code"], &answer["details"]["gate"]), (&json!("unknown_gate"), &json!("g_1")), "{answer}");

    server.kill().await;
    while owner.wait_for(&mut seen, |_| false).await.is_some() {}
    server.restart().await;
    owner = server.viewer().await;
    owner.join(&session, seen.seq()).await;
    let escalated = owner.wait_for(&mut seen, event("gate.escalated")).await.expect("goes to the next group");
    assert_eq!(escalated["data"]["quorum"], json!({ "kind": "role", "role": "member" }));
    owner.wait_for(&mut seen, event("run.finished")).await.expect("the member had voted before");
    let decided = seen.events.iter().find(|frame| frame["event"] == "gate.decided").expect("was decided");
    let voters: Vec<_> =
        decided["data"]["votes"].as_array().expect("a list").iter().map(|vote| &vote["by"]["id"]).collect();
    assert_eq!(voters, [&json!(dan.id)]);
    assert!(server.log(&session).await == seen.events, "what was seen is the log");
}

async fn exactly_the_approved_calls_are_executed(fresh: FreshDatabase) {
    let tool = CountingTool::start(Random::new(1)).await.expect("listens");
    let url = format!("http://{}/mcp", tool.address);
    let settings = settings_with_tool(&url);
    let mut server = ServerProcess::start_on(fresh, &settings).await;
    let created = server.post("/api/v1/sessions", json!({ "team": "assistant-en" })).await;
    let session = created["session"].as_str().expect("an id").to_owned();
    let mut owner = server.viewer().await;
    let mut seen = ViewerState::default();
    owner.join(&session, 0).await;
    let calls: String = (1..=5).map(|n| format!("\n/tool {TOOL} {{\"n\":\"{n}\"}}")).collect();
    owner.command(&session, "c1", "say", json!({ "text": format!("write test cases{calls}") })).await;
    let mut gates = vec![];
    while gates.len() < 5 {
        let opened = owner.wait_for(&mut seen, event("gate.opened")).await.expect("asks people");
        assert_eq!(opened["data"]["gate"]["kind"], "tool", "{opened}");
        gates.push(opened["data"]["gate"]["id"].clone());
    }
    let votes: Vec<_> = gates.iter().zip(["approve", "reject", "approve", "reject", "approve"]).collect();

    // One vote is for another revision, so none of the votes counts.
    let mut stale = batch(&votes);
    stale["votes"][4]["rev"] = json!(2);
    owner.command(&session, "c2", "vote_batch", stale).await;
    let answer = owner.wait_for(&mut seen, |frame| frame["id"] == "c2").await.expect("answers");
    assert_eq!((&answer["code"], &answer["details"]["gate"]), (&json!("stale_revision"), &gates[4]), "{answer}");
    server.kill().await;
    while owner.wait_for(&mut seen, |_| false).await.is_some() {}
    server.restart().await;
    owner = server.viewer().await;
    owner.join(&session, seen.seq()).await;
    assert!(!seen.events.iter().any(|frame| frame["event"] == "gate.voted"), "a part of the batch counted");

    owner.command(&session, "c3", "vote_batch", batch(&votes)).await;
    owner.wait_for(&mut seen, event("run.finished")).await.expect("the others are made");
    let made = tool.executions().into_iter().collect::<Vec<_>>();
    assert_eq!(made, ["1", "3", "5"].map(|n| (json!({ "n": n }).to_string(), 1)));
}

async fn a_comment_holds_its_gate_across_a_kill_until_it_is_resolved(fresh: FreshDatabase) {
    let demo = [("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "0"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    let mut server = ServerProcess::start_on(fresh, &demo).await;
    let session = server.create().await;
    let mut owner = server.viewer().await;
    let mut seen = ViewerState::default();
    let [bea, vic] =
        [invite(&server, &session, "bea", "reviewer").await, invite(&server, &session, "vic", "viewer").await];
    owner.join(&session, 0).await;
    let rules = json!([{ "quorum": { "kind": "any" }, "comments_hold": true }]);
    owner.command(&session, "c1", "set", json!({ "settings": { "approval_rules": rules } })).await;
    owner.command(&session, "c2", "say", json!({ "text": "write test cases for refunds" })).await;
    let opened = owner.wait_for(&mut seen, event("gate.opened")).await.expect("asks people");
    let gate = opened["data"]["gate"]["id"].clone();
    let comment = |text: &str| json!({ "gate": gate, "line": 1, "text": text });

    let answer = bea.send(&server, &session, "comment", comment("too short")).await;
    assert_eq!(answer["type"], "ack", "{answer}");
    let commented = owner.wait_for(&mut seen, event("gate.commented")).await.expect("everyone sees it");
    let thread = commented["data"]["place"]["thread"].clone();
    let answer = vic.send(&server, &session, "comment", comment("me too")).await;
    assert_eq!(answer["code"], "forbidden", "{answer}");
    let reply = json!({ "gate": gate, "thread": thread, "line": 1, "text": "so" });
    let answer = bea.send(&server, &session, "comment", reply).await;
    assert_eq!(answer["code"], "invalid_argument", "{answer}");
    let unknown = json!({ "gate": gate, "thread": "m_9999", "resolved": true });
    let answer = bea.send(&server, &session, "resolve_comment", unknown).await;
    assert_eq!(answer["code"], "unknown_thread", "{answer}");
    let file = upload(&server, &session, "rules.md", "pay once\nrefund twice\n").await;
    let on_line = |line: u64| json!({ "gate": gate, "file": file, "line": line, "text": "once" });
    let answer = vic.send(&server, &session, "comment", on_line(2)).await;
    assert_eq!(answer["code"], "forbidden", "{answer}");
    let answer = bea.send(&server, &session, "comment", on_line(3)).await;
    assert_eq!(answer["code"], "invalid_argument", "the file has two lines: {answer}");
    let with_path = json!({ "gate": gate, "file": file, "path": "/a", "text": "once" });
    let answer = bea.send(&server, &session, "comment", with_path).await;
    assert_eq!(answer["code"], "invalid_argument", "{answer}");
    let unknown = json!({ "gate": gate, "file": "f_9999", "line": 1, "text": "once" });
    let answer = bea.send(&server, &session, "comment", unknown).await;
    assert_eq!(answer["code"], "unknown_file", "{answer}");
    let answer = bea.send(&server, &session, "comment", on_line(2)).await;
    assert_eq!(answer["type"], "ack", "{answer}");
    let in_file = owner.wait_for(&mut seen, event("gate.commented")).await.expect("everyone sees it");
    let place = in_file["data"]["place"].clone();
    assert_eq!(place["file"], json!({ "id": file, "name": "rules.md", "version": 1 }));
    assert_eq!((&place["line"], &place["quote"]), (&json!(2), &json!("refund twice")));
    let resolve_file = json!({ "gate": gate, "thread": place["thread"], "resolved": true });
    let answer = bea.send(&server, &session, "vote", json!({ "gate": gate, "choice": "approve" })).await;
    assert_eq!(answer["type"], "ack", "{answer}");

    server.kill().await;
    while owner.wait_for(&mut seen, |_| false).await.is_some() {}
    server.restart().await;
    owner = server.viewer().await;
    owner.join(&session, seen.seq()).await;
    let answer = bea.send(&server, &session, "resolve_comment", resolve_file).await;
    assert_eq!(answer["type"], "ack", "{answer}");
    let resolve = json!({ "gate": gate, "thread": thread, "resolved": true });
    let answer = bea.send(&server, &session, "resolve_comment", resolve).await;
    assert_eq!(answer["type"], "ack", "{answer}");
    owner.wait_for(&mut seen, event("run.finished")).await.expect("the vote was there before");
    let names: Vec<_> = seen.events.iter().filter_map(|frame| frame["event"].as_str()).collect();
    let at = |name: &str| names.iter().position(|known| *known == name).expect("happened");
    assert!(
        at("gate.voted") < at("gate.thread_changed") && at("gate.thread_changed") < at("gate.decided"),
        "{names:?}"
    );
}
