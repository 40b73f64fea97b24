//! The door `teams`, checked against its specification: teams from a topology, without their executions.

use std::time::{Duration, Instant};

use reqwest::{Method, Response, StatusCode};
use roundtable::audit::{AuditAction, AuditQuery};
use roundtable::identity::ServerRole;
use roundtable::kernel::ParticipantId;
use serde_json::{Value, json};

use crate::server::{Person, Server, json as body_of, with_timeout};

/// Returns the specification's example of a request, with names instead of `string`.
pub fn document() -> Value {
    let agent = |id: &str| {
        json!({
            "agent_id": id, "agent_name": "Log reader", "model_provider": "demo", "model_id": "demo",
            "system_prompt": "You read logs.", "user_prompt_template": "{task} ({node.key})",
            "tools": ["report", "ask_people"], "temperature": 0.7, "max_tokens": 4096,
        })
    };
    let node = |id: &str, strategy: &str| {
        json!({
            "node_id": id, "node_name": "Order service", "node_type": "service", "attributes": { "key": "value" },
            "agents": [agent("agent-1"), agent("agent-2")],
            "supervisor_config": {
                "model_provider": "demo", "model_id": "demo", "system_prompt": "You lead the node.",
                "coordination_strategy": strategy,
            },
        })
    };
    json!({
        "topology": {
            "nodes": [node("node-a", "round_robin"), node("node-b", "adaptive"), node("node-c", "priority")],
            "edges": [
                { "source_node_id": "node-a", "target_node_id": "node-b", "relation_type": "calls", "attributes": { "key": "value" } },
                { "source_node_id": "node-c", "target_node_id": "node-b", "relation_type": "depends_on" },
            ],
            "global_supervisor": {
                "model_provider": "demo", "model_id": "demo", "system_prompt": "You lead.",
                "coordination_strategy": "hierarchical",
            },
        },
        "team_name": "Order team",
        "description": "Finds out why orders fail",
        "timeout_seconds": 300,
        "max_iterations": 50,
    })
}

/// Creates a team. Returns its id.
pub async fn create(server: &Server, owner: &Person, document: &Value) -> String {
    let (status, created) = server.post(owner, "/api/v1/teams", document).await;
    assert_eq!(status, StatusCode::CREATED, "{created}");
    created["team_id"].as_str().expect("an id").to_owned()
}

/// Grants a participant a right to a team.
pub async fn share(server: &Server, owner: &Person, team: &str, who: ParticipantId, right: &str) {
    let path = format!("/api/v1/teams/{team}/access/{who}");
    let request = server.as_person(owner, Method::PUT, &path).json(&json!({ "right": right }));
    body_of(request.send().await.expect("answers"), StatusCode::OK).await;
}

struct TeamsHarness {
    server: Server,
    ann: Person,
}

impl TeamsHarness {
    async fn new() -> Self {
        let server = Server::start().await;
        let ann = server.person("Ann", ServerRole::Member).await;
        Self { server, ann }
    }

    async fn send(&self, who: &Person, method: Method, path: &str, body: Option<&Value>) -> Response {
        let mut request = self.server.as_person(who, method, &format!("/api/v1/teams{path}"));
        if let Some(body) = body {
            request = request.json(body);
        }
        request.send().await.expect("answers")
    }

    async fn get(&self, path: &str) -> Value {
        self.server.get(&self.ann, &format!("/api/v1/teams{path}")).await
    }

    /// Sends a request as Ann, and returns the error.
    async fn expect_error(&self, method: Method, path: &str, body: Option<&Value>, status: StatusCode) -> Value {
        let refused = body_of(self.send(&self.ann, method, path, body).await, status).await;
        assert_eq!(refused["status"], "failed", "{refused}");
        refused
    }

    /// Sends an invalid document, and returns the details of the error.
    async fn expect_invalid(&self, document: &Value) -> Value {
        let began = Instant::now();
        let refused = self.expect_error(Method::POST, "", Some(document), StatusCode::BAD_REQUEST).await;
        assert!(began.elapsed() < Duration::from_secs(10), "in bounded time");
        assert_eq!(
            (&refused["error_code"], &refused["code"]),
            (&json!("INVALID_TOPOLOGY"), &json!("invalid_topology"))
        );
        assert!(refused.to_string().len() < 100_000, "in bounded space");
        refused["details"].clone()
    }

    async fn audit_count(&self, action: AuditAction) -> usize {
        with_timeout(self.server.node.audit.flush()).await;
        let query = AuditQuery { action: Some(action), limit: 100, ..AuditQuery::default() };
        self.server.node.audit.store().audit_entries(&query).await.expect("reads").len()
    }
}

fn codes(details: &Value) -> Vec<&str> {
    let errors = details["errors"].as_array().expect("errors").iter();
    errors.map(|error| error["code"].as_str().expect("a code")).collect()
}

#[tokio::test]
async fn a_team_is_created_read_listed_and_deleted_as_specified() {
    let harness = TeamsHarness::new().await;
    let dry = harness.send(&harness.ann, Method::POST, "?dry_run=true", Some(&document())).await;
    let counts = json!({ "node_count": 3, "agent_count": 6, "edge_count": 2 });
    assert_eq!(body_of(dry, StatusCode::OK).await, json!({ "status": "valid", "topology_summary": counts }));
    assert_eq!(harness.get("").await["total"], 0, "a dry run leaves nothing");

    let created = harness.send(&harness.ann, Method::POST, "", Some(&document())).await;
    let location = created.headers()["location"].to_str().expect("text").to_owned();
    let created = body_of(created, StatusCode::CREATED).await;
    assert_eq!((&created["status"], &created["topology_summary"]), (&json!("created"), &counts));
    let id = created["team_id"].as_str().expect("an id");
    assert!(uuid::Uuid::try_parse(id).is_ok() && created["created_at"].is_string(), "{created}");
    assert_eq!(location, format!("/api/v1/teams/{id}"));

    let answer = harness.send(&harness.ann, Method::GET, &format!("/{id}"), None).await;
    assert_eq!(answer.headers()["etag"], "\"1\"");
    let team = body_of(answer, StatusCode::OK).await;
    for (field, value) in [
        ("id", json!(id)),
        ("team_id", json!(id)),
        ("name", json!("Order team")),
        ("description", json!("Finds out why orders fail")),
        ("status", json!("active")),
        ("version", json!(1)),
        ("right", json!("edit")),
        ("timeout_seconds", json!(300)),
        ("max_iterations", json!(50)),
        ("topology_summary", counts),
        ("created_at", created["created_at"].clone()),
    ] {
        assert_eq!(team[field], value, "{field}");
    }
    let mut expected = document()["topology"].clone();
    expected["edges"][1]["attributes"] = json!({});
    assert_eq!(team["topology_config"], expected, "as it was sent, with defaults");

    let listed = harness.get("?page=1&size=20&status=active").await;
    assert_eq!((&listed["page"], &listed["size"], &listed["total"]), (&json!(1), &json!(20), &json!(1)));
    assert_eq!(listed["teams"][0]["id"], json!(id));
    assert!(listed["teams"][0].get("topology_config").is_none(), "lists are short");
    let mut full = document();
    for (field, value) in [("slug", json!("orders")), ("language", json!("zh")), ("starters", json!(["Why?"]))] {
        full[field] = value;
    }
    let answer = harness.send(&harness.ann, Method::PUT, &format!("/{id}"), Some(&full)).await;
    let replaced = body_of(answer, StatusCode::OK).await;
    for field in ["slug", "language", "starters"] {
        assert_eq!(replaced[field], full[field], "a client can send back all that it read: {field}");
    }

    let removed = harness.send(&harness.ann, Method::DELETE, &format!("/{id}"), None).await;
    assert_eq!(removed.status(), StatusCode::NO_CONTENT);
    let error = harness.expect_error(Method::GET, &format!("/{id}"), None, StatusCode::NOT_FOUND).await;
    assert_eq!(error["error_code"], "TEAM_NOT_FOUND");
    assert_eq!(error["error_message"], format!("Team with ID '{id}' not found"));
    let never = harness.expect_error(Method::GET, "/team-456", None, StatusCode::NOT_FOUND).await;
    assert_eq!(never["error_message"], "Team with ID 'team-456' not found");
    for action in [AuditAction::TeamCreated, AuditAction::TeamDeleted] {
        assert_eq!(harness.audit_count(action).await, 1, "{action:?}");
    }
}

#[tokio::test]
async fn an_unknown_provider_gets_the_error_of_the_specification() {
    let harness = TeamsHarness::new().await;
    let mut wrong = document();
    wrong["topology"]["nodes"][1]["node_id"] = json!("node-123");
    wrong["topology"]["nodes"][1]["agents"][0]["model_provider"] = json!("unknown-provider");
    wrong["topology"]["edges"][0]["target_node_id"] = json!("node-123");
    wrong["topology"]["edges"][1]["target_node_id"] = json!("node-123");
    let refused = harness.expect_error(Method::POST, "", Some(&wrong), StatusCode::BAD_REQUEST).await;
    let text = refused["error_message"].as_str().expect("text");
    assert!(text.starts_with("Node 'node-123' references undefined model provider 'unknown-provider'"), "{text}");
    assert_eq!(refused["error_code"], "INVALID_TOPOLOGY");
    assert_eq!(refused["details"]["invalid_nodes"], json!(["node-123"]));
    assert_eq!(refused["details"]["missing_references"], json!(["unknown-provider"]));
    let pointer = "/topology/nodes/1/agents/0/model_provider";
    assert_eq!(refused["details"]["errors"][0]["pointer"], pointer);

    // Now the document breaks every rule of the specification at the same time.
    wrong["topology"]["nodes"][0]["agents"][0]["tools"] = json!(["nothing"]);
    wrong["topology"]["nodes"][2]["node_id"] = json!("NODE-A");
    wrong["topology"]["global_supervisor"]["model_id"] = json!("large");
    let details = harness.expect_invalid(&wrong).await;
    // The node without edges is not reported: the edge to the unknown node could be meant for it.
    let expected = ["duplicate_id", "unknown_tool", "unknown_provider", "unknown_model", "unknown_node"];
    let mut found = codes(&details);
    assert_eq!(found.len(), expected.len(), "{details:#}");
    found.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn bad_input_gets_a_coded_answer_in_bounded_time() {
    let harness = TeamsHarness::new().await;
    let node = document()["topology"]["nodes"][0].clone();
    let named = |name: &str| {
        let mut node = node.clone();
        node["node_id"] = json!(name);
        node
    };
    let chain = |number: usize, relation: &str| {
        let nodes: Vec<Value> = (0..number).map(|at| named(&format!("n{at}"))).collect();
        let edges = (1..number).map(|at| {
            json!({ "source_node_id": format!("n{}", at - 1), "target_node_id": format!("n{at}"), "relation_type": relation })
        });
        let mut document = document();
        document["topology"]["edges"] = edges.collect();
        document["topology"]["nodes"] = json!(nodes);
        document
    };
    assert_eq!(codes(&harness.expect_invalid(&chain(101, "integrates")).await), ["too_long"]);
    assert_eq!(codes(&harness.expect_invalid(&chain(11, "calls")).await), ["too_deep"]);
    let mut cycle = chain(3, "calls");
    let back = json!({ "source_node_id": "n2", "target_node_id": "n0", "relation_type": "calls" });
    cycle["topology"]["edges"].as_array_mut().expect("edges").push(back);
    let details = harness.expect_invalid(&cycle).await;
    assert_eq!((codes(&details), &details["invalid_nodes"]), (vec!["cycle"], &json!(["n0", "n1", "n2"])));
    let long = "x".repeat(1 << 20);
    let agents: Vec<Value> = (0..21)
        .map(|at| {
            let mut agent = node["agents"][0].clone();
            agent["agent_id"] = json!(format!("a{at}"));
            agent
        })
        .collect();
    for (pointer, value, code) in [
        ("/topology/nodes/0/agents", json!(agents), "too_long"),
        ("/topology/edges/0/source_node_id", json!("node-b"), "self_edge"),
        ("/topology/global_supervisor/coordination_strategy", json!("chaotic"), "unknown_value"),
        ("/topology/nodes/0/supervisor_config/coordination_strategy", json!("random"), "unknown_value"),
        ("/topology/nodes/0/node_id", json!("node-ａ"), "invalid_id"),
        ("/topology/nodes/0/node_id", json!(""), "empty"),
        ("/topology/nodes/0/node_name", json!(long), "too_long"),
        ("/team_name", json!(long), "too_long"),
        ("/team_name", json!(""), "empty"),
        ("/topology/nodes/0/agents/0/user_prompt_template", json!("{task}".repeat(10_000)), "invalid_template"),
        ("/topology/nodes/0/agents/0/user_prompt_template", json!("{".repeat(60_001)), "invalid_template"),
        ("/topology/nodes/0/agents/0/user_prompt_template", json!(long), "too_long"),
    ] {
        let mut wrong = document();
        *wrong.pointer_mut(pointer).expect("a place") = value;
        let details = harness.expect_invalid(&wrong).await;
        assert!(codes(&details).contains(&code), "{pointer}: {details:#}");
    }
    let huge = json!({ "topology": { "nodes": vec![json!({}); 300_000] } });
    let details = harness.expect_invalid(&huge).await;
    assert_eq!((codes(&details).len(), &details["truncated"]), (100, &json!(true)));

    for (text, status, code) in [
        ("x".repeat(10 << 20), StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE"),
        ("{".into(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("[]".into(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        (String::new(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("[".repeat(100_000), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
        ("{\"a\":1,\"a\":2}".into(), StatusCode::BAD_REQUEST, "INVALID_REQUEST"),
    ] {
        let request = harness.server.as_person(&harness.ann, Method::POST, "/api/v1/teams").body(text.clone());
        let refused = body_of(request.send().await.expect("answers"), status).await;
        assert_eq!(refused["error_code"], code, "{}", &text[..text.len().min(20)]);
    }
    let bomb = format!("name = \"x\"\na = {}", "[".repeat(100_000));
    let request = harness.server.as_person(&harness.ann, Method::POST, "/api/v1/teams/import").body(bomb);
    let refused = request.header("content-type", "application/toml").send().await.expect("answers");
    assert_eq!(body_of(refused, StatusCode::BAD_REQUEST).await["error_code"], "INVALID_TOPOLOGY");
    for query in ["?page=0", "?size=0", "?size=101", "?status=created", "?sise=1"] {
        let refused = harness.expect_error(Method::GET, query, None, StatusCode::BAD_REQUEST).await;
        assert_eq!(refused["error_code"], "INVALID_REQUEST", "{query}");
    }
    assert_eq!(harness.get("").await["total"], 0);
}

#[tokio::test]
async fn a_replacement_adds_a_version_that_if_match_guards() {
    let harness = TeamsHarness::new().await;
    let id = create(&harness.server, &harness.ann, &document()).await;
    let put = async |document: &Value, tag: Option<&str>| {
        let mut request =
            harness.server.as_person(&harness.ann, Method::PUT, &format!("/api/v1/teams/{id}")).json(document);
        if let Some(tag) = tag {
            request = request.header("if-match", tag);
        }
        request.send().await.expect("answers")
    };
    let mut other = document();
    other["team_name"] = json!("Second name");
    let replaced = put(&other, Some("\"1\"")).await;
    assert_eq!(replaced.headers()["etag"], "\"2\"");
    let replaced = body_of(replaced, StatusCode::OK).await;
    assert_eq!((&replaced["name"], &replaced["version"]), (&json!("Second name"), &json!(2)));
    let stale = body_of(put(&document(), Some("\"1\"")).await, StatusCode::CONFLICT).await;
    assert_eq!(
        (&stale["error_code"], &stale["details"]["current"]["version"]),
        (&json!("VERSION_CONFLICT"), &json!(2))
    );
    let unquoted = body_of(put(&document(), Some("2")).await, StatusCode::BAD_REQUEST).await;
    assert_eq!(unquoted["error_code"], "INVALID_REQUEST");
    assert_eq!(put(&json!({}), None).await.status(), StatusCode::BAD_REQUEST, "an invalid one replaces nothing");
    let dry = harness.send(&harness.ann, Method::PUT, &format!("/{id}?dry_run=true"), Some(&document())).await;
    assert_eq!(body_of(dry, StatusCode::OK).await["status"], "valid");
    assert_eq!(harness.get(&format!("/{id}")).await["version"], 2, "a check replaces nothing");
    harness.expect_error(Method::PUT, &format!("/{id}?dry=true"), Some(&document()), StatusCode::BAD_REQUEST).await;
    let plain = harness.send(&harness.ann, Method::GET, &format!("/{id}?dry_run=true"), None).await;
    let message = body_of(plain, StatusCode::BAD_REQUEST).await["error_message"].clone();
    assert!(message.as_str().is_some_and(|text| text.contains("unknown parameter \"dry_run\"")), "{message}");
    assert_eq!(body_of(put(&document(), None).await, StatusCode::OK).await["version"], 3);
    assert_eq!(body_of(put(&other, Some("*")).await, StatusCode::OK).await["version"], 4);
    assert_eq!(harness.audit_count(AuditAction::TeamReplaced).await, 3);
    for (method, body) in [(Method::PATCH, json!({ "status": "inactive" })), (Method::DELETE, json!(null))] {
        let request = harness.server.as_person(&harness.ann, method, &format!("/api/v1/teams/{id}"));
        let stale = request.header("if-match", "\"3\"").json(&body).send().await.expect("answers");
        assert_eq!(body_of(stale, StatusCode::CONFLICT).await["error_code"], "VERSION_CONFLICT");
    }
    let deletion = harness.server.as_person(&harness.ann, Method::DELETE, &format!("/api/v1/teams/{id}"));
    let deleted = deletion.header("if-match", "\"4\"").send().await.expect("answers");
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_status_is_set_by_the_owner_or_by_missing_references() {
    let folder = {
        let harness = TeamsHarness::new().await;
        let id = create(&harness.server, &harness.ann, &document()).await;
        let switch = async |status: &str| {
            let body = json!({ "status": status });
            let answer = harness.send(&harness.ann, Method::PATCH, &format!("/{id}"), Some(&body)).await;
            body_of(answer, StatusCode::OK).await["status"].clone()
        };
        assert_eq!(switch("inactive").await, "inactive");
        assert_eq!(harness.get("?status=active").await["total"], 0);
        assert_eq!(harness.get("?status=inactive").await["teams"][0]["status"], "inactive");
        assert_eq!(switch("active").await, "active");
        harness
            .expect_error(
                Method::PATCH,
                &format!("/{id}"),
                Some(&json!({ "status": "error" })),
                StatusCode::BAD_REQUEST,
            )
            .await;
        harness.server.stop().await
    };
    // The server restarts with another provider.
    let server = Server::start_in(folder, |config| {
        config.only_demo_model = false;
        let provider = json!({ "base_url": "http://127.0.0.1:1/v1", "models": [{ "name": "other" }] });
        let provider = serde_json::from_value(provider).expect("a provider");
        config.providers.named = [("other".to_owned(), provider)].into();
    })
    .await;
    let admin = server.person("Root", ServerRole::Admin).await;
    let listed = server.get(&admin, "/api/v1/teams?status=error").await;
    assert_eq!((&listed["total"], &listed["teams"][0]["status"]), (&json!(1), &json!("error")));
    assert_eq!(listed["teams"][0]["missing_references"], json!(["demo"]));
    assert_eq!(server.get(&admin, "/api/v1/teams?status=active").await["total"], 0);
}

#[tokio::test]
async fn rights_are_read_execute_and_edit_and_the_owner_shares() {
    let harness = TeamsHarness::new().await;
    let (ben, guest) =
        (harness.server.person("Ben", ServerRole::Member).await, harness.server.person("Gus", ServerRole::Guest).await);
    let id = create(&harness.server, &harness.ann, &document()).await;
    let path = format!("/{id}");
    let status = async |who: &Person, method: Method, path: &str, body: Option<&Value>| {
        harness.send(who, method, path, body).await.status()
    };
    assert_eq!(status(&ben, Method::GET, &path, None).await, StatusCode::NOT_FOUND, "what is not shared is not there");
    assert_eq!(status(&guest, Method::POST, "", Some(&document())).await, StatusCode::FORBIDDEN);
    share(&harness.server, &harness.ann, &id, ben.participant.id, "read").await;
    assert_eq!(status(&ben, Method::GET, &path, None).await, StatusCode::OK);
    assert_eq!(status(&ben, Method::PUT, &path, Some(&document())).await, StatusCode::FORBIDDEN);
    assert_eq!(harness.server.get(&ben, "/api/v1/teams").await["teams"][0]["right"], "read");
    share(&harness.server, &harness.ann, &id, ben.participant.id, "edit").await;
    assert_eq!(status(&ben, Method::PUT, &path, Some(&document())).await, StatusCode::OK);
    for (method, path, body) in [
        (Method::DELETE, path.clone(), None),
        (Method::PATCH, path.clone(), Some(json!({ "status": "inactive" }))),
        (Method::GET, format!("{path}/access"), None),
        (Method::PUT, format!("{path}/access/{}", ben.participant.id), Some(json!({ "right": "edit" }))),
    ] {
        assert_eq!(status(&ben, method, &path, body.as_ref()).await, StatusCode::FORBIDDEN, "{path}");
    }
    let access = harness.get(&format!("{path}/access")).await;
    let participant = json!({ "id": ben.participant.id, "name": "Ben" });
    assert_eq!(access, json!({ "access": [{ "participant": participant, "right": "edit" }] }));
    let whom = |who: String| format!("{path}/access/{who}");
    let right = json!({ "right": "read" });
    for (who, code) in [
        (guest.participant.id.to_string(), StatusCode::NOT_FOUND),
        ("u_1".into(), StatusCode::NOT_FOUND),
        (harness.ann.participant.id.to_string(), StatusCode::BAD_REQUEST),
    ] {
        harness.expect_error(Method::PUT, &whom(who), Some(&right), code).await;
    }
    let own = whom(ben.participant.id.to_string());
    assert_eq!(status(&harness.ann, Method::DELETE, &own, None).await, StatusCode::NO_CONTENT);
    harness.expect_error(Method::DELETE, &own, None, StatusCode::NOT_FOUND).await;
    assert_eq!(status(&ben, Method::GET, &path, None).await, StatusCode::NOT_FOUND);
    assert_eq!(harness.audit_count(AuditAction::TeamShared).await, 3);
    let nobody = harness.server.request(Method::GET, "/api/v1/teams").send().await.expect("answers");
    assert_eq!(body_of(nobody, StatusCode::UNAUTHORIZED).await["error_code"], "UNAUTHENTICATED");
}

#[tokio::test]
async fn an_exported_team_can_be_imported() {
    let harness = TeamsHarness::new().await;
    let id = create(&harness.server, &harness.ann, &document()).await;
    let config = harness.get(&format!("/{id}")).await["topology_config"].clone();
    for (format, kind) in [("json", "application/json"), ("toml", "application/toml")] {
        let export = harness.send(&harness.ann, Method::GET, &format!("/{id}/export?format={format}"), None).await;
        assert_eq!(export.headers()["content-type"], kind);
        let tag = export.headers()["etag"].to_str().expect("text").to_owned();
        let path = format!("/api/v1/teams/{id}/export?format={format}");
        let again = harness.server.as_person(&harness.ann, Method::GET, &path).header("if-none-match", tag);
        assert_eq!(again.send().await.expect("answers").status(), StatusCode::NOT_MODIFIED);
        let text = export.text().await.expect("text");
        let import = async |query: &str, text: String| {
            let path = format!("/api/v1/teams/import{query}");
            let request = harness.server.as_person(&harness.ann, Method::POST, &path).header("content-type", kind);
            request.body(text).send().await.expect("answers")
        };
        assert_eq!(body_of(import("?dry_run=true", text.clone()).await, StatusCode::OK).await["status"], "valid");
        let imported = body_of(import("", text.clone()).await, StatusCode::CREATED).await;
        let imported = harness.get(&format!("/{}", imported["team_id"].as_str().expect("an id"))).await;
        assert_eq!(imported["topology_config"], config, "{format}");
        assert_eq!((&imported["name"], &imported["timeout_seconds"]), (&json!("Order team"), &json!(300)));
        let wrong = body_of(import("", text.replace("node-b", "node b")).await, StatusCode::BAD_REQUEST).await;
        assert_eq!(wrong["error_code"], "INVALID_TOPOLOGY", "{format}");
    }
    let ben = harness.server.person("Ben", ServerRole::Member).await;
    share(&harness.server, &harness.ann, &id, ben.participant.id, "read").await;
    let copy = async |body: Value| {
        let answer = harness.send(&ben, Method::POST, &format!("/{id}/clone"), Some(&body)).await;
        let status = answer.status();
        (status, answer.json::<Value>().await.expect("JSON"))
    };
    let (status, copied) = copy(json!({})).await;
    assert_eq!(status, StatusCode::CREATED, "{copied}");
    let copied =
        harness.server.get(&ben, &format!("/api/v1/teams/{}", copied["team_id"].as_str().expect("an id"))).await;
    assert_eq!((&copied["name"], &copied["owner"]["name"]), (&json!("Order team (copy)"), &json!("Ben")));
    assert_eq!(copied["topology_config"], config);
    assert_eq!(copy(json!({ "team_name": "a\nb" })).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_schema_accepts_what_the_door_accepts() {
    let harness = TeamsHarness::new().await;
    let schema = harness.get("/schema").await;
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(roundtable::kernel::schema::check(&schema, &document()), Ok(()));
    let mut wrong = document();
    wrong["topology"]["nodes"][0]["supervisor_config"]["coordination_strategy"] = json!("random");
    assert!(roundtable::kernel::schema::check(&schema, &wrong).is_err());
}

#[tokio::test]
async fn an_owner_cannot_exceed_the_limit_of_teams() {
    let server = Server::start_with(|config| {
        config.teams.max_per_participant = 2;
        config.teams.max_body_bytes = 10_000;
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    for _ in 0..2 {
        create(&server, &ann, &document()).await;
    }
    let (status, full) = server.post(&ann, "/api/v1/teams", &document()).await;
    assert_eq!((status, &full["error_code"]), (StatusCode::CONFLICT, &json!("QUOTA_EXCEEDED")));
    assert_eq!(full["details"], json!({ "quota": "teams.max_per_participant", "limit": 2 }));
    let mut large = document();
    large["description"] = json!("x".repeat(10_000));
    let (status, large) = server.post(&ann, "/api/v1/teams", &large).await;
    assert_eq!((status, &large["error_code"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("TOO_LARGE")));
    let other = server.person("Ben", ServerRole::Member).await;
    create(&server, &other, &document()).await;
    let small = Server::start_with(|config| config.teams.max_bytes_per_participant = 1024).await;
    let ann = small.person("Ann", ServerRole::Member).await;
    let (status, full) = small.post(&ann, "/api/v1/teams", &document()).await;
    assert_eq!((status, &full["details"]["quota"]), (StatusCode::CONFLICT, &json!("teams.max_bytes_per_participant")));
}
