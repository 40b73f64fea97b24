//! Quotas of participants and ceilings of session settings, as seen by clients.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::tool::{CallContext, Output, OutputFile, Tool, ToolError, ToolSpec};
use serde_json::{Value, json};

use crate::server::{Person, Server};

/// Returns the status and, for a refusal, its code and the quota that it names.
fn error_of((status, body): (StatusCode, Value)) -> (u16, String) {
    let quota = body["details"]["quota"].as_str().unwrap_or_default();
    (status.as_u16(), format!("{} {quota}", body["code"].as_str().unwrap_or_default()).trim().to_owned())
}

fn quota_exceeded(quota: &str) -> (u16, String) {
    (409, format!("quota_exceeded {quota}"))
}

async fn start_server(settings: impl FnOnce(&mut Config)) -> (Server, Person, Person) {
    let server = Server::start_with(settings).await;
    let (ann, ben) = (server.person("Ann", ServerRole::Member).await, server.person("Ben", ServerRole::Member).await);
    (server, ann, ben)
}

#[tokio::test]
async fn sessions_of_a_participant_are_limited() {
    let (server, ann, ben) = start_server(|config| {
        config.quotas.max_sessions = 2;
        config.guest_doors = Some(true);
    })
    .await;
    let create = async |who: &Person| error_of(server.post(who, "/api/v1/sessions", &json!({ "title": "x" })).await);
    assert_eq!((create(&ann).await.0, create(&ann).await.0), (201, 201));
    assert_eq!(create(&ann).await, quota_exceeded("max_sessions"));
    let (status, refused) = server.post(&ann, "/api/orchestrator/tasks/", &json!({ "requirement": "x" })).await;
    assert_eq!((status.as_u16(), &refused["code"]), (409, &json!("quota_exceeded")), "also through a door");
    assert_eq!(create(&ben).await.0, 201, "others have theirs");
}

#[tokio::test]
async fn model_usage_of_a_participant_is_limited_per_month() {
    let (server, ann, ben) = start_server(|config| config.quotas.max_month_tokens = Some(1)).await;
    let begin = async |who: &Person| {
        let body = json!({ "team": "assistant-en", "title": "x", "message": "Hello" });
        server.post(who, "/api/v1/sessions", &body).await
    };
    let (status, first) = begin(&ann).await;
    assert_eq!(status, StatusCode::CREATED, "{first}");
    let path = format!("/api/v1/sessions/{}", first["session"].as_str().expect("an id"));
    while server.get(&ann, &path).await["state"]["run"]["phase"] != "completed" {
        tokio::task::yield_now().await;
    }
    let say = async |who: &Person, id: &str, text: &str| {
        let command = json!({ "id": id, "do": "say", "data": { "text": text } });
        server.post(who, &format!("{path}/commands"), &command).await
    };
    let refused = say(&ann, "c_1", "Again").await;
    let frees = refused.1["details"]["frees_at"].as_str().expect("a time").to_owned();
    assert!(frees.ends_with("-01T00:00:00.000Z"), "{frees}");
    assert_eq!(error_of(refused), quota_exceeded("max_month_tokens"));
    assert_eq!(say(&ann, "c_2", "@people look").await.0, StatusCode::OK, "people can talk");
    assert_eq!(begin(&ben).await.0, StatusCode::CREATED, "others have theirs");
}

#[tokio::test]
async fn active_runs_of_a_participant_are_limited() {
    let (server, ann, ben) = start_server(|config| config.quotas.max_runs = 1).await;
    let begin = async |who: &Person, message: &str| {
        let body = json!({ "team": "testcase-en", "message": message });
        server.post(who, "/api/v1/sessions", &body).await
    };
    let (status, first) = begin(&ann, "Write test cases for the payment API").await;
    assert_eq!(status, StatusCode::CREATED, "{first}");
    let second = server.session(&ann, &json!({ "team": "testcase-en" })).await;
    let send = async |who: &Person, session: &str, id: &str, verb: &str, data: Value| {
        let path = format!("/api/v1/sessions/{session}/commands");
        error_of(server.post(who, &path, &json!({ "id": id, "do": verb, "data": data })).await)
    };
    let (second, text) = (second.to_string(), json!({ "text": "Write test cases for the login" }));
    assert_eq!(send(&ann, &second, "c_1", "say", text.clone()).await, quota_exceeded("max_runs"));
    assert_eq!(send(&ann, &second, "c_2", "start", json!({ "input": "x" })).await, quota_exceeded("max_runs"));
    let talk = json!({ "text": "hello", "to": ["people"] });
    assert_eq!(send(&ann, &second, "c_3", "say", talk).await.0, 200, "words for people begin no run");
    assert_eq!(begin(&ben, "Write test cases").await.0, StatusCode::CREATED, "others have theirs");
    let first = first["session"].as_str().expect("an id").to_owned();
    assert_eq!(send(&ann, &first, "c_4", "say", text.clone()).await.0, 200, "the run that is there goes on");
    let run = server.get(&ann, &format!("/api/v1/sessions/{first}")).await["state"]["run"]["id"].take();
    assert_eq!(send(&ann, &first, "c_5", "cancel", json!({ "run": run })).await.0, 200);
    while server.node.quotas.runs(ann.participant.id).await.expect("counts") > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(send(&ann, &second, "c_6", "say", text).await.0, 200, "one has ended");
}

#[tokio::test]
async fn bytes_of_files_and_documents_of_a_participant_are_limited() {
    let (server, ann, ben) = start_server(|config| {
        config.quotas.max_file_bytes = 3000;
        config.quotas.max_knowledge_bytes = 3000;
    })
    .await;
    let put = async |who: &Person, path: &str, bytes: usize| {
        let answer = server.as_person(who, Method::PUT, path).body("x".repeat(bytes)).send().await.expect("answers");
        error_of((answer.status(), answer.json().await.unwrap_or_default()))
    };
    let sessions = [server.session(&ann, &json!({})).await, server.session(&ann, &json!({})).await];
    let [one, two] = sessions.map(|session| format!("/api/v1/sessions/{session}/files"));
    assert_eq!(put(&ann, &format!("{one}/a.txt"), 2000).await.0, 200);
    assert_eq!(put(&ann, &format!("{two}/a.txt"), 1500).await, quota_exceeded("max_file_bytes"));
    assert_eq!(put(&ann, &format!("{two}/a.txt"), 900).await.0, 200);
    let bens = server.session(&ben, &json!({})).await;
    assert_eq!(put(&ben, &format!("/api/v1/sessions/{bens}/files/a.txt"), 2500).await.0, 200);

    for name in ["one", "two"] {
        assert_eq!(server.post(&ann, "/api/v1/knowledge", &json!({ "name": name })).await.0, StatusCode::CREATED);
    }
    assert_eq!(put(&ann, "/api/v1/knowledge/1/documents/a.md", 2000).await.0, 200);
    assert_eq!(put(&ann, "/api/v1/knowledge/2/documents/a.md", 1500).await, quota_exceeded("max_knowledge_bytes"));
    assert_eq!(put(&ann, "/api/v1/knowledge/2/documents/a.md", 900).await.0, 200);

    // A client that did not receive the response repeats the request.
    assert_eq!(put(&ann, &format!("{one}/a.txt"), 2000).await.0, 200, "it adds nothing");
    assert_eq!(put(&ann, "/api/v1/knowledge/1/documents/a.md", 2000).await.0, 200, "nor does this");
    assert_eq!(put(&ann, "/api/v1/knowledge/1/documents/a.md", 2100).await.0, 200, "what is replaced does not count");
    assert_eq!(put(&ann, "/api/v1/knowledge/1/documents/a.md", 2101).await, quota_exceeded("max_knowledge_bytes"));
}

#[tokio::test]
async fn concurrent_operations_do_not_exceed_a_quota() {
    let (server, ann, _) = start_server(|config| {
        config.quotas.max_sessions = 6;
        config.quotas.max_runs = 2;
        config.quotas.max_file_bytes = 3000;
        config.quotas.max_knowledge_bytes = 3000;
        config.files.max_concurrent_uploads_per_participant = 16;
        config.rate_limits.chat = serde_json::from_value(json!({ "burst": 1000, "per_second": 1000 })).expect("a pace");
    })
    .await;
    // A recent operation can count twice for a moment, so a few are rejected early; sequential ones use up the rest of
    // the quota.
    let done = |answers: &[(u16, String)], quota: &str| {
        assert!(answers.iter().all(|answer| answer.0 < 300 || *answer == quota_exceeded(quota)), "{answers:?}");
        answers.iter().filter(|answer| answer.0 < 300).count()
    };
    let create = async || error_of(server.post(&ann, "/api/v1/sessions", &json!({ "team": "testcase-en" })).await);
    let mut created = join_all((0..10).map(|_| create())).await;
    assert!(done(&created, "max_sessions") <= 6, "{created:?}");
    for _ in 0..6 {
        created.push(create().await);
    }
    assert_eq!(done(&created, "max_sessions"), 6);
    let listed = server.get(&ann, "/api/v1/sessions").await["sessions"].take();
    let sessions = listed.as_array().expect("a list").iter().filter_map(|one| one["session"].as_str());
    let sessions: Vec<&str> = sessions.collect();
    assert_eq!(sessions.len(), 6);

    let put = async |path: String| {
        let body = format!("{path:.<1000}");
        let answer = server.as_person(&ann, Method::PUT, &path).body(body).send().await.expect("answers");
        error_of((answer.status(), answer.json().await.unwrap_or_default()))
    };
    server.post(&ann, "/api/v1/knowledge", &json!({ "name": "one" })).await;
    let of_sessions = sessions.iter().map(|session| format!("/api/v1/sessions/{session}/files")).collect::<Vec<_>>();
    let of_base = vec!["/api/v1/knowledge/1/documents".to_owned(); 6];
    for (folders, quota) in [(of_sessions, "max_file_bytes"), (of_base, "max_knowledge_bytes")] {
        let all = folders.iter().zip(0..).map(|(folder, number)| put(format!("{folder}/{number}.md")));
        let mut kept = join_all(all).await;
        assert!(done(&kept, quota) <= 3, "{kept:?}");
        for number in 10..13 {
            kept.push(put(format!("{}/{number}.md", folders[0])).await);
        }
        assert_eq!(done(&kept, quota), 3, "{kept:?}");
    }

    let begin = async |session: &str, id: &str| {
        let say = json!({ "id": id, "do": "say", "data": { "text": "Write test cases" } });
        error_of(server.post(&ann, &format!("/api/v1/sessions/{session}/commands"), &say).await)
    };
    let mut responses = join_all(sessions.iter().copied().map(|session| begin(session, "c_1"))).await;
    assert!(done(&responses, "max_runs") <= 2, "{responses:?}");
    for (session, _) in sessions.iter().copied().zip(responses.clone()).filter(|(_, first)| first.0 >= 300) {
        responses.push(begin(session, "c_2").await);
    }
    assert_eq!(done(&responses, "max_runs"), 2, "{responses:?}");
}

/// A tool that runs a program until its time is used up, tries to run another one, and creates two files.
struct QuotaSpendingTool(ToolSpec);

#[async_trait::async_trait]
impl Tool for QuotaSpendingTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, at: &CallContext, _: Value) -> Result<Output, ToolError> {
        let hour = Duration::from_secs(60);
        let _first = at.python.begin(hour).await?;
        let second = at.python.begin(hour).await.err().map_or("unlimited".into(), |refused| refused.message);
        let files =
            ["1", "2"].map(|text| OutputFile { name: format!("{text}.txt"), content: text.repeat(2000).into() });
        Ok(Output { text: second, files: files.into() })
    }
}

#[tokio::test]
async fn the_cost_of_a_run_counts_for_its_starter() {
    let spender = QuotaSpendingTool(ToolSpec::reading("spend", "Spends.", json!({ "type": "object" })));
    let server = Server::start_with_tools(vec![Arc::new(spender)], |config| {
        config.quotas.max_participant_python_hour_seconds = 60;
        config.quotas.max_file_bytes = 3000;
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let body = json!({ "team": "assistant-en", "message": "/tool spend {}" });
    let session = server.session(&ann, &body).await;
    while server.node.quotas.runs(ann.participant.id).await.expect("counts") > 0 {
        tokio::task::yield_now().await;
    }
    let log = server.get(&ann, &format!("/api/v1/sessions/{session}/log?limit=1000")).await.to_string();
    assert!(
        log.contains("of quotas.max_participant_python_hour_seconds; continue"),
        "programs of a run are counted: {log}"
    );
    assert!(
        log.contains("[2.txt was not stored: your session files exceed 3000 bytes"),
        "so are files that agents make: {log}"
    );
    assert_eq!(server.node.quotas.file_bytes(ann.participant.id).await.expect("counts"), 2000);
}

#[tokio::test]
async fn only_administrators_can_exceed_the_limits_of_the_operator() {
    let (server, ann, _) = start_server(|config| {
        config.quotas.session_settings.max_parallel = 4;
        config.quotas.session_settings.max_steps_per_run = 10;
    })
    .await;
    let create = async |who: &Person, settings: Value| {
        server.post(who, "/api/v1/sessions", &json!({ "team": "testcase-en", "settings": settings })).await
    };
    assert_eq!(error_of(create(&ann, json!({ "max_parallel": 5 })).await), quota_exceeded("max_parallel"));
    let (status, made) = create(&ann, json!({ "max_parallel": 4 })).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let session = made["session"].as_str().expect("an id").to_owned();
    let response = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
    let settings = &response["state"]["settings"];
    assert_eq!(
        (&settings["max_parallel"], &settings["max_steps_per_run"]),
        (&json!(4), &json!(10)),
        "defaults are capped"
    );
    let path = format!("/api/v1/sessions/{session}/commands");
    let set = |id: &str, settings: Value| json!({ "id": id, "do": "set", "data": { "settings": settings } });
    assert_eq!(
        error_of(server.post(&ann, &path, &set("c_1", json!({ "max_steps_per_run": 11 }))).await),
        quota_exceeded("max_steps_per_run")
    );
    assert_eq!(server.post(&ann, &path, &set("c_2", json!({ "max_steps_per_run": 9 }))).await.0, StatusCode::OK);
    let ada = server.person("Ada", ServerRole::Admin).await;
    assert_eq!(server.post(&ada, &path, &set("c_3", json!({ "max_steps_per_run": 500 }))).await.0, StatusCode::OK);
    assert_eq!(
        server.post(&ann, &path, &set("c_4", json!({ "max_retries": 1 }))).await.0,
        StatusCode::OK,
        "it is not named"
    );
}
