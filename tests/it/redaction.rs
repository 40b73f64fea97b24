//! Redaction, seen from outside: over sockets and REST, after a restart, and in the raw bytes of the database.

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use roundtable::clock;
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::kernel::{Actor, Command, Role, SessionId};
use roundtable::redactions::RedactionRequestTarget;
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};

use crate::process::viewer::{SocketViewer, ViewerState, event};
use crate::server::{self, Person, Server};

const SECRET: &str = "correct-horse-battery";
const DAYS: u64 = 24 * 60 * 60 * 1000;

async fn command(server: &Server, who: &Person, session: SessionId, what: Value) -> (StatusCode, Value) {
    server.post(who, &format!("/api/v1/sessions/{session}/commands"), &what).await
}

async fn redact(server: &Server, who: &Person, session: SessionId, data: Value) -> (StatusCode, Value) {
    let id: String = data.to_string().chars().filter(char::is_ascii_alphanumeric).collect();
    command(server, who, session, json!({ "id": id, "do": "redact", "data": data })).await
}

/// Returns whether the text is in the files of the database.
fn is_at_rest(data: &std::path::Path, text: &str) -> bool {
    let files = ["roundtable.db", "roundtable.db-wal"].map(|name| data.join("data").join(name));
    let bytes: Vec<u8> = files.iter().filter_map(|file| std::fs::read(file).ok()).flatten().collect();
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Returns the snapshot that a new viewer gets.
async fn snapshot(server: &Server, who: &Person, session: SessionId) -> Value {
    let mut viewer = SocketViewer::connect(&server.url, &who.token).await;
    viewer.send(json!({ "type": "join", "session": session })).await;
    let joined =
        viewer.wait_for(&mut ViewerState::default(), |frame| frame["type"] == "joined").await.expect("is let in");
    joined["snapshot"].clone()
}

/// Returns everything that this person can read of the session over REST.
async fn readable(server: &Server, who: &Person, session: SessionId) -> String {
    let mut all = String::new();
    for path in ["", "/log", "/messages", "/files?all=true"] {
        all += &server.get(who, &format!("/api/v1/sessions/{session}{path}")).await.to_string();
    }
    all + &server.get(who, "/api/v1/sessions").await.to_string()
}

#[tokio::test]
async fn a_redacted_message_and_file_are_erased_everywhere() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({ "title": "Plans" })).await;
    let (mut live, mut seen) = (SocketViewer::connect(&server.url, &ann.token).await, ViewerState::default());
    live.join(&session.to_string(), 0).await;
    let command_data = json!({ "id": "c1", "do": "say", "data": { "text": format!("@people it is {SECRET}") } });
    assert_eq!(command(&server, &ann, session, command_data).await.0, StatusCode::OK);
    let put = server.as_person(&ann, Method::PUT, &format!("/api/v1/sessions/{session}/files/a.md"));
    let put = server::json(put.body(format!("the file says {SECRET}")).send().await.expect("answers"), StatusCode::OK);
    let file = put.await["file"]["id"].clone();
    let posted = live.wait_for(&mut seen, event("message.posted")).await.expect("comes");
    live.wait_for(&mut seen, event("file.added")).await.expect("comes");
    // Pages of the log and the snapshot, both shared between viewers, contain the secret.
    let (mut early, mut whole) = (SocketViewer::connect(&server.url, &ann.token).await, ViewerState::default());
    early.join(&session.to_string(), 0).await;
    early.wait_for(&mut whole, event("file.added")).await.expect("comes");
    assert!(snapshot(&server, &ann, session).await.to_string().contains(SECRET));

    let (status, answer) = redact(&server, &ann, session, json!({ "message": posted["data"]["message"] })).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let (status, answer) = redact(&server, &ann, session, json!({ "file": file })).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    live.wait_for(&mut seen, event("message.redacted")).await.expect("comes");
    let redacted = live.wait_for(&mut seen, event("file.redacted")).await.expect("comes");
    assert_eq!(redacted["by"]["name"], "Ann");

    let later = snapshot(&server, &ann, session).await;
    let last = later["state"]["messages"].as_array().and_then(|list| list.last()).cloned().unwrap_or_default();
    assert_eq!((&last["text"], &last["redacted"]["by"]["name"]), (&json!(""), &json!("Ann")), "{later}");
    assert!(!later.to_string().contains(SECRET));
    let (mut replay, mut again) = (SocketViewer::connect(&server.url, &ann.token).await, ViewerState::default());
    replay.join(&session.to_string(), 0).await;
    replay.wait_for(&mut again, event("file.redacted")).await.expect("comes");
    assert_eq!(again.events.len(), seen.events.len(), "no number is lost");
    assert!(!again.events.iter().any(|event| event.to_string().contains(SECRET)));
    assert!(!readable(&server, &ann, session).await.contains(SECRET));
    let response = server.as_person(&ann, Method::GET, &format!("/api/v1/sessions/{session}/files/a.md?version=1"));
    let response = server::json(response.send().await.expect("answers"), StatusCode::NOT_FOUND).await;
    assert!(response["message"].as_str().expect("text").contains("redacted"), "{response}");

    let data = server.stop().await;
    assert!(!is_at_rest(data.path(), SECRET), "nothing is left in the files of the database");
    let server = Server::start_in(data, |_| {}).await;
    assert!(!readable(&server, &ann, session).await.contains(SECRET));
    assert!(!snapshot(&server, &ann, session).await.to_string().contains(SECRET));
}

#[tokio::test]
async fn messages_of_a_run_are_redacted_when_it_is_over() {
    let server = Server::start().await;
    let (ann, root) = (server.person("Ann", ServerRole::Member).await, server.person("Root", ServerRole::Admin).await);
    let session = server.session(&ann, &json!({ "title": "Tests" })).await;
    let (mut live, mut seen) = (SocketViewer::connect(&server.url, &ann.token).await, ViewerState::default());
    live.join(&session.to_string(), 0).await;
    let command_data = json!({ "id": "c1", "do": "say", "data": { "text": format!("write test cases for {SECRET}") } });
    assert_eq!(command(&server, &ann, session, command_data).await.0, StatusCode::OK);
    let started = live.wait_for(&mut seen, event("run.started")).await.expect("begins");
    live.wait_for(&mut seen, event("gate.opened")).await.expect("asks");
    let (status, refused) = redact(&server, &ann, session, json!({ "message": started["data"]["input"] })).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("run_active")), "{refused}");
    let cancel = json!({ "id": "c2", "do": "cancel", "data": { "run": started["data"]["run"] } });
    assert_eq!(command(&server, &ann, session, cancel).await.0, StatusCode::OK);
    live.wait_for(&mut seen, event("run.cancelled")).await.expect("ends");
    // An administrator who is not in the session is allowed to redact.
    let mut ids = vec![started["data"]["input"].clone()];
    let written = seen.events.iter().filter(|event| event["event"] == "message.completed");
    ids.extend(written.map(|event| event["data"]["message"].clone()));
    assert!(ids.len() > 1, "agents have written");
    for id in ids {
        let (status, answer) = redact(&server, &root, session, json!({ "message": id, "reason": "private" })).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
    assert!(!readable(&server, &ann, session).await.contains(SECRET));
    let (status, unknown) = redact(&server, &root, session, json!({ "message": "m_1" })).await;
    assert_eq!((status, &unknown["code"]), (StatusCode::NOT_FOUND, &json!("unknown_message")), "{unknown}");
    server.node.audit.flush().await;
    let entries = server.get(&root, "/api/v1/audit?action=redaction").await;
    assert!(entries["entries"].as_array().is_some_and(|entries| entries.len() > 1), "{entries}");
    assert!(!entries.to_string().contains(SECRET) && !entries.to_string().contains("private"), "{entries}");
}

/// Says something to people, and adds a file that contains the same text.
async fn fill(server: &Server, who: &Person, session: SessionId, id: &str) {
    let command_data = json!({ "id": id, "do": "say", "data": { "text": format!("@people it is {SECRET}") } });
    let (status, answer) = command(server, who, session, command_data).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let put = server.as_person(who, Method::PUT, &format!("/api/v1/sessions/{session}/files/{id}.md"));
    let put = put.body(format!("{id} says {SECRET}")).send().await.expect("answers");
    server::json(put, StatusCode::OK).await;
}

/// Creates a session that Ann owns and that Ben has joined.
async fn together(server: &Server, ann: &Person, ben: &Person) -> SessionId {
    let session = server.session(ann, &json!({ "title": SECRET })).await;
    let invite = json!({ "id": "i", "do": "invite", "data": { "participant": ben.participant.id, "role": "member" } });
    assert_eq!(command(server, ann, session, invite).await.0, StatusCode::OK);
    fill(server, ann, session, "a").await;
    fill(server, ben, session, "b").await;
    session
}

#[tokio::test]
async fn a_redacted_session_leaves_only_its_skeleton() {
    let server = Server::start().await;
    let (ann, ben) =
        (server.person("Ann", ServerRole::Member).await, server.person("Benedetta", ServerRole::Member).await);
    let session = together(&server, &ann, &ben).await;
    let before = server.get(&ann, &format!("/api/v1/sessions/{session}/log")).await;
    let path = format!("/api/v1/sessions/{session}/redact");
    assert_eq!(server.post(&ben, &path, &json!({})).await.0, StatusCode::FORBIDDEN);
    let (status, answer) = server.post(&ann, &path, &json!({ "id": "s", "reason": "over" })).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(server.post(&ann, &path, &json!({ "id": "s" })).await.1, answer, "a repetition gets the first answer");
    let after = server.get(&ann, &format!("/api/v1/sessions/{session}/log")).await;
    let skeleton = |log: &Value| -> Vec<Value> {
        let events =
            log["events"].as_array().expect("a list").iter().take(before["events"].as_array().map_or(0, Vec::len));
        events.map(|event| json!([event["seq"], event["at"], event["event"], event["by"]["id"]])).collect()
    };
    assert_eq!(skeleton(&after), skeleton(&before));
    let all = readable(&server, &ann, session).await;
    assert!(!all.contains(SECRET) && !all.contains("Benedetta"), "{all}");
    let command_data = json!({ "id": "c9", "do": "say", "data": { "text": "@people more" } });
    assert_eq!(command(&server, &ann, session, command_data).await.1["code"], "session_closed");
    let data = server.stop().await;
    assert!(!is_at_rest(data.path(), SECRET));
}

#[tokio::test]
async fn a_redacted_execution_leaves_no_text_of_its_team() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let mut document = crate::door_teams::document();
    document["topology"]["nodes"][0]["agents"][0]["system_prompt"] = json!(format!("You know {SECRET}."));
    document["topology"]["nodes"][0]["attributes"]["key"] = json!(SECRET);
    document["topology"]["global_supervisor"]["system_prompt"] = json!(SECRET);
    let team = crate::door_teams::create(&server, &ann, &document).await;
    let execute = json!({ "input": { "task": SECRET, "context": { "key": SECRET } }, "stream": false });
    let (_, done) = server.post(&ann, &format!("/api/v1/teams/{team}/execute"), &execute).await;
    assert_eq!(done["status"], "success", "{done}");
    let session: SessionId = done["session_id"].as_str().expect("an id").parse().expect("an id");
    assert!(readable(&server, &ann, session).await.contains(SECRET));
    let path = format!("/api/v1/teams/{team}");
    let deleted = server.as_person(&ann, Method::DELETE, &path).send().await.expect("answers");
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    let (status, answer) = server.post(&ann, &format!("/api/v1/sessions/{session}/redact"), &json!({})).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert!(!readable(&server, &ann, session).await.contains(SECRET));
    assert!(!snapshot(&server, &ann, session).await.to_string().contains(SECRET));
    let path = format!("/api/v1/executions/{}", done["id"].as_str().expect("an id"));
    let response = server.as_person(&ann, Method::GET, &path).send().await.expect("answers");
    assert_eq!(server::json(response, StatusCode::NOT_FOUND).await["error_code"], "EXECUTION_NOT_FOUND");
    let data = server.stop().await;
    assert!(!is_at_rest(data.path(), SECRET));
}

#[tokio::test]
async fn a_redacted_person_has_no_name_and_no_access() {
    let server = Server::start().await;
    let root = server.person("Root", ServerRole::Admin).await;
    let (ann, ben) =
        (server.person("Ann", ServerRole::Member).await, server.person("Benedetta", ServerRole::Member).await);
    let sessions = [together(&server, &ann, &ben).await, together(&server, &ann, &ben).await];
    // One of the sessions has a run in progress, so its redaction waits.
    let command_data = json!({ "id": "c3", "do": "say", "data": { "text": "write test cases" } });
    assert_eq!(command(&server, &ann, sessions[1], command_data).await.0, StatusCode::OK);
    let (mut live, mut seen) = (SocketViewer::connect(&server.url, &ann.token).await, ViewerState::default());
    live.join(&sessions[1].to_string(), 0).await;
    live.wait_for(&mut seen, event("gate.opened")).await.expect("asks");

    let path = format!("/api/v1/participants/{}/redact", ben.participant.id);
    assert_eq!(server.post(&ann, &path, &json!({})).await.0, StatusCode::FORBIDDEN);
    let (status, answer) = server.post(&root, &path, &json!({ "content": true })).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
    let refused = server.as_person(&ben, Method::GET, "/api/v1/me").send().await.expect("answers");
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    server.node.redaction_worker.execute_all().await;
    let first = readable(&server, &ann, sessions[0]).await;
    assert!(!first.contains("Benedetta") && first.contains(SECRET), "Ann's words stay: {first}");
    assert!(!first.contains(&format!("b says {SECRET}")));
    let run = seen.run()["run"].clone();
    let run = if run.is_null() { seen.run().clone() } else { run };
    let cancel = json!({ "id": "c4", "do": "cancel", "data": { "run": run } });
    let (status, answer) = command(&server, &ann, sessions[1], cancel).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    live.wait_for(&mut seen, event("run.cancelled")).await.expect("ends");
    server.node.redaction_worker.execute_all().await;
    live.wait_for(&mut seen, event("participant.redacted")).await.expect("comes");
    for session in sessions {
        let log = server.get(&ann, &format!("/api/v1/sessions/{session}/log")).await;
        let events = log["events"].as_array().expect("a list");
        let redactions = events.iter().filter(|event| event["event"] == "participant.redacted").count();
        assert_eq!(redactions, 1, "each session counts it once, however often it is tried");
        assert!(!readable(&server, &ann, session).await.contains("Benedetta"));
    }
    let unknown = format!("/api/v1/participants/{}/redact", crate::append_builders::new_participant_id());
    assert_eq!(server.post(&root, &unknown, &json!({})).await.1["code"], "unknown_participant");
    let data = server.stop().await;
    assert!(!is_at_rest(data.path(), "Benedetta"), "it was never an actor of the audit log");
}

#[tokio::test]
async fn titles_by_a_redacted_person_are_erased_once() {
    let server = Server::start().await;
    let root = server.person("Root", ServerRole::Admin).await;
    let (ann, ben) =
        (server.person("Ann", ServerRole::Member).await, server.person("Benedetta", ServerRole::Member).await);
    let session = server.session(&ann, &json!({ "title": "Plans" })).await;
    let invite = json!({ "id": "i", "do": "invite", "data": { "participant": ben.participant.id, "role": "owner" } });
    assert_eq!(command(&server, &ann, session, invite).await.0, StatusCode::OK);
    let set = json!({ "id": "t", "do": "set", "data": { "title": format!("All about {SECRET}") } });
    assert_eq!(command(&server, &ben, session, set).await.0, StatusCode::OK);
    let path = format!("/api/v1/sessions/{session}/files/{SECRET}.md");
    for (who, content) in [(&ben, "the first"), (&ann, "the second")] {
        let put = server.as_person(who, Method::PUT, &path).body(content).send().await.expect("answers");
        server::json(put, StatusCode::OK).await;
    }
    assert!(readable(&server, &ann, session).await.contains(SECRET));
    for _ in 0..2 {
        let path = format!("/api/v1/participants/{}/redact", ben.participant.id);
        assert_eq!(server.post(&root, &path, &json!({ "content": true })).await.0, StatusCode::ACCEPTED);
        server.node.redaction_worker.execute_all().await;
    }
    let log = server.get(&ann, &format!("/api/v1/sessions/{session}/log")).await;
    let events = log["events"].as_array().expect("a list");
    assert_eq!(events.iter().filter(|event| event["event"] == "participant.redacted").count(), 1);
    let all = readable(&server, &ann, session).await;
    assert!(!all.contains(SECRET) && !all.contains("Benedetta"), "{all}");
    // Ann's version of the file is still there, under a generated name.
    let files = server.get(&ann, &format!("/api/v1/sessions/{session}/files")).await;
    let name = files["files"][0]["name"].as_str().expect("a name").replace(' ', "%20").replace('[', "%5B");
    let path = format!("/api/v1/sessions/{session}/files/{}", name.replace(']', "%5D"));
    let kept = server.as_person(&ann, Method::GET, &path).send().await.expect("answers");
    assert_eq!(kept.text().await.expect("a text"), "the second", "{files}");
    let data = server.stop().await;
    assert!(!is_at_rest(data.path(), SECRET));
}

#[tokio::test]
async fn a_session_is_redacted_at_the_end_of_its_retention() {
    let server = Server::start_with(|config| {
        config.sessions.retention_days = Some(7);
        config.quotas.session_settings.retention_days = Some(30);
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let create = async |settings: Value| server.post(&ann, "/api/v1/sessions", &json!({ "settings": settings })).await;
    for more in [json!({ "retention_days": 31 }), json!({ "retention_days": null })] {
        let (_, refused) = create(more).await;
        assert_eq!(
            (&refused["code"], &refused["details"]["limit"]),
            (&json!("quota_exceeded"), &json!(30)),
            "{refused}"
        );
    }
    let usual: SessionId = create(json!({})).await.1["session"].as_str().expect("an id").parse().expect("an id");
    let longer = create(json!({ "retention_days": 20 })).await.1["session"].as_str().map(str::to_owned);
    let longer: SessionId = longer.expect("an id").parse().expect("an id");
    for session in [usual, longer] {
        fill(&server, &ann, session, "a").await;
    }

    server.node.sweeper.sweep_at(clock::now().plus(6 * DAYS)).await;
    assert!(readable(&server, &ann, usual).await.contains(SECRET), "not yet");
    server.node.sweeper.sweep_at(clock::now().plus(8 * DAYS)).await;
    let all = readable(&server, &ann, usual).await;
    assert!(!all.contains(&format!("it is {SECRET}")) || all.contains("session.redacted"), "{all}");
    let response = server.get(&ann, &format!("/api/v1/sessions/{usual}")).await;
    assert_eq!(
        (&response["state"]["closed"], &response["state"]["redacted"]["by"]["kind"]),
        (&json!(true), &json!("system"))
    );
    assert!(!response.to_string().contains(SECRET));
    assert!(server.get(&ann, &format!("/api/v1/sessions/{longer}")).await.to_string().contains(SECRET));
    let log = async || server.get(&ann, &format!("/api/v1/sessions/{usual}/log")).await["head"].clone();
    let head = log().await;
    server.node.sweeper.sweep_at(clock::now().plus(9 * DAYS)).await;
    assert_eq!(log().await, head, "once");
}

#[tokio::test]
async fn a_session_that_cannot_be_redacted_does_not_block_the_others() {
    let server = Server::start().await;
    let root = server.person("Root", ServerRole::Admin).await;
    let (ann, ben) =
        (server.person("Ann", ServerRole::Member).await, server.person("Benedetta", ServerRole::Member).await);
    let mut sessions = [together(&server, &ann, &ben).await, together(&server, &ann, &ben).await];
    sessions.sort();
    let data = server.stop().await;
    break_log(data.path(), sessions[0]).await;
    let server = Server::start_in(data, |_| {}).await;
    let path = format!("/api/v1/participants/{}/redact", ben.participant.id);
    assert_eq!(server.post(&root, &path, &json!({})).await.0, StatusCode::ACCEPTED);
    server.node.redaction_worker.execute_all().await;
    let other = server.get(&ann, &format!("/api/v1/sessions/{}/log", sessions[1])).await.to_string();
    assert!(other.contains("participant.redacted") && !other.contains("Benedetta"), "{other}");
    let waits = server.node.redactions.requests(0).await.expect("reads");
    assert_eq!(waits.len(), 1, "the request stays until all is done");
}

/// Makes the session's second event unreadable in the database of a stopped server.
async fn break_log(data: &std::path::Path, session: SessionId) {
    let file = format!("sqlite://{}", data.join("data/roundtable.db").display());
    let mut database = SqliteConnection::connect(&file).await.expect("opens");
    let broken = sqlx::query("update events set frame = '{' where session = $1 and seq = 2").bind(session.0);
    assert_eq!(broken.execute(&mut database).await.expect("writes").rows_affected(), 1);
    database.close().await.expect("closes");
}

#[tokio::test]
async fn a_session_whose_retention_fails_does_not_block_the_others() {
    let retention = |config: &mut Config| config.sessions.retention_days = Some(7);
    let server = Server::start_with(retention).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let (first, second) = (server.session(&ann, &json!({})).await, server.session(&ann, &json!({})).await);
    for session in [first, second] {
        fill(&server, &ann, session, "a").await;
    }
    let data = server.stop().await;
    break_log(data.path(), first).await;
    let server = Server::start_in(data, retention).await;
    let later = clock::now().plus(8 * DAYS);
    server.node.sweeper.sweep_at(later).await;
    let response = server.get(&ann, &format!("/api/v1/sessions/{second}")).await;
    assert_eq!(response["state"]["redacted"]["by"]["kind"], "system", "the one that broke comes first: {response}");
}

#[tokio::test]
async fn a_pending_name_does_not_outlive_its_redaction() {
    let server = Server::start().await;
    let (ann, ben) =
        (server.person("Ann", ServerRole::Member).await, server.person("Benedetta", ServerRole::Member).await);
    let (known, other) = (together(&server, &ann, &ben).await, server.session(&ann, &json!({})).await);
    // Redact the person, then execute commands of theirs that were admitted before the redaction.
    let redactions = &server.node.redactions;
    let target = RedactionRequestTarget::Participant { participant: ben.participant.id, content: false };
    redactions.request(target, &Actor::system()).await.expect("asks");
    server.node.redaction_worker.execute_all().await;
    let renamed = Command::Rename { name: "Benedetta the Second".into() };
    for (session, command) in
        [(known, renamed.clone()), (other, Command::Enter { role: Role::Member }), (other, renamed)]
    {
        server.node.dispatcher.submit_counted(&ben.participant, session, None, command).await.expect("is taken");
    }
    server.node.redaction_worker.execute_all().await;
    for session in [known, other] {
        let all = readable(&server, &ann, session).await;
        assert!(all.contains("participant.redacted") && !all.contains("Benedetta"), "{all}");
    }
    let data = server.stop().await;
    assert!(!is_at_rest(data.path(), "Benedetta"));
}

#[tokio::test]
async fn a_redaction_that_fails_half_way_is_audited_and_continues() {
    let server = Server::start().await;
    let (root, ben) = (server.person("Root", ServerRole::Admin).await, server.person("Ben", ServerRole::Member).await);
    let file = format!("sqlite://{}", server.node.config.data_dir.join("roundtable.db").display());
    let mut database = SqliteConnection::connect(&file).await.expect("opens");
    let fails = "create trigger fails before update on participants begin select raise(abort, 'no'); end";
    sqlx::query(fails).execute(&mut database).await.expect("writes");
    let path = format!("/api/v1/participants/{}/redact", ben.participant.id);
    let (status, answer) = server.post(&root, &path, &json!({})).await;
    assert!(status.is_server_error(), "{answer}");
    server.node.audit.flush().await;
    let entries = server.get(&root, "/api/v1/audit?action=redaction").await;
    assert_eq!(entries["entries"][0]["subject"], ben.participant.id.to_string(), "{entries}");
    sqlx::query("drop trigger fails").execute(&mut database).await.expect("writes");
    server.node.redaction_worker.execute_all().await;
    let refused = server.as_person(&ben, Method::GET, "/api/v1/me").send().await.expect("answers");
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "what was asked for is done");
}

#[tokio::test]
async fn an_owner_redacts_a_person_in_their_session_alone() {
    let server = Server::start().await;
    let (ann, ben) =
        (server.person("Ann", ServerRole::Member).await, server.person("Benedetta", ServerRole::Member).await);
    let (session, other) = (together(&server, &ann, &ben).await, together(&server, &ann, &ben).await);
    let wanted = json!({ "participant": ben.participant.id, "content": true });
    let (status, refused) = redact(&server, &ben, session, wanted.clone()).await;
    assert_eq!((status, &refused["code"]), (StatusCode::FORBIDDEN, &json!("forbidden")), "{refused}");
    let unknown = json!({ "participant": crate::append_builders::new_participant_id() });
    let (status, refused) = redact(&server, &ann, session, unknown).await;
    assert_eq!((status, &refused["code"]), (StatusCode::NOT_FOUND, &json!("unknown_participant")), "{refused}");
    let head = server.get(&ann, &format!("/api/v1/sessions/{session}/log")).await["head"].clone();
    let id = json!({ "id": "r", "do": "redact", "data": wanted });
    let (status, answer) = command(&server, &ann, session, id).await;
    assert_eq!((status, answer["seq"].as_u64()), (StatusCode::OK, head.as_u64().map(|head| head + 1)), "{answer}");
    // The person can continue, but nobody in this session can read their name any more.
    fill(&server, &ben, session, "later").await;
    let all = readable(&server, &ann, session).await;
    let here = server.get(&ann, &format!("/api/v1/sessions/{session}/log")).await.to_string();
    assert!(!here.contains("Benedetta") && !all.contains(&format!("b says {SECRET}")), "{here}");
    let there = server.get(&ann, &format!("/api/v1/sessions/{other}/log")).await.to_string();
    assert!(there.contains("Benedetta") && there.contains(SECRET), "{there}");
    server.node.audit.flush().await;
    let root = server.person("Root", ServerRole::Admin).await;
    let entries = server.get(&root, "/api/v1/audit?action=redaction").await;
    assert_eq!(entries["entries"][0]["subject"], ben.participant.id.to_string(), "{entries}");
}

#[tokio::test]
async fn a_redaction_of_nothing_does_not_read_the_whole_log() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    fill(&server, &ann, session, "a").await;
    let data = server.stop().await;
    break_log(data.path(), session).await;
    let server = Server::start_in(data, |_| {}).await;
    let log = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
    let message = log["state"]["messages"][0]["id"].as_str().expect("a message").to_owned();
    let seq: u64 = message.trim_start_matches("m_").parse().expect("a number");
    for (nothing, code) in [
        (json!({ "message": format!("m_{}", seq + 1) }), "unknown_message"),
        (json!({ "message": format!("m_{}", seq + 100) }), "unknown_message"),
        (json!({ "participant": crate::append_builders::new_participant_id() }), "unknown_participant"),
    ] {
        assert_eq!(redact(&server, &ann, session, nothing.clone()).await.1["code"], code, "{nothing}");
    }
    let (status, all) = redact(&server, &ann, session, json!({ "message": message })).await;
    assert!(status.is_server_error(), "what is there takes the whole log, of which a part cannot be read: {all}");
}

#[tokio::test]
async fn uploads_with_a_redacted_content_are_found_by_an_index() {
    let server = Server::start().await;
    let file = format!("sqlite://{}", server.node.config.data_dir.join("roundtable.db").display());
    let mut database = SqliteConnection::connect(&file).await.expect("opens");
    let plan = "explain query plan delete from uploads where digest = $1 and owner in \
                (select participant from appearances where session = $2)";
    let steps: Vec<(i64, i64, i64, String)> = sqlx::query_as(plan).fetch_all(&mut database).await.expect("explains");
    let indexed = steps.iter().any(|(.., step)| step.contains("SEARCH uploads USING INDEX uploads_by_digest"));
    assert!(indexed && !steps.iter().any(|(.., step)| step.contains("SCAN uploads")), "{steps:?}");
}

#[tokio::test]
async fn sessions_past_their_retention_are_found_by_an_index_of_their_own() {
    let server = Server::start().await;
    let file = format!("sqlite://{}", server.node.config.data_dir.join("roundtable.db").display());
    let mut database = SqliteConnection::connect(&file).await.expect("opens");
    let plan = "explain query plan select id, updated_at from sessions where retention_days is not null and \
                not unfinished and not waiting and head > 0 and updated_at < $1 - retention_days and \
                (updated_at, id) > ($2, $3) order by updated_at, id limit $4";
    let steps: Vec<(i64, i64, i64, String)> = sqlx::query_as(plan).fetch_all(&mut database).await.expect("explains");
    assert!(steps.len() == 1 && steps[0].3.contains("USING INDEX sessions_by_retention"), "{steps:?}");
}

#[tokio::test]
async fn one_of_two_concurrent_renames_applies_everywhere() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let untitled = json!({});
    let sessions = join_all((0..4).map(|_| server.session(&ann, &untitled))).await;
    for round in 0..5 {
        let rename = async |name: String| {
            let request = server.as_person(&ann, Method::PATCH, "/api/v1/me").json(&json!({ "name": name }));
            server::json(request.send().await.expect("answers"), StatusCode::OK).await
        };
        join_all((0..3).map(|n| rename(format!("Ann {round}{n}")))).await;
        let name = server.get(&ann, "/api/v1/me").await["you"]["name"].clone();
        for session in &sessions {
            let state = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
            assert_eq!(state["state"]["participants"][0]["name"], name, "round {round}");
        }
    }
}
