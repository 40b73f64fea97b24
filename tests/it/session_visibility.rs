//! On every route, strangers cannot tell a session that exists from one that does not.

use std::collections::BTreeMap;

use reqwest::{Method, RequestBuilder};
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use roundtable::limits::RateLimitSettings;
use serde_json::{Value, json};

use crate::access::sources;
use crate::server::{Person, Server};
use crate::socket_harness::WebSocketClient;

/// Returns every route that names a session: method, path with `{s}` for the session's id, and a body.
fn routes() -> Vec<(Method, &'static str, Value)> {
    let mut routes: Vec<(Method, &'static str, Value)> = [
        "/api/v1/sessions/{s}",
        "/api/v1/sessions/{s}/guests",
        "/api/v1/sessions/{s}/log",
        "/api/v1/sessions/{s}/log?after=2&limit=1",
        "/api/v1/sessions/{s}/log?limit=nine",
        "/api/v1/sessions/{s}/messages",
        "/api/v1/sessions/{s}/messages?before=m_1",
        "/api/v1/sessions/{s}/files",
        "/api/v1/sessions/{s}/files?all=true",
        "/api/v1/sessions/{s}/files/a.md",
        "/api/v1/sessions/{s}/files/a.md?version=1&preview=true",
        "/api/v1/sessions/{s}/files/b.md",
        "/api/v1/sessions/{s}/files/..%2Fb",
        "/api/v1/sessions/{s}/events",
        "/api/v1/sessions/{s}/events?after=99999",
        "/api/v1/sessions/{s}/invites",
        "/api/v1/sessions/{s}/rule-suggestions",
        "/api/v1/sessions/{s}/rule-suggestions/abc/forecast",
        "/api/v1/sessions/{s}/quotas",
        "/api/v1/sessions/{s}/knock",
        "/api/debug/session/{conversation}",
        "/api/orchestrator/tasks/{s}/",
        "/api/orchestrator/tasks/{s}/plan/",
        "/api/orchestrator/tasks/{s}/progress/",
        "/AutoAgent/files/{s}/a.md",
        "/AutoAgent/files/{s}/b.md",
    ]
    .map(|path| (Method::GET, path, Value::Null))
    .into();
    routes.extend([
        (Method::HEAD, "/api/v1/sessions/{s}/files/a.md", Value::Null),
        (Method::PUT, "/api/v1/sessions/{s}/files/a.md", json!("text")),
        (Method::PUT, "/api/v1/sessions/{s}/files/..%2Fb", json!("text")),
        (Method::PUT, "/api/v1/sessions/{s}", Value::Null),
        (Method::DELETE, "/api/v1/sessions/{s}/files/a.md", Value::Null),
        (Method::DELETE, "/api/v1/sessions/{s}/files/a.md?id=c_1", Value::Null),
        (Method::DELETE, "/api/v1/sessions/{s}/files/..%2Fb", Value::Null),
        (Method::DELETE, "/api/v1/sessions/{s}/invites/abc", Value::Null),
        (Method::DELETE, "/api/v1/sessions/{s}/invites", Value::Null),
        (Method::POST, "/api/v1/sessions/{s}/invites", json!({ "role": "member" })),
        (Method::POST, "/api/v1/sessions/{s}/invites", json!({ "role": "emperor" })),
        (Method::POST, "/api/v1/sessions/{s}/redact", json!({})),
        (Method::POST, "/api/v1/sessions/{s}/redact", json!({ "reason": 1 })),
        (Method::POST, "/api/orchestrator/tasks/{s}/confirm/", json!({ "approved": true })),
        (Method::POST, "/api/orchestrator/tasks/{s}/confirm/", json!({ "approved": 1 })),
        (Method::POST, "/api/v1/analyze/stream", json!({ "session": "{s}" })),
        (Method::POST, "/api/v1/analyze/stream", json!({ "session": "{s}", "original_input": "why?" })),
        (Method::POST, "/api/v1/analyze/stream", json!({ "session": "{s}", "file_ids": ["f_7"] })),
        (Method::POST, "/api/v1/analyze/reply", json!({ "request_id": "req_{hex}_9", "reply": "x" })),
        (Method::POST, "/AutoAgent", json!({ "query": "x", "sessionId": "{s}" })),
        (Method::POST, "/AutoAgent", json!({ "query": "x", "sessionId": "{s}", "file_ids": ["f_7"] })),
        (
            Method::POST,
            "/api/team-chat/stream",
            json!({ "message": "x", "is_feedback": true, "conversation_id": "{conversation}" }),
        ),
    ]);
    for (verb, data) in [
        ("say", json!({ "text": "hello" })),
        ("say", json!({})),
        ("start", json!({ "input": "x" })),
        ("withdraw", json!({ "message": "m_3" })),
        ("withdraw_command", json!({ "gate": "g_9" })),
        ("vote", json!({ "gate": "g_9", "rev": 1, "choice": "approve" })),
        ("answer", json!({ "gate": "g_9", "text": "x" })),
        ("pause", json!({ "run": "r_3" })),
        ("resume", json!({ "run": "r_3" })),
        ("interrupt", json!({ "run": "r_3" })),
        ("cancel", json!({ "run": "r_3" })),
        ("leave", json!({})),
        ("close", json!({})),
        ("set", json!({ "title": "x" })),
        ("set", json!({ "settings": { "knowledge": ["1"] } })),
        ("set", json!({ "settings": { "knowledge": ["99"] } })),
        ("set", json!({ "settings": { "code": ["nothing"] } })),
        ("invite", json!({ "participant": "p_00000000-0000-4000-8000-000000000001", "role": "member" })),
        ("admit", json!({ "participant": "p_00000000-0000-4000-8000-000000000001" })),
        ("refuse", json!({ "participant": "p_00000000-0000-4000-8000-000000000001" })),
        ("remove", json!({ "participant": "p_00000000-0000-4000-8000-000000000001" })),
        ("set_role", json!({ "participant": "p_00000000-0000-4000-8000-000000000001", "role": "member" })),
        ("redact", json!({ "message": "m_3" })),
        ("rename", json!({ "name": "Ann" })),
        ("remove_file", json!({ "name": "a.md" })),
        ("restore_file", json!({ "file": "f_3" })),
        ("no_such_command", json!({})),
    ] {
        let body = json!({ "id": format!("c_{}", routes.len()), "do": verb, "data": data });
        routes.push((Method::POST, "/api/v1/sessions/{s}/commands", body));
    }
    routes
}

fn fill_placeholders(text: &str, session: SessionId) -> String {
    let hex = session.0.simple().to_string();
    let text = text.replace("{s}", &session.to_string());
    text.replace("{hex}", &hex).replace("{conversation}", &format!("team_session_{hex}"))
}

/// Returns everything that a stranger sees of a response, without the id that they sent.
async fn read_response(request: RequestBuilder, session: SessionId) -> (u16, BTreeMap<String, String>, String) {
    let answer = request.send().await.expect("answers");
    let status = answer.status().as_u16();
    let differs = ["date", "x-request-id", "traceparent"];
    let headers = answer.headers().iter().filter(|(name, _)| !differs.contains(&name.as_str()));
    let headers = headers
        .filter(|(name, _)| !name.as_str().starts_with("ratelimit"))
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let body = match status {
        200..300 => "it was let in".to_owned(),
        _ => answer.text().await.expect("a body"),
    };
    (status, headers, body.replace(&session.to_string(), "{s}").replace(&session.0.simple().to_string(), "{hex}"))
}

async fn put(server: &Server, who: &Person, session: SessionId) {
    let path = format!("/api/v1/sessions/{session}/files/a.md");
    let answer = server.as_person(who, Method::PUT, &path).body("secret").send().await.expect("answers");
    assert_eq!(answer.status().as_u16(), 200);
}

#[tokio::test]
async fn a_session_that_exists_looks_like_one_that_does_not() {
    let server = Server::start_with(|config| {
        let plenty = std::num::NonZeroU32::new(100_000).expect("a number");
        let RateLimitSettings { chat, control, join, request, expensive, stranger, address, .. } =
            &mut config.rate_limits;
        for pace in [chat, control, join, request, expensive, stranger, address] {
            (pace.burst, pace.per_second) = (plenty, plenty);
        }
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let there = server.session(&ann, &json!({ "title": "Secret", "message": "write test cases" })).await;
    put(&server, &ann, there).await;
    let (status, base) = server.post(&ann, "/api/v1/knowledge", &json!({ "name": "private" })).await;
    assert_eq!(status.as_u16(), 201, "{base}");
    let former = server.person("Gone", ServerRole::Member).await;
    let path = format!("/api/v1/sessions/{there}/commands");
    for (id, verb) in [("c_in", "invite"), ("c_out", "remove")] {
        let data = json!({ "participant": former.participant.id, "role": "member" });
        let data = if verb == "remove" { json!({ "participant": former.participant.id }) } else { data };
        let (status, reply) = server.post(&ann, &path, &json!({ "id": id, "do": verb, "data": data })).await;
        assert_eq!(status.as_u16(), 200, "{reply}");
    }
    let nowhere = SessionId(uuid::Uuid::now_v7());
    let strangers = [
        server.person("Eve", ServerRole::Member).await,
        server.person("Guest", ServerRole::Guest).await,
        server.bot("CI").await,
        former,
    ];
    for who in &strangers {
        for (method, path, body) in routes() {
            let ask = async |session| {
                let mut request = server.as_person(who, method.clone(), &fill_placeholders(path, session));
                if !body.is_null() {
                    request = request.body(fill_placeholders(&body.to_string(), session));
                }
                read_response(request, session).await
            };
            let (known, unknown) = (ask(there).await, ask(nowhere).await);
            let name = &who.participant.name;
            assert_eq!(known, unknown, "{name} can tell by {method} {path} {body}");
            assert!(known.0 >= 400, "{name} was let in by {method} {path} {body}");
        }
    }
    let own = |(method, path, _): &(Method, &str, Value)| {
        // A method that the path does not support is rejected before anything else.
        path.starts_with("/api/v1/sessions/") && !(*method == Method::PUT && path.ends_with("{s}"))
    };
    for (method, path, body) in routes().into_iter().filter(own) {
        let request = server.request(method.clone(), &fill_placeholders(path, there)).body(body.to_string());
        let status = read_response(request, there).await.0;
        // A method that the path does not support is rejected identically for everybody.
        assert!(matches!(status, 401 | 405), "{method} {path}: {status}");
    }
}

/// At the doors, a caller without a credential is a guest, who learns no more than a stranger.
#[tokio::test]
async fn a_guest_of_the_doors_cannot_tell_whether_a_session_exists() {
    let server = Server::start_with(|config| {
        config.guest_doors = Some(true);
        config.rate_limits.stranger.burst = std::num::NonZeroU32::new(100_000).expect("a number");
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let there = server.session(&ann, &json!({ "title": "Secret", "message": "write test cases" })).await;
    put(&server, &ann, there).await;
    let nowhere = SessionId(uuid::Uuid::now_v7());
    for (method, path, body) in routes().into_iter().filter(|(_, path, _)| !path.starts_with("/api/v1/sessions/")) {
        let ask = async |session| {
            let request = server.request(method.clone(), &fill_placeholders(path, session));
            read_response(
                if body.is_null() { request } else { request.body(fill_placeholders(&body.to_string(), session)) },
                session,
            )
            .await
        };
        let (known, unknown) = (ask(there).await, ask(nowhere).await);
        assert_eq!(known, unknown, "a guest can tell by {method} {path} {body}");
        assert!(known.0 >= 400 && known.0 != 401, "{} for {method} {path} {body}", known.0);
    }
}

#[tokio::test]
async fn a_socket_cannot_tell_whether_a_session_exists() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let there = server.session(&ann, &json!({ "title": "Secret" })).await;
    let eve = server.person("Eve", ServerRole::Member).await;
    let url = format!("{}/api/v1/ws", server.url.replace("http", "ws"));
    let mut client = WebSocketClient { socket: tokio_tungstenite::connect_async(url).await.expect("connects").0 };
    client.send(json!({ "type": "hello", "token": eve.token })).await;
    client.wait_for("welcome").await;
    let mut answers = vec![];
    for session in [there, SessionId(uuid::Uuid::now_v7())] {
        let frames = [
            json!({ "type": "join", "session": session }),
            json!({ "type": "join", "session": session, "after": 1 }),
            json!({ "type": "command", "id": "c_1", "session": session, "do": "say", "data": { "text": "x" } }),
            json!({ "type": "signal", "session": session, "name": "typing" }),
            json!({ "type": "leave", "session": session }),
        ];
        let mut received = vec![];
        for frame in frames {
            client.send(frame).await;
            received.push(client.next().await.to_string().replace(&session.to_string(), "{s}"));
        }
        answers.push(received);
    }
    assert_eq!(answers[0], answers[1]);
}

/// Every route that names a session is in the table above, with all of its methods.
#[test]
fn every_route_of_a_session_is_covered() {
    let table: Vec<String> = routes()
        .iter()
        .map(|(method, path, _)| {
            format!("{method} {}", shape(&path.replace("{conversation}", "{s}").replace("abc", "{i}")))
        })
        .collect();
    let named = ["{session}", "{id}", "{conversation}"];
    let routes = sources::routes().into_iter().filter(|route| named.iter().any(|name| route.contains(name)));
    let missing: Vec<String> = routes.filter(|route| !table.contains(&shape(route))).collect();
    assert!(missing.is_empty(), "not in the table of this file: {missing:#?}");
}

/// Returns the path with wildcards for its names, and without its query.
fn shape(path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let part = |part: &str| match part {
        "{s}" | "{session}" | "{id}" | "{conversation}" | "{name}" | "{invite}" | "{suggestion}" | "{i}" | "a.md"
        | "b.md" => "*".to_owned(),
        other => other.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// The session records each read by an administrator over REST, as a stream or through a door, just as it does over a
/// socket.
#[tokio::test]
async fn reading_by_an_administrator_is_recorded() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    for path in [
        "/api/v1/sessions/{s}",
        "/api/v1/sessions/{s}/log",
        "/api/v1/sessions/{s}/messages",
        "/api/v1/sessions/{s}/files/a.md",
        "/api/v1/sessions/{s}/events",
        "/api/debug/session/{conversation}",
        "/AutoAgent/files/{s}/a.md",
    ] {
        let admin = server.person("Ada", ServerRole::Admin).await;
        let session = server.session(&ann, &json!({ "title": "Secret" })).await;
        put(&server, &ann, session).await;
        for _ in 0..2 {
            let answer =
                server.as_person(&admin, Method::GET, &fill_placeholders(path, session)).send().await.expect("answers");
            assert_eq!(answer.status().as_u16(), 200, "{path}");
            drop(answer);
        }
        let response = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
        let listed: Vec<_> = response["state"]["participants"].as_array().expect("a list").iter().collect();
        let ada = listed.iter().find(|one| one["id"] == json!(admin.participant.id)).expect("is listed");
        assert_eq!((&ada["role"], listed.len()), (&json!("viewer"), 2), "{path}: {response}");
    }
}
