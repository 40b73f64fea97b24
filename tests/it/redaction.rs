//! Redaction, from outside: over sockets and REST, after a restart, and in the raw bytes of the database.

use reqwest::{Method, StatusCode};
use roundtable::identity::Standing;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::process::viewer::{Seen, Viewer, event};
use crate::server::{self, Person, Server};

const SECRET: &str = "correct-horse-battery";

async fn command(server: &Server, who: &Person, session: SessionId, what: Value) -> (StatusCode, Value) {
    server.post(who, &format!("/api/v1/sessions/{session}/commands"), &what).await
}

async fn redact(server: &Server, who: &Person, session: SessionId, data: Value) -> (StatusCode, Value) {
    command(
        server,
        who,
        session,
        json!({ "id": format!("r-{data}").replace(['"', '{', '}', ':'], "-"),
                                          "do": "redact", "data": data }),
    )
    .await
}

/// Whether the text is in the files of the database.
fn is_at_rest(data: &std::path::Path, text: &str) -> bool {
    let files = ["roundtable.db", "roundtable.db-wal"].map(|name| data.join("data").join(name));
    let bytes: Vec<u8> = files.iter().filter_map(|file| std::fs::read(file).ok()).flatten().collect();
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// A snapshot, as a viewer gets it who comes now.
async fn snapshot(server: &Server, who: &Person, session: SessionId) -> Value {
    let mut viewer = Viewer::connect(&server.url, &who.token).await;
    viewer.send(json!({ "type": "join", "session": session })).await;
    let joined = viewer.until(&mut Seen::default(), |frame| frame["type"] == "joined").await.expect("is let in");
    joined["snapshot"].clone()
}

/// Everything that somebody can read of the session by REST.
async fn readable(server: &Server, who: &Person, session: SessionId) -> String {
    let mut all = String::new();
    for path in ["", "/log", "/messages", "/files?all=true"] {
        all += &server.get(who, &format!("/api/v1/sessions/{session}{path}")).await.to_string();
    }
    all + &server.get(who, "/api/v1/sessions").await.to_string()
}

#[tokio::test]
async fn a_redacted_message_and_file_are_gone_for_everybody_and_for_good() {
    let server = Server::start().await;
    let ann = server.person("Ann", Standing::Member).await;
    let session = server.session(&ann, &json!({ "title": "Plans" })).await;
    let (mut live, mut seen) = (Viewer::connect(&server.url, &ann.token).await, Seen::default());
    live.join(&session.to_string(), 0).await;
    let said = json!({ "id": "c1", "do": "say", "data": { "text": format!("@people it is {SECRET}") } });
    assert_eq!(command(&server, &ann, session, said).await.0, StatusCode::OK);
    let put = server.as_person(&ann, Method::PUT, &format!("/api/v1/sessions/{session}/files/a.md"));
    let put = server::json(put.body(format!("the file says {SECRET}")).send().await.expect("answers"), StatusCode::OK);
    let file = put.await["file"]["id"].clone();
    let posted = live.until(&mut seen, event("message.posted")).await.expect("comes");
    live.until(&mut seen, event("file.added")).await.expect("comes");
    // What viewers share has it: pages of the log, and the snapshot.
    let (mut early, mut whole) = (Viewer::connect(&server.url, &ann.token).await, Seen::default());
    early.join(&session.to_string(), 0).await;
    early.until(&mut whole, event("file.added")).await.expect("comes");
    assert!(snapshot(&server, &ann, session).await.to_string().contains(SECRET));

    let (status, answer) = redact(&server, &ann, session, json!({ "message": posted["data"]["message"] })).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let (status, answer) = redact(&server, &ann, session, json!({ "file": file })).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    live.until(&mut seen, event("message.redacted")).await.expect("comes");
    let told = live.until(&mut seen, event("file.redacted")).await.expect("comes");
    assert_eq!(told["by"]["name"], "Ann");

    let later = snapshot(&server, &ann, session).await;
    let last = later["view"]["messages"].as_array().and_then(|list| list.last()).cloned().unwrap_or_default();
    assert_eq!((&last["text"], &last["redacted"]["by"]["name"]), (&json!(""), &json!("Ann")), "{later}");
    assert!(!later.to_string().contains(SECRET));
    let (mut replay, mut again) = (Viewer::connect(&server.url, &ann.token).await, Seen::default());
    replay.join(&session.to_string(), 0).await;
    replay.until(&mut again, event("file.redacted")).await.expect("comes");
    assert_eq!(again.events.len(), seen.events.len(), "no number is lost");
    assert!(!again.events.iter().any(|event| event.to_string().contains(SECRET)));
    assert!(!readable(&server, &ann, session).await.contains(SECRET));
    let gone = server.as_person(&ann, Method::GET, &format!("/api/v1/sessions/{session}/files/a.md?version=1"));
    let gone = server::json(gone.send().await.expect("answers"), StatusCode::NOT_FOUND).await;
    assert!(gone["message"].as_str().expect("words").contains("redacted"), "{gone}");

    let data = server.stop().await;
    assert!(!is_at_rest(data.path(), SECRET), "nothing is left in the files of the database");
    let server = Server::start_in(data, |_| {}).await;
    assert!(!readable(&server, &ann, session).await.contains(SECRET));
    assert!(!snapshot(&server, &ann, session).await.to_string().contains(SECRET));
}

#[tokio::test]
async fn words_of_a_run_are_redacted_when_it_is_over() {
    let server = Server::start().await;
    let (ann, root) = (server.person("Ann", Standing::Member).await, server.person("Root", Standing::Admin).await);
    let session = server.session(&ann, &json!({ "title": "Tests" })).await;
    let (mut live, mut seen) = (Viewer::connect(&server.url, &ann.token).await, Seen::default());
    live.join(&session.to_string(), 0).await;
    let said = json!({ "id": "c1", "do": "say", "data": { "text": format!("write test cases for {SECRET}") } });
    assert_eq!(command(&server, &ann, session, said).await.0, StatusCode::OK);
    let started = live.until(&mut seen, event("run.started")).await.expect("begins");
    live.until(&mut seen, event("gate.opened")).await.expect("asks");
    let (status, refused) = redact(&server, &ann, session, json!({ "message": started["data"]["input"] })).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("run_active")), "{refused}");
    let cancel = json!({ "id": "c2", "do": "cancel", "data": { "run": started["data"]["run"] } });
    assert_eq!(command(&server, &ann, session, cancel).await.0, StatusCode::OK);
    live.until(&mut seen, event("run.cancelled")).await.expect("ends");
    // An administrator who is not in the session may.
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
