//! Executions through the door `teams`, checked against its specification: streams, waits, history, controls,
//! structured output.

use reqwest::{Method, RequestBuilder, Response, StatusCode};
use roundtable::config::Config;
use roundtable::demo_model::{Fault, Mistake};
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::door_teams::{create, document};
use crate::server::{Person, Server, json as body_of, with_timeout};
use crate::socket_harness::WebSocketClient;
use crate::sse::{SseEvent, SseReader};

pub struct ExecutionHarness {
    pub server: Server,
    pub ann: Person,
    pub team: String,
}

fn hold_model(config: &mut Config) {
    config.demo.hold_after_tokens = Some(1);
}

pub fn input(task: &str) -> Value {
    json!({ "task": task, "context": { "key": "value" } })
}

impl ExecutionHarness {
    pub async fn new() -> Self {
        Self::on_server(Server::start().await).await
    }

    /// Starts a server whose model writes only when it is released.
    pub async fn start_held() -> Self {
        Self::on_server(Server::start_with(hold_model).await).await
    }

    pub async fn on_server(server: Server) -> Self {
        let ann = server.person("Ann", ServerRole::Member).await;
        let team = create(&server, &ann, &document()).await;
        Self { server, ann, team }
    }

    pub fn request(&self, who: &Person, method: Method, path: &str) -> RequestBuilder {
        self.server.as_person(who, method, &format!("/api/v1/{path}"))
    }

    pub async fn execute(&self, who: &Person, body: &Value) -> Response {
        let path = format!("teams/{}/execute", self.team);
        self.request(who, Method::POST, &path).json(body).send().await.expect("answers")
    }

    /// Runs an execution and returns its events.
    pub async fn events(&self, body: &Value) -> Vec<SseEvent> {
        SseReader::of(self.execute(&self.ann, body).await).rest().await
    }

    /// Runs an execution to its end and returns its result.
    pub async fn execute_to_end(&self) -> Value {
        let body = json!({ "input": input("Why do orders fail?"), "stream": false });
        body_of(self.execute(&self.ann, &body).await, StatusCode::OK).await
    }

    /// Starts an execution and pauses it. Returns its id and its stream.
    pub async fn start_paused(&self, more: Value) -> (String, SseReader) {
        let mut body = json!({ "input": input("Why do orders fail?") });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let mut stream = SseReader::of(self.execute(&self.ann, &body).await);
        let start = stream.next().await.expect("a start");
        let id = start.data["execution_id"].as_str().expect("an id").to_owned();
        self.release(async || drop(self.control(&id, "pause", StatusCode::ACCEPTED).await)).await;
        (id, stream)
    }

    /// Waits until the model holds a stream, runs `before`, and then releases the model.
    async fn release(&self, before: impl AsyncFnOnce()) {
        let demo = self.server.demo();
        with_timeout(demo.counters().wait_for(|counters| counters.held > 0)).await.expect("lives");
        before().await;
        demo.release();
    }

    /// Reads the rest of a stream, and releases the model whenever it holds a stream.
    pub async fn read_and_release(&self, stream: SseReader) -> Vec<SseEvent> {
        let mut counters = self.server.demo().counters();
        counters.mark_changed();
        let going_on = async {
            loop {
                counters.changed().await.expect("lives");
                if counters.borrow_and_update().held > 0 {
                    self.server.demo().release();
                }
            }
        };
        tokio::select! {
            all = stream.rest() => all,
            () = going_on => unreachable!("the model lives as long as the server"),
        }
    }

    pub async fn control(&self, id: &str, verb: &str, status: StatusCode) -> Value {
        let path = format!("executions/{id}/{verb}");
        body_of(self.request(&self.ann, Method::POST, &path).send().await.expect("answers"), status).await
    }

    pub async fn get(&self, path: &str) -> Value {
        self.server.get(&self.ann, &format!("/api/v1/{path}")).await
    }
}

fn event_name(sent: &SseEvent) -> &str {
    sent.data["event"].as_str().expect("a name")
}

#[tokio::test]
async fn a_stream_has_the_events_of_the_specification_with_their_ids() {
    let harness = ExecutionHarness::new().await;
    let events = harness.events(&json!({ "input": input("Why do orders fail?"), "timeout_seconds": 60 })).await;
    let kinds: Vec<&str> = events.iter().map(event_name).collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("execution_start", "execution_complete"), "{kinds:?}");
    for kind in [
        "global_supervisor_message",
        "global_supervisor_decision",
        "node_supervisor_message",
        "node_supervisor_decision",
        "agent_message",
    ] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    assert_eq!(kinds.iter().filter(|kind| **kind == "node_complete").count(), 3, "{kinds:?}");
    for SseEvent { data, id, .. } in &events {
        assert!(id.is_some(), "every event can be resumed after: {data}");
        assert_eq!(data["team_id"], *harness.team);
        let has = |field: &str| data[field].is_string();
        match data["event"].as_str().expect("a name") {
            "execution_start" | "execution_complete" => assert!(has("execution_id"), "{data}"),
            "global_supervisor_message" | "global_supervisor_decision" => {
                assert_eq!((&data["supervisor_id"], has("node_id")), (&json!("global-supervisor"), false), "{data}");
            }
            "node_supervisor_message" | "node_supervisor_decision" | "node_complete" => {
                let supervisor = format!("{}-supervisor", data["node_id"].as_str().expect("a node"));
                assert_eq!(data["supervisor_id"], supervisor, "{data}");
                let is_in_node = |id: &Value| id.as_str().is_some_and(|id| !id.contains('/'));
                assert!(data["delegates"].as_array().into_iter().flatten().all(is_in_node), "{data}");
            }
            "agent_message" | "tool_call" => {
                assert!(has("node_id") && has("agent_id") && !has("supervisor_id"), "{data}");
            }
            other => panic!("{other}: {data}"),
        }
    }
    let end = &events.last().expect("an end").data;
    assert_eq!(end["status"], "success");
    assert!(end["duration_ms"].is_u64());
    let nodes = end["result"]["node_results"].as_array().expect("results");
    assert!(nodes.iter().all(|node| node["status"] == "success" && !node["output"].as_str().unwrap().is_empty()));
    assert!(!end["result"]["summary"].as_str().expect("a summary").is_empty());
}

#[tokio::test]
async fn a_caller_can_wait_for_the_result_and_read_it_later() {
    let harness = ExecutionHarness::new().await;
    let done = harness.execute_to_end().await;
    assert_eq!((&done["status"], &done["team_id"]), (&json!("success"), &json!(harness.team)));
    let id = done["execution_id"].as_str().expect("an id");
    let response = harness.get(&format!("executions/{id}")).await;
    for field in ["status", "started_at", "completed_at", "duration_ms", "result", "session_id", "team_version"] {
        assert_eq!(response[field], done[field], "{field}");
    }
    assert_eq!(response["input"]["task"], "Why do orders fail?");
    assert_eq!(
        (&response["input"]["context"]["key"], &response["input"]["timeout_seconds"]),
        (&json!("value"), &json!(300))
    );
    assert_eq!((&response["output"], &response["errors"]), (&response["result"], &json!([])));
    assert_eq!((&response["total_errors"], &response["total_structured_outputs"]), (&json!(0), &json!(0)));
    let list = harness.get(&format!("teams/{}/executions?status=success", harness.team)).await;
    assert_eq!((&list["total"], &list["executions"][0]["id"]), (&json!(1), &json!(id)));
    let list = harness.get(&format!("teams/{}/executions?status=running&page=1&size=5", harness.team)).await;
    assert_eq!((&list["total"], &list["size"]), (&json!(0), &json!(5)));
}

#[tokio::test]
async fn an_execution_is_a_session_that_others_watch_and_steer() {
    let harness = ExecutionHarness::start_held().await;
    let (id, stream) = harness.start_paused(json!({})).await;
    let session: SessionId = format!("s_{}", id.replace('-', "")).parse().expect("an id");
    let mut client = WebSocketClient::connect_to_server(&harness.server, &harness.ann).await;
    let snapshot = client.join(session, None).await;
    assert_eq!(snapshot["snapshot"]["state"]["team"]["origin"]["team"], *harness.team, "{snapshot}");
    let run = snapshot["snapshot"]["state"]["run"]["id"].clone();
    let resume = json!({ "type": "command", "session": session, "id": "c_1", "do": "resume", "data": { "run": run } });
    client.send(resume).await;
    let last = harness.read_and_release(stream).await.pop().expect("an end").data;
    assert_eq!(last["event"], "execution_complete", "{last}");
}

#[tokio::test]
async fn the_time_limit_ends_an_execution_with_partial_results() {
    let harness = ExecutionHarness::start_held().await;
    let (id, stream) = harness.start_paused(json!({ "timeout_seconds": 1 })).await;
    let end = stream.rest().await.pop().expect("an end").data;
    assert_eq!((&end["event"], &end["error_code"]), (&json!("execution_error"), &json!("EXECUTION_TIMEOUT")), "{end}");
    assert_eq!((&end["fatal"], &end["status"]), (&json!(true), &json!("timeout")));
    assert_eq!(end["partial_result"]["node_results"].as_array().map(Vec::len), Some(3));
    let response = harness.get(&format!("executions/{id}")).await;
    assert_eq!((&response["status"], &response["error_code"]), (&json!("timeout"), &json!("EXECUTION_TIMEOUT")));
}

#[tokio::test]
async fn a_caller_who_waits_too_long_gets_the_partial_result() {
    let harness = ExecutionHarness::start_held().await;
    let body = json!({ "input": input("Why?"), "timeout_seconds": 1, "stream": false });
    let late = body_of(harness.execute(&harness.ann, &body).await, StatusCode::REQUEST_TIMEOUT).await;
    assert_eq!((&late["error_code"], &late["code"]), (&json!("EXECUTION_TIMEOUT"), &json!("execution_timeout")));
    assert_eq!(late["partial_result"]["summary"], "");
    assert!(late["execution_id"].is_string(), "{late}");
}

#[tokio::test]
async fn a_cancelled_execution_shows_what_its_agents_had_written() {
    let harness = ExecutionHarness::start_held().await;
    let mut stream =
        SseReader::of(harness.execute(&harness.ann, &json!({ "input": input("Why do orders fail?") })).await);
    let start = stream.next().await.expect("a start");
    let id = start.data["execution_id"].as_str().expect("an id").to_owned();
    // The global supervisor starts the work. Then the agents of the first nodes are stopped after their first token.
    let mut counters = harness.server.demo().counters();
    with_timeout(counters.wait_for(|counters| counters.held > 0)).await.expect("lives");
    harness.server.demo().release();
    while stream.next().await.expect("an event").data["event"] != "global_supervisor_decision" {}
    with_timeout(counters.wait_for(|counters| counters.held > 1)).await.expect("lives");
    harness.control(&id, "cancel", StatusCode::ACCEPTED).await;
    let end = stream.rest().await.pop().expect("an end").data;
    assert_eq!((&end["fatal"], &end["status"]), (&json!(true), &json!("cancelled")), "{end}");
    let log = harness.get(&format!("executions/{id}/log?event_type=agent_message")).await;
    let aborted = &log["log"][0];
    assert_eq!(aborted["metadata"]["aborted"], true, "{log}");
    let stopped = &end["partial_result"]["node_results"][0];
    let output = stopped["partial_output"].as_str().expect("a text");
    assert!(output.contains(aborted["message"].as_str().expect("a text")), "{stopped} has no {aborted}");
}

#[tokio::test]
async fn a_stream_resumes_after_the_last_received_event() {
    let harness = ExecutionHarness::new().await;
    let all = harness.events(&json!({ "input": input("Why do orders fail?") })).await;
    let id = all[0].data["execution_id"].as_str().expect("an id").to_owned();
    let path = format!("executions/{id}/events");
    let resumed = async |after: &SseEvent| {
        let request = harness.request(&harness.ann, Method::GET, &path);
        let request = request.header("last-event-id", after.id.as_deref().expect("an id"));
        SseReader::of(request.send().await.expect("answers")).rest().await
    };
    for at in [0, all.len() / 2, all.len() - 2] {
        assert_eq!(resumed(&all[at]).await, all[at + 1..], "after {at}");
    }
    let last = all.last().and_then(|last| last.id.as_deref()).expect("an id");
    let over =
        harness.request(&harness.ann, Method::GET, &path).header("last-event-id", last).send().await.expect("answers");
    assert_eq!(over.status(), StatusCode::NO_CONTENT, "a browser does not reconnect");
    let whole = harness.request(&harness.ann, Method::GET, &path).send().await.expect("answers");
    assert_eq!(SseReader::of(whole).rest().await, all);
    let path = format!("teams/{}/execute", harness.team);
    let keyed = || harness.request(&harness.ann, Method::POST, &path).header("idempotency-key", "k");
    let ask = || keyed().json(&json!({ "input": input("Why do orders fail?") }));
    let all = SseReader::of(ask().send().await.expect("answers")).rest().await;
    let last = all.last().and_then(|last| last.id.as_deref()).expect("an id");
    let over = ask().header("last-event-id", last).send().await.expect("answers");
    assert_eq!(over.status(), StatusCode::NO_CONTENT, "nor does a client that repeats its request");
}

#[tokio::test]
async fn requests_with_one_key_start_one_execution() {
    let harness = ExecutionHarness::new().await;
    let path = format!("teams/{}/execute", harness.team);
    let send = async |key: &str, body: Value| {
        let request = harness.request(&harness.ann, Method::POST, &path).header("idempotency-key", key);
        request.json(&body).send().await.expect("answers")
    };
    let body = || json!({ "input": input("Why do orders fail?"), "stream": false });
    let (one, two) = tokio::join!(send("k", body()), send("k", body()));
    let (one, two) = (body_of(one, StatusCode::OK).await, body_of(two, StatusCode::OK).await);
    assert_eq!(one, two);
    assert_eq!(body_of(send("k", body()).await, StatusCode::OK).await, one, "and later");
    let other = send("k", json!({ "input": input("Another task"), "stream": false })).await;
    let refused = body_of(other, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(refused["code"], "idempotency_key_reused", "{refused}");
    let team = format!("teams/{}", harness.team);
    let off = harness.request(&harness.ann, Method::PATCH, &team).json(&json!({ "status": "inactive" }));
    body_of(off.send().await.expect("answers"), StatusCode::OK).await;
    assert_eq!(body_of(send("k", body()).await, StatusCode::OK).await, one, "whatever becomes of the team");
    let on = harness.request(&harness.ann, Method::PATCH, &team).json(&json!({ "status": "active" }));
    body_of(on.send().await.expect("answers"), StatusCode::OK).await;
    let other = body_of(send("k2", body()).await, StatusCode::OK).await;
    assert_ne!(other["id"], one["id"]);
    assert_eq!(harness.get(&format!("teams/{}/executions", harness.team)).await["total"], 2);
    assert_eq!(body_of(send("", body()).await, StatusCode::BAD_REQUEST).await["code"], "invalid_argument");
}

#[tokio::test]
async fn a_team_with_executions_is_deleted_only_with_their_cancellation() {
    let harness = ExecutionHarness::start_held().await;
    let (id, stream) = harness.start_paused(json!({})).await;
    let delete = async |query: &str| {
        let path = format!("teams/{}{query}", harness.team);
        harness.request(&harness.ann, Method::DELETE, &path).send().await.expect("answers")
    };
    let busy = body_of(delete("").await, StatusCode::CONFLICT).await;
    assert_eq!((&busy["error_code"], &busy["code"]), (&json!("TEAM_BUSY"), &json!("team_busy")));
    assert_eq!(delete("?cancel=true").await.status(), StatusCode::NO_CONTENT);
    let end = stream.rest().await.pop().expect("an end").data;
    assert_eq!((&end["error_code"], &end["status"]), (&json!("EXECUTION_CANCELLED"), &json!("cancelled")), "{end}");
    let response = harness.get(&format!("executions/{id}")).await;
    assert_eq!(response["status"], "cancelled", "an execution outlives its team");
    let session = response["session_id"].as_str().expect("an id");
    let copy = harness.get(&format!("sessions/{session}")).await["state"]["team"].clone();
    let nodes = document()["topology"]["nodes"].as_array().map(Vec::len);
    assert_eq!(copy["topology"]["nodes"].as_array().map(Vec::len), nodes, "it keeps its copy of the team: {copy}");
    harness.control(&id, "pause", StatusCode::CONFLICT).await;
}

#[tokio::test]
async fn a_deletion_that_cannot_cancel_every_execution_cancels_none() {
    let harness = ExecutionHarness::start_held().await;
    let bob = harness.server.person("Bob", ServerRole::Member).await;
    let path = format!("teams/{}/access/{}", harness.team, bob.participant.id);
    let shared = harness.request(&harness.ann, Method::PUT, &path).json(&json!({ "right": "execute" }));
    assert_eq!(shared.send().await.expect("answers").status(), StatusCode::OK);
    let (own, _stream) = harness.start_paused(json!({})).await;
    let mut others = SseReader::of(harness.execute(&bob, &json!({ "input": input("Why?") })).await);
    others.next().await.expect("a start");
    let path = format!("teams/{}?cancel=true", harness.team);
    let deleted = harness.request(&harness.ann, Method::DELETE, &path).send().await.expect("answers");
    assert_eq!(body_of(deleted, StatusCode::CONFLICT).await["error_code"], "TEAM_BUSY");
    assert_eq!(harness.get(&format!("executions/{own}")).await["status"], "running");
}

#[tokio::test]
async fn an_execution_can_be_paused_and_resumed_after_a_restart() {
    let harness = ExecutionHarness::start_held().await;
    let (id, _) = harness.start_paused(json!({})).await;
    let phase = async |harness: &ExecutionHarness| harness.get(&format!("executions/{id}")).await["phase"].clone();
    assert_eq!(phase(&harness).await, "paused");
    let ExecutionHarness { server, ann, team } = harness;
    let data = server.stop().await;
    let harness = ExecutionHarness { server: Server::start_in(data, hold_model).await, ann, team };
    assert_eq!(harness.get(&format!("executions/{id}")).await["status"], "running");
    let stream =
        harness.request(&harness.ann, Method::GET, &format!("executions/{id}/events")).send().await.expect("answers");
    harness.control(&id, "resume", StatusCode::ACCEPTED).await;
    let all = harness.read_and_release(SseReader::of(stream)).await;
    let completed = all.iter().filter(|sent| event_name(sent) == "node_complete").count();
    assert_eq!((completed, event_name(all.last().expect("an end"))), (3, "execution_complete"), "every node once");
    assert_eq!(phase(&harness).await, Value::Null);
}

#[tokio::test]
async fn the_log_has_every_event_and_filters() {
    let harness = ExecutionHarness::new().await;
    let all = harness.events(&json!({ "input": input("Why do orders fail?") })).await;
    let id = all[0].data["execution_id"].as_str().expect("an id").to_owned();
    let log = harness.get(&format!("executions/{id}/log?size=100")).await;
    let kinds: Vec<&str> =
        log["log"].as_array().unwrap().iter().map(|one| one["event_type"].as_str().unwrap()).collect();
    assert_eq!(kinds, all.iter().map(event_name).collect::<Vec<_>>());
    assert_eq!(log["total"], all.len());
    let ids: std::collections::BTreeSet<_> =
        log["log"].as_array().unwrap().iter().map(|one| one["id"].to_string()).collect();
    assert_eq!(ids.len(), all.len(), "each entry has its own id");
    assert_eq!(harness.get(&format!("executions/{id}/log?size=100")).await, log, "the same at each request");
    let entry =
        harness.get(&format!("executions/{id}/log?event_type=agent_message&node_id=node-b&agent_id=agent-1")).await;
    let entry = &entry["log"][0];
    assert_eq!((&entry["node_id"], &entry["agent_id"]), (&json!("node-b"), &json!("agent-1")), "{entry}");
    assert!(!entry["message"].as_str().expect("text").is_empty());
    let page = harness.get(&format!("executions/{id}/log?page=2&size=3")).await;
    assert_eq!(page["log"].as_array().unwrap()[..], log["log"].as_array().unwrap()[3..6]);
    let path = format!("executions/{id}/log?event_type=nonsense");
    let refused = harness.request(&harness.ann, Method::GET, &path).send().await.expect("answers");
    assert_eq!(body_of(refused, StatusCode::BAD_REQUEST).await["code"], "invalid_argument");
}

#[tokio::test]
async fn metrics_are_those_of_the_nodes_and_agents() {
    let harness = ExecutionHarness::new().await;
    let id = harness.execute_to_end().await["id"].as_str().expect("an id").to_owned();
    let metrics = harness.get(&format!("executions/{id}/metrics")).await;
    let sum = |field: &str, over: &Value| -> u64 {
        over.as_array().unwrap().iter().map(|one| one[field].as_u64().expect("a number")).sum()
    };
    for field in ["messages", "tool_calls", "errors", "input_tokens", "output_tokens", "cost_micros"] {
        assert_eq!(sum(field, &metrics["agents"]), metrics["total"][field].as_u64().unwrap(), "{field}");
    }
    assert!(metrics["total"]["input_tokens"].as_u64() > Some(0), "{metrics}");
    let listed = &harness.get(&format!("teams/{}/executions", harness.team)).await["executions"][0];
    let tokens = ["input_tokens", "output_tokens"].map(|field| metrics["total"][field].as_u64().expect("a number"));
    assert_eq!(listed["tokens"].as_u64(), Some(tokens.iter().sum()), "{listed}");
    assert_eq!(listed["cost_micros"], metrics["total"]["cost_micros"]);
    assert_eq!(metrics["nodes"].as_array().map(Vec::len), Some(3));
    assert_eq!(metrics["agents"].as_array().map(Vec::len), Some(10), "supervisors included");
    let path = format!("executions/{id}/metrics?format=prometheus");
    let text =
        harness.request(&harness.ann, Method::GET, &path).send().await.expect("answers").text().await.expect("text");
    let line = format!("roundtable_execution_messages{{execution=\"{id}\",node=\"node-a\",agent=\"agent-1\"}}");
    assert!(text.lines().any(|found| found.starts_with(&line)), "{text}");
}

#[tokio::test]
async fn structured_output_matches_the_schema_of_the_caller() {
    let harness = ExecutionHarness::new().await;
    let path = format!("teams/{}/structured-output", harness.team);
    let ask = async |body: Value| {
        harness.request(&harness.ann, Method::POST, &path).json(&body).send().await.expect("answers")
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "summary": { "type": "string" },
            "issues": { "type": "array", "items": { "type": "object", "properties": {
                "severity": { "type": "string", "enum": ["critical", "high", "medium", "low"] },
            } } },
        },
        "required": ["summary", "issues"],
    });
    let none = body_of(ask(json!({ "output_schema": schema })).await, StatusCode::NOT_FOUND).await;
    assert_eq!(none["error_code"], "EXECUTION_NOT_FOUND", "nothing was executed yet");
    let id = harness.execute_to_end().await["id"].clone();
    let body = json!({ "execution_id": id, "output_schema": schema, "include_raw_output": true });
    let written = body_of(ask(body).await, StatusCode::OK).await;
    assert_eq!((&written["execution_id"], &written["team_id"]), (&id, &json!(harness.team)));
    assert_eq!(written["execution_status"], "success");
    assert!(written["structured_output"]["summary"].is_string(), "{written}");
    assert_eq!(written["schema_validation"], json!({ "valid": true, "errors": [] }));
    assert!(written["raw_output"].is_string());
    let newest = body_of(ask(json!({ "output_schema": schema })).await, StatusCode::OK).await;
    assert_eq!((&newest["execution_id"], newest.get("raw_output")), (&id, None));
    let response = harness.get(&format!("executions/{}", id.as_str().unwrap())).await;
    assert_eq!(response["status"], "success", "the output is no execution");
    let kept = response["structured_outputs"].as_array().expect("a list");
    assert_eq!((kept.len(), &kept[0]["structured_output"]), (2, &written["structured_output"]), "{response}");

    let other = create(&harness.server, &harness.ann, &document()).await;
    let path = format!("teams/{other}/structured-output");
    let request =
        harness.request(&harness.ann, Method::POST, &path).json(&json!({ "execution_id": id, "output_schema": {} }));
    let refused = body_of(request.send().await.expect("answers"), StatusCode::NOT_FOUND).await;
    assert_eq!(refused["error_code"], "EXECUTION_NOT_FOUND", "it is another team's");
    let refused =
        body_of(ask(json!({ "output_schema": { "$ref": "http://x/" } })).await, StatusCode::BAD_REQUEST).await;
    assert!(refused["error_message"].as_str().unwrap().starts_with("output_schema: "), "{refused}");
}

#[tokio::test]
async fn requests_with_one_key_write_one_structured_output() {
    let harness = ExecutionHarness::new().await;
    let id = harness.execute_to_end().await["id"].clone();
    let path = format!("teams/{}/structured-output", harness.team);
    let ask = async |key: &str, schema: Value| {
        let body = json!({ "execution_id": id, "output_schema": schema });
        let request = harness.request(&harness.ann, Method::POST, &path).header("idempotency-key", key).json(&body);
        request.send().await.expect("answers")
    };
    let schema = json!({ "type": "object", "properties": { "summary": { "type": "string" } } });
    let first = body_of(ask("k", schema.clone()).await, StatusCode::OK).await;
    assert_eq!(body_of(ask("k", schema.clone()).await, StatusCode::OK).await, first);
    let refused = body_of(ask("k", json!({ "type": "string" })).await, StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(refused["error_code"], "IDEMPOTENCY_KEY_REUSED", "{refused}");
    body_of(ask("other", schema).await, StatusCode::OK).await;
    let response = harness.get(&format!("executions/{}", id.as_str().unwrap())).await;
    assert_eq!(response["structured_outputs"].as_array().map(Vec::len), Some(2), "one for each key: {response}");
}

#[tokio::test]
async fn there_is_no_structured_output_of_a_running_execution() {
    let harness = ExecutionHarness::start_held().await;
    let (id, _stream) = harness.start_paused(json!({})).await;
    let path = format!("teams/{}/structured-output", harness.team);
    for body in [json!({ "execution_id": id, "output_schema": {} }), json!({ "output_schema": {} })] {
        let refused = harness.request(&harness.ann, Method::POST, &path).json(&body).send().await.expect("answers");
        assert_eq!(body_of(refused, StatusCode::CONFLICT).await["error_code"], "EXECUTION_RUNNING");
    }
}

#[tokio::test]
async fn output_that_cannot_match_is_reported_with_its_violations() {
    let harness =
        ExecutionHarness::on_server(Server::start_with(|config| config.demo.mistake = Some(Mistake::Value)).await)
            .await;
    harness.execute_to_end().await;
    let path = format!("teams/{}/structured-output", harness.team);
    let schema = json!({ "type": "object", "properties": { "code": { "type": "integer" } }, "required": ["code"] });
    let request = harness.request(&harness.ann, Method::POST, &path).json(&json!({ "output_schema": schema }));
    let failed = body_of(request.send().await.expect("answers"), StatusCode::UNPROCESSABLE_ENTITY).await;
    assert_eq!(failed["error_code"], "SCHEMA_GENERATION_FAILED", "{failed}");
    assert_eq!(failed["schema_validation"]["valid"], false);
    assert_eq!(failed["schema_validation"]["errors"][0]["path"], "$.code", "{failed}");
    assert_eq!(failed["schema_validation"]["errors"][0]["pointer"], "/code");
    assert!(failed["partial_output"].is_object(), "{failed}");
}

#[tokio::test]
async fn a_supervisor_that_never_decides_is_reported_and_replaced() {
    let harness =
        ExecutionHarness::on_server(Server::start_with(|config| config.demo.mistake = Some(Mistake::Shape)).await)
            .await;
    let events = harness.events(&json!({ "input": input("Why do orders fail?") })).await;
    let of = |name: &str| -> Vec<&Value> {
        let supervisor = |event: &&Value| event["event"] == name && event["supervisor_id"] == "node-b-supervisor";
        events.iter().map(|event| &event.data).filter(supervisor).collect()
    };
    let errors = of("execution_error");
    assert!(!errors.is_empty(), "{events:?}");
    for error in errors {
        assert_eq!((&error["error_code"], &error["fatal"]), (&json!("OUTPUT_REJECTED"), &json!(false)), "{error}");
    }
    let decisions = of("node_supervisor_decision");
    let replaced = |event: &&&Value| event["decision"].as_str().is_some_and(|text| text.contains("could not be read"));
    assert!(decisions.iter().filter(replaced).count() > 0, "{decisions:?}");
    assert!(decisions.iter().all(|event| event["decision"] != ""), "{decisions:?}");
    assert_eq!(events.last().expect("an end").data["event"], "execution_complete");
}

#[tokio::test]
async fn a_failed_model_is_no_failure_of_the_schema() {
    let mut harness = ExecutionHarness::new().await;
    let id = harness.execute_to_end().await["id"].clone();
    let body = json!({ "execution_id": id, "output_schema": { "type": "object" } });
    let path = format!("teams/{}/structured-output", harness.team);
    let table = [
        (Fault::ServerError, StatusCode::SERVICE_UNAVAILABLE, "MODEL_UNAVAILABLE", true),
        (Fault::Unauthorized, StatusCode::CONFLICT, "NO_RESULT", false),
    ];
    for (fault, status, code, retryable) in table {
        let data = harness.server.stop().await;
        harness.server = Server::start_in(data, |config| config.demo.fault = Some(fault)).await;
        let failed = harness.request(&harness.ann, Method::POST, &path).json(&body).send().await.expect("answers");
        let failed = body_of(failed, status).await;
        assert_eq!((&failed["error_code"], &failed["retryable"]), (&json!(code), &json!(retryable)), "{failed}");
        assert_eq!(failed.get("schema_validation"), None, "nothing was written: {failed}");
        // A retry with the same key gets the same run, so the request itself is not retryable.
        let keyed = harness.request(&harness.ann, Method::POST, &path).header("idempotency-key", code).json(&body);
        let failed = body_of(keyed.send().await.expect("answers"), StatusCode::CONFLICT).await;
        assert_eq!((&failed["error_code"], &failed["retryable"]), (&json!("NO_RESULT"), &json!(false)), "{failed}");
    }
}
