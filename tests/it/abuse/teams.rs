//! A member whose topologies and schemas are designed to cost the server time and memory.

use std::convert::Infallible;

use serde_json::{Value, json};
use uuid::Uuid;

use super::{AbuseCounter, LatencyProbe, http, run_concurrently};

/// Number of concurrent senders.
const SENDERS: usize = 4;

/// Returns team documents that no server should accept, each as large as a body can be or as deep as a parser can go.
fn documents() -> Vec<String> {
    let node = json!({ "node_id": "n", "agents": [{ "agent_id": "a", "system_prompt": "p" }] });
    let topology = |nodes: Value| json!({ "team_name": "t", "topology": { "nodes": nodes, "edges": [] } }).to_string();
    let template = json!({ "node_id": "n", "agents": [{ "user_prompt_template": "{task}".repeat(100_000) }] });
    let edge = json!({ "source_node_id": "n", "target_node_id": "n", "relation_type": "calls" });
    let edges = json!({ "team_name": "t", "topology": { "nodes": [node], "edges": vec![edge; 10_000] } });
    vec![
        topology(json!(vec![json!({}); 300_000])),
        topology(json!(vec![node; 10_000])),
        topology(json!([template])),
        edges.to_string(),
        json!({ "team_name": "x".repeat(1_000_000) }).to_string(),
        "[".repeat(1_000_000),
        "x".repeat(10 << 20),
    ]
}

/// Returns schemas whose check or expansion would never end.
fn schemas() -> Vec<Value> {
    let loops = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } });
    let doubling: serde_json::Map<String, Value> = (0..40)
        .map(|at| {
            let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
            (format!("d{at}"), json!({ "allOf": [next, next] }))
        })
        .chain([("d40".to_owned(), json!({ "type": "string" }))])
        .collect();
    let deep = (0..100).fold(json!({ "type": "string" }), |inner, _| json!({ "items": inner }));
    vec![
        loops,
        json!({ "$ref": "#/$defs/d0", "$defs": doubling }),
        json!({ "type": "string", "pattern": "^(a+)+(b|c?){1000}{1000}$" }),
        json!({ "enum": (0..100_000).collect::<Vec<u32>>() }),
        deep,
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_bombs_as_topologies_and_schemas_is_bounded() {
    let mut probe = LatencyProbe::start(&[]).await;
    let token = probe.token("eve", "member").await;
    let session = probe.server.create_as(&token).await;
    let teams = format!("{}/api/v1/teams", probe.server.url);
    let commands = format!("{}/api/v1/sessions/{session}/commands", probe.server.url);
    let bodies = documents().into_iter().map(|document| (teams.clone(), document));
    let requests = schemas().into_iter().map(|schema| {
        let data = json!({ "input": "write", "output_schema": schema });
        (commands.clone(), json!({ "id": Uuid::now_v7(), "do": "start", "data": data }).to_string())
    });
    let requests: Vec<(String, String)> = bodies.chain(requests).collect();
    let flood = |counter: AbuseCounter| {
        run_concurrently((0..SENDERS).map(move |_| send(requests.clone(), token.clone(), counter.clone())))
    };
    let measurement = probe.measure_during(flood).await;
    // Memory for a few documents of 1 MB as trees of JSON values.
    measurement.assert_within_limits(128 << 20);
}

/// Sends all requests, repeatedly. Each must be rejected as soon as the server knows the reason.
async fn send(requests: Vec<(String, String)>, token: String, counter: AbuseCounter) -> Infallible {
    let http = http();
    loop {
        for (url, body) in &requests {
            let request = http.post(url).bearer_auth(&token).header("content-type", "application/json");
            // If a body is too large, the server can close the connection before it has read the whole body.
            let Ok(answer) = request.body(body.clone()).send().await else {
                counter.count_closed();
                continue;
            };
            let status = answer.status();
            assert!(!status.is_success(), "a bomb was accepted: {}", &body[..body.len().min(200)]);
            counter.count_response(status);
        }
    }
}
