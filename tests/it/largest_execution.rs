//! An execution of the largest team that a document can describe.

use std::collections::HashMap;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use roundtable::kernel::topology::Topology;
use roundtable::kernel::{Fact, SessionId, State, evolve};
use roundtable::store;
use serde_json::{Value, json};

use crate::door_teams::create;
use crate::server::{Server, json as body_of};

/// Longer than the execution takes in a debug build on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);

fn document() -> Value {
    let with = |more: Value| {
        let mut fields = json!({ "model_provider": "demo", "model_id": "demo", "system_prompt": "You read logs." });
        fields.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        fields
    };
    let agent = |number: usize| {
        let id = format!("agent-{number}");
        with(json!({ "agent_id": id, "agent_name": "Log reader", "user_prompt_template": "{task}" }))
    };
    let node = |number: usize| {
        json!({
            "node_id": format!("node-{number}"), "node_name": "Service", "node_type": "service",
            "agents": (0..Topology::MAX_AGENTS).map(agent).collect::<Vec<_>>(), "supervisor_config": with(json!({})),
        })
    };
    json!({
        "team_name": "Everything",
        "topology": {
            "nodes": (0..Topology::MAX_NODES).map(node).collect::<Vec<_>>(), "edges": [],
            "allow_isolated_nodes": true,
            "global_supervisor": with(json!({ "coordination_strategy": "parallel" })),
        },
        "timeout_seconds": Topology::MAX_TIMEOUT_SECONDS,
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_largest_team_succeeds_and_its_log_makes_its_state() {
    // The agents' texts do not matter here, only their number.
    let server = Server::start_with(|config| config.demo.response_tokens = 20).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let team = create(&server, &ann, &document()).await;
    let path = format!("/api/v1/teams/{team}/execute");
    let body = json!({ "input": { "task": "Why do orders fail?" }, "stream": false });
    let request = server.as_person(&ann, Method::POST, &path).json(&body).timeout(TIMEOUT);
    let done = body_of(request.send().await.expect("answers"), StatusCode::OK).await;
    assert_eq!(done["status"], "success", "{done}");
    let nodes = done["result"]["node_results"].as_array().expect("results");
    assert_eq!(nodes.iter().filter(|node| node["status"] == "success").count(), Topology::MAX_NODES);

    let session: SessionId = done["session_id"].as_str().expect("an id").parse().expect("an id");
    let (mut state, mut seq, mut completed) = (State::new(session), 0, HashMap::<String, usize>::new());
    loop {
        let page = store::page(&*server.node.events, session, seq).await.expect("reads");
        let Some(last) = page.last() else { break };
        seq = last.event.seq;
        for recorded in &page {
            evolve(&mut state, &recorded.event);
            if let Fact::MessageCompleted { agent, .. } = &recorded.event.fact {
                *completed.entry(agent.to_string()).or_default() += 1;
            }
        }
    }
    let held = server.node.session_registry.state(session).await.expect("lives");
    assert!(state == *held, "the log makes the state");
    // The global supervisor also starts the work.
    assert_eq!(completed.remove("global-supervisor"), Some(2));
    assert_eq!(completed.len(), Topology::MAX_NODES * (Topology::MAX_AGENTS + 1));
    assert!(completed.values().all(|times| *times == 1), "every task once");
}
