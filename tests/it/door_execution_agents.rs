//! Agents of an execution through the door `teams`: their requests to the model, and the prompts of supervisors.

use reqwest::{Method, StatusCode};
use roundtable::agent::ProviderSettings;
use serde_json::{Value, json};

use crate::door_executions::{ExecutionHarness, input};
use crate::door_teams::{create, document};
use crate::models::provider;
use crate::models::stub::{ModelStub, StubResponse};
use crate::server::{Server, json as body_of};

/// Returns the texts of all requests to the demo model whose system prompt contains this text.
fn prompts(server: &Server, system: &str) -> Vec<String> {
    let requests = server.demo().requests();
    let of_agent = requests.iter().filter(|request| request.system().is_some_and(|text| text.contains(system)));
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    of_agent.map(|request| request.messages.iter().map(text).collect::<Vec<_>>().join("\n")).collect()
}

#[tokio::test]
async fn the_options_of_an_agent_are_in_its_requests() {
    let delta = json!({ "choices": [{ "index": 0, "delta": { "content": "done" }, "finish_reason": "stop" }] });
    let stub = ModelStub::start(StubResponse::stream(format!("data: {delta}\n\ndata: [DONE]\n\n"))).await;
    let server = Server::start_with(|config| {
        config.only_demo_model = false;
        config.providers = provider(&stub.base_url, |_: &mut ProviderSettings| {});
        config.providers.titles = false;
    })
    .await;
    let text = document().to_string().replace("\"demo\"", "\"p\"");
    let mut warm: Value = serde_json::from_str(&text).expect("JSON");
    let agents = &mut warm["topology"]["nodes"][0]["agents"];
    agents[0]["system_prompt"] = json!("You are warm.");
    agents[0]["temperature"] = json!(1.25);
    agents[0]["max_tokens"] = json!(321);
    let ann = server.person("Ann", roundtable::identity::ServerRole::Member).await;
    let team = create(&server, &ann, &warm).await;
    let harness = ExecutionHarness { server, ann, team };
    let body = json!({ "input": input("Why?"), "stream": false });
    body_of(harness.execute(&harness.ann, &body).await, StatusCode::OK).await;
    let options = |system: &str| -> Vec<(Value, Value)> {
        let of_agent = |body: &Value| body["messages"][0]["content"].as_str().is_some_and(|text| text.contains(system));
        let requests = stub.requests().into_iter().map(|(_, body)| body).filter(of_agent);
        requests.map(|body| (body["temperature"].clone(), body["max_tokens"].clone())).collect()
    };
    assert_eq!(options("You are warm."), [(json!(1.25), json!(321))]);
    let others = options("You read logs.");
    assert!(!others.is_empty() && others.iter().all(|found| *found == (json!(0.7), json!(4096))), "{others:?}");
    let supervisors = options("You lead the node.");
    assert!(!supervisors.is_empty() && supervisors.iter().all(|found| found.0.is_null()), "{supervisors:?}");
}

#[tokio::test]
async fn the_global_supervisor_reads_the_results_of_integrated_nodes_together() {
    let mut harness = ExecutionHarness::new().await;
    let together = "[integrates node=node-a node=node-c]: read the results of these two nodes together.";
    harness.execute_to_end().await;
    assert!(!prompts(&harness.server, "You lead.").iter().any(|prompt| prompt.contains("[integrates")));
    let mut integrated = document();
    let edge = json!({ "source_node_id": "node-a", "target_node_id": "node-c", "relation_type": "integrates" });
    integrated["topology"]["edges"].as_array_mut().expect("a list").push(edge);
    harness.team = create(&harness.server, &harness.ann, &integrated).await;
    harness.execute_to_end().await;
    let last = prompts(&harness.server, "You lead.").pop().expect("a prompt");
    let place = |text: &str| last.find(text).unwrap_or_else(|| panic!("no {text} in {last}"));
    let results = [place("node=node-a"), place("node=node-c")];
    assert!(results.iter().all(|result| *result < place(together)), "the results come first: {last}");
    let of_nodes = prompts(&harness.server, "You lead the node.");
    assert!(!of_nodes.iter().any(|prompt| prompt.contains("[integrates")), "only the global supervisor is told");
}

#[tokio::test]
async fn a_team_that_is_replaced_during_an_execution_keeps_its_version_there() {
    let harness = ExecutionHarness::start_held().await;
    let (id, stream) = harness.start_paused(json!({})).await;
    let mut second = document();
    let nodes = second["topology"]["nodes"].as_array_mut().expect("nodes");
    for agent in nodes.iter_mut().flat_map(|node| node["agents"].as_array_mut().expect("agents")) {
        agent["system_prompt"] = json!("You are of the second version.");
    }
    let put = harness.request(&harness.ann, Method::PUT, &format!("teams/{}", harness.team)).json(&second);
    assert_eq!(body_of(put.send().await.expect("answers"), StatusCode::OK).await["version"], 2);
    harness.control(&id, "resume", StatusCode::ACCEPTED).await;
    let end = harness.read_and_release(stream).await.pop().expect("an end").data;
    assert_eq!(end["event"], "execution_complete", "{end}");
    assert!(!prompts(&harness.server, "You read logs.").is_empty());
    assert!(prompts(&harness.server, "second version").is_empty(), "the execution has its own copy of the team");
    let listed = harness.get(&format!("teams/{}/executions", harness.team)).await["executions"][0].clone();
    assert_eq!(listed["team_version"], 1, "{listed}");
    let stream = harness.execute(&harness.ann, &json!({ "input": input("Why?") })).await;
    harness.read_and_release(crate::sse::SseReader::of(stream)).await;
    assert!(!prompts(&harness.server, "second version").is_empty(), "the next execution has the new version");
}
