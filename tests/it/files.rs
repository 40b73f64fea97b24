//! Files of a session over REST.

use reqwest::{Method, Response, StatusCode, header};
use roundtable::clock;
use roundtable::files::new_file;
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::fresh_database::FreshDatabase;
use crate::server::{self, Person, Server};

const DAYS: u64 = 24 * 60 * 60 * 1000;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x05\0\0\0\x05\x08\x06\0\0\0";

struct FilesHarness {
    server: Server,
    ann: Person,
    session: SessionId,
}

impl FilesHarness {
    async fn new() -> Self {
        Self::on(Server::start().await).await
    }

    async fn on(server: Server) -> Self {
        let ann = server.person("Ann", ServerRole::Member).await;
        let session = server.session(&ann, &json!({ "title": "Files" })).await;
        Self { server, ann, session }
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/sessions/{}/files{rest}", self.session)
    }

    async fn request_file(&self, method: Method, rest: &str) -> Response {
        self.server.as_person(&self.ann, method, &self.path(rest)).send().await.expect("answers")
    }

    async fn put(&self, rest: &str, content: impl Into<reqwest::Body>, status: StatusCode) -> Value {
        let request = self.server.as_person(&self.ann, Method::PUT, &self.path(rest)).body(content);
        server::json(request.send().await.expect("answers"), status).await
    }

    async fn names(&self, rest: &str) -> Vec<(String, u64)> {
        let listed = self.server.get(&self.ann, &self.path(rest)).await;
        let files = listed["files"].as_array().expect("a list").clone();
        let named =
            |file: &Value| (file["name"].as_str().expect("a name").into(), file["version"].as_u64().expect("a number"));
        files.iter().map(named).collect()
    }

    async fn command(&self, what: Value) -> (StatusCode, Value) {
        self.server.post(&self.ann, &format!("/api/v1/sessions/{}/commands", self.session), &what).await
    }
}

#[tokio::test]
async fn a_file_has_versions_that_are_listed_and_downloaded() {
    let harness = FilesHarness::new().await;
    let first = harness.put("/%E6%8A%A5%E5%91%8A.md", "# one", StatusCode::OK).await;
    assert_eq!(first["file"]["name"], "报告.md");
    assert_eq!((&first["file"]["version"], &first["file"]["media_type"]), (&json!(1), &json!("text/markdown")));
    assert_eq!((&first["file"]["bytes"], &first["file"]["by"]["name"]), (&json!(5), &json!("Ann")));
    let again = harness.put("/%E6%8A%A5%E5%91%8A.md", "# one", StatusCode::OK).await;
    assert_eq!(again["file"], first["file"], "the same content is the same version");
    harness.put("/%E6%8A%A5%E5%91%8A.md", "# two", StatusCode::OK).await;
    assert_eq!(harness.names("").await, [("报告.md".to_owned(), 2)]);
    assert_eq!(harness.names("?all=true").await.len(), 2);

    let answer = harness.request_file(Method::GET, "/%E6%8A%A5%E5%91%8A.md").await;
    let head = |name: &str| {
        answer.headers().get(name).map(|value| value.to_str().expect("text").to_owned()).unwrap_or_default()
    };
    assert!(head("content-disposition").starts_with("attachment; filename=\"__.md\"; filename*=UTF-8''%E6%8A%A5"));
    assert!(head("content-security-policy").starts_with("sandbox; default-src 'none'"));
    assert_eq!((head("x-content-type-options"), head("content-type")), ("nosniff".into(), "text/markdown".into()));
    let tag = head("etag");
    assert_eq!(answer.text().await.expect("text"), "# two");
    let older = harness.request_file(Method::GET, "/%E6%8A%A5%E5%91%8A.md?version=1").await;
    assert_eq!(older.text().await.expect("text"), "# one");
    let absent = harness.request_file(Method::GET, "/%E6%8A%A5%E5%91%8A.md?version=9").await;
    let absent = crate::server::json(absent, StatusCode::NOT_FOUND).await;
    assert_eq!(absent["code"], "unknown_file");
    let text = absent["message"].as_str().expect("text");
    assert!(text.starts_with("报告.md has no version 9; use 1 to 2"), "{text}");
    let known = harness.server.as_person(&harness.ann, Method::GET, &harness.path("/%E6%8A%A5%E5%91%8A.md"));
    let known = known.header(header::IF_NONE_MATCH, tag).send().await.expect("answers");
    assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
    let head = harness.request_file(Method::HEAD, "/%E6%8A%A5%E5%91%8A.md").await;
    assert_eq!((head.status(), head.headers()["content-length"].as_bytes()), (StatusCode::OK, &b"5"[..]));
}

#[tokio::test]
async fn a_large_file_downloads_as_it_was_uploaded() {
    let harness = FilesHarness::new().await;
    let content: Vec<u8> = (0..5_000_000u32).map(|n| (n * 31 / 7) as u8).collect();
    let put = harness.put("/data.bin", content.clone(), StatusCode::OK).await;
    assert_eq!(put["file"]["media_type"], "application/octet-stream");
    let answer = harness.request_file(Method::GET, "/data.bin").await;
    assert!(answer.bytes().await.expect("comes") == content);
}

#[tokio::test]
async fn a_preview_shows_only_harmless_types() {
    let harness = FilesHarness::new().await;
    for (name, content, kind) in [
        ("/page.html", &b"<script>alert(1)</script>"[..], "text/plain; charset=utf-8"),
        ("/drawing.svg", b"<svg onload='alert(1)'/>", "text/plain; charset=utf-8"),
        ("/picture.png", PNG, "image/png"),
        ("/false.png", b"<script>", "text/plain; charset=utf-8"),
    ] {
        harness.put(name, content, StatusCode::OK).await;
        let response = harness.request_file(Method::GET, &format!("{name}?preview=true")).await;
        assert_eq!(response.headers()["content-type"], kind, "{name}");
        assert!(response.headers()["content-disposition"].to_str().expect("text").starts_with("inline"));
        assert!(response.headers()["content-security-policy"].to_str().expect("text").starts_with("sandbox"));
    }
    harness.put("/a.pdf", &b"%PDF\0"[..], StatusCode::OK).await;
    let refused = harness.request_file(Method::GET, "/a.pdf?preview=true").await;
    assert_eq!(server::json(refused, StatusCode::BAD_REQUEST).await["code"], "invalid_argument");
}

#[tokio::test]
async fn a_removed_file_is_listed_with_its_versions_and_restored() {
    let harness = FilesHarness::new().await;
    let first = harness.put("/a.md", "one", StatusCode::OK).await;
    server::json(harness.request_file(Method::DELETE, "/a.md?id=c1").await, StatusCode::OK).await;
    assert!(harness.names("").await.is_empty());
    assert_eq!(harness.names("?all=true").await, [("a.md".to_owned(), 1)]);
    let response = harness.request_file(Method::GET, "/a.md").await;
    assert_eq!(server::json(response, StatusCode::NOT_FOUND).await["code"], "unknown_file");
    assert_eq!(harness.request_file(Method::GET, "/a.md?version=1").await.text().await.expect("text"), "one");
    let restore = json!({ "id": "c2", "do": "restore_file", "data": { "file": first["file"]["id"] } });
    assert_eq!(harness.command(restore).await.0, StatusCode::OK);
    assert_eq!(harness.names("").await, [("a.md".to_owned(), 2)]);
    assert_eq!(harness.request_file(Method::GET, "/a.md").await.text().await.expect("text"), "one");
    let unknown = harness.request_file(Method::DELETE, "/b.md").await;
    assert_eq!(server::json(unknown, StatusCode::NOT_FOUND).await["code"], "unknown_file");
    // The first reply to a command is final, whatever has happened since.
    server::json(harness.request_file(Method::DELETE, "/a.md?id=c1").await, StatusCode::OK).await;
    assert_eq!(harness.names("").await.len(), 1);
}

#[tokio::test]
async fn names_with_path_traversal_are_refused() {
    let harness = FilesHarness::new().await;
    let long = format!("/{}", "x".repeat(201));
    for name in ["/%2E%2E%2Fetc", "/..%2f..%2fa", "/a%5Cb", "/a%00b", "/a%0Ab", "/%20", "/exe%E2%80%AEtxt.a", &long] {
        let refused = harness.put(name, "x", StatusCode::BAD_REQUEST).await;
        assert_eq!(refused["code"], "invalid_argument", "{name}");
    }
    assert!(harness.names("?all=true").await.is_empty());
}

#[tokio::test]
async fn uploads_over_a_limit_are_rejected_without_a_trace() {
    let server = Server::start_with(|config| {
        config.files.max_file_bytes = 2048;
        config.files.max_session_bytes = 3000;
        config.files.max_session_versions = 3;
    });
    let harness = FilesHarness::on(server.await).await;
    let refused = harness.put("/a", vec![b'x'; 2049], StatusCode::PAYLOAD_TOO_LARGE).await;
    assert!(refused["message"].as_str().expect("text").contains("files.max_file_bytes"), "{refused}");
    assert_eq!(refused["details"], json!({ "max_bytes": 2048 }));
    // If the length is not declared, the server counts the bytes as they arrive.
    let pieces = futures_util::stream::iter((0..100).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 1024])));
    harness.put("/a", reqwest::Body::wrap_stream(pieces), StatusCode::PAYLOAD_TOO_LARGE).await;
    harness.put("/a", vec![b'x'; 2048], StatusCode::OK).await;
    let refused = harness.put("/b", vec![b'y'; 2000], StatusCode::CONFLICT).await;
    assert_eq!(refused["code"], "files_full");
    harness.put("/c", "1", StatusCode::OK).await;
    harness.put("/c", "2", StatusCode::OK).await;
    assert_eq!(harness.put("/c", "3", StatusCode::CONFLICT).await["code"], "files_full");
    assert_eq!(harness.names("?all=true").await.len(), 3);
}

#[tokio::test]
async fn a_reused_command_id_is_refused() {
    let harness = FilesHarness::new().await;
    harness.put("/a?id=c1", "1", StatusCode::OK).await;
    harness.put("/a?id=c1", "1", StatusCode::OK).await;
    for path in ["/a?id=c1", "/b?id=c1"] {
        let refused = harness.put(path, "2", StatusCode::BAD_REQUEST).await;
        assert!(refused["message"].as_str().expect("text").contains("another command"), "{refused}");
    }
}

#[tokio::test]
async fn adding_files_requires_the_right_to_speak_and_reading_the_right_to_watch() {
    let harness = FilesHarness::new().await;
    harness.put("/a.md", "one", StatusCode::OK).await;
    let (server, session) = (&harness.server, harness.session);
    let invited =
        server.post(&harness.ann, &format!("/api/v1/sessions/{session}/invites"), &json!({ "role": "viewer" })).await.1;
    let (_, secret) = invited["link"].as_str().expect("a link").split_once('#').expect("a secret");
    let viewer = server.person("Vic", ServerRole::Member).await;
    server.post(&viewer, "/api/v1/invites/accept", &json!({ "secret": secret })).await;
    let stranger = server.person("Sam", ServerRole::Member).await;
    for (who, method, status, code) in [
        (&viewer, Method::PUT, StatusCode::FORBIDDEN, "forbidden"),
        (&viewer, Method::DELETE, StatusCode::FORBIDDEN, "forbidden"),
        (&stranger, Method::PUT, StatusCode::NOT_FOUND, "unknown_session"),
        (&stranger, Method::GET, StatusCode::NOT_FOUND, "unknown_session"),
    ] {
        let request = server.as_person(who, method.clone(), &harness.path("/a.md")).body("x");
        let refused = server::json(request.send().await.expect("answers"), status).await;
        assert_eq!(refused["code"], code, "{method}");
    }
    let read = server.as_person(&viewer, Method::GET, &harness.path("/a.md")).send().await.expect("answers");
    assert_eq!(read.text().await.expect("text"), "one");
    let nobody = server.request(Method::GET, &harness.path("/a.md")).send().await.expect("answers");
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_message_can_reference_files_but_not_unknown_ones() {
    let harness = FilesHarness::new().await;
    let file = harness.put("/a.md", "one", StatusCode::OK).await["file"]["id"].clone();
    let say =
        |id: &str, file: Value| json!({ "id": id, "do": "say", "data": { "text": "@people look", "files": [file] } });
    let (status, refused) = harness.command(say("c1", json!("f_999"))).await;
    assert_eq!((status, &refused["code"]), (StatusCode::NOT_FOUND, &json!("unknown_file")));
    assert_eq!(harness.command(say("c2", file.clone())).await.0, StatusCode::OK);
    let messages = harness.server.get(&harness.ann, &format!("/api/v1/sessions/{}/messages", harness.session)).await;
    assert_eq!(messages["messages"][0]["files"], json!([file]));
}

#[tokio::test]
async fn content_without_an_event_is_swept_and_files_are_not() {
    let harness = FilesHarness::new().await;
    harness.put("/a.md", "kept", StatusCode::OK).await;
    harness.put("/b.md", "removed", StatusCode::OK).await;
    harness.request_file(Method::DELETE, "/b.md").await;
    // This is the state that a crash between the two writes leaves behind.
    let (files, node) = (&harness.server.node.files, &harness.server.node);
    let lost = new_file("lost".parse().expect("a name"), b"lost");
    files.put(harness.session, &lost, b"lost").await.expect("keeps");
    let there = async || files.contents().slice(harness.session, &lost.digest, 0, 9).await.expect("reads").is_some();
    node.sweeper.sweep_at(clock::now()).await;
    assert!(there().await, "its event may be on its way");
    node.sweeper.sweep_at(clock::now().plus(2 * DAYS)).await;
    assert!(!there().await);
    assert_eq!(harness.request_file(Method::GET, "/a.md").await.text().await.expect("text"), "kept");
    assert_eq!(harness.request_file(Method::GET, "/b.md?version=1").await.text().await.expect("text"), "removed");
}

#[tokio::test]
async fn an_unreadable_log_does_not_block_the_sweep_of_other_contents() {
    let fresh = FreshDatabase::sqlite().await;
    let harness =
        FilesHarness::on(Server::start_with(|config| config.database_url = Some(fresh.url.clone())).await).await;
    let session = async || harness.server.session(&harness.ann, &json!({ "title": "Files" })).await;
    let sessions = [session().await, harness.session, session().await];
    let (files, lost) = (&harness.server.node.files, new_file("lost".parse().expect("a name"), b"lost"));
    for session in sessions {
        files.put(session, &lost, b"lost").await.expect("keeps");
    }
    let upload =
        harness.server.as_person(&harness.ann, Method::POST, "/api/v1/uploads?name=a.md").body("x").send().await;
    assert_eq!(upload.expect("answers").status(), StatusCode::CREATED);
    let unreadable = harness.session.0.simple();
    fresh
        .execute_sql(&format!(
            "delete from snapshots; update events set frame = '?' where hex(session) = upper('{unreadable}')"
        ))
        .await;
    harness.server.node.sweeper.sweep_at(clock::now().plus(2 * DAYS)).await;
    for session in sessions {
        let there = files.contents().slice(session, &lost.digest, 0, 9).await.expect("reads").is_some();
        assert_eq!(there, session == harness.session);
    }
    assert_eq!(fresh.count("uploads").await, 0);
}

/// Returns the log of a run of the assistant.
async fn run(harness: &FilesHarness, text: &str, files: &[&Value]) -> Vec<Value> {
    let session = harness.session;
    let say = json!({ "id": format!("say-{}", text.len()), "do": "say", "data": { "text": text, "files": files } });
    assert_eq!(harness.command(say).await.0, StatusCode::OK);
    let path = format!("/api/v1/sessions/{session}/events");
    let request = harness.server.as_person(&harness.ann, Method::GET, &path).header("last-event-id", "0");
    let mut stream = crate::sse::SseReader::of(request.send().await.expect("answers"));
    let mut seen = vec![];
    loop {
        let sent = stream.next().await.expect("goes on").data;
        let over = matches!(sent["event"].as_str(), Some("run.finished" | "run.failed" | "gate.opened"));
        seen.push(sent);
        if over {
            return seen;
        }
    }
}

async fn assistant() -> FilesHarness {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({ "team": "assistant-en" })).await;
    FilesHarness { server, ann, session }
}

fn outputs(log: &[Value]) -> Vec<&str> {
    let ends = log.iter().filter(|event| event["event"] == "tool.completed" || event["event"] == "tool.failed");
    ends.map(|event| event["data"]["output"].as_str().or(event["data"]["error"]["code"].as_str()).expect("text"))
        .collect()
}

#[tokio::test]
async fn agents_list_read_and_write_files() {
    let harness = assistant().await;
    harness.put("/notes.txt", "one\ntwo\nthree", StatusCode::OK).await;
    harness.put("/picture.png", PNG, StatusCode::OK).await;
    let log = run(
        &harness,
        "Look\n/tool file_list {}\n/tool file_read {\"name\": \"notes.txt\", \"offset\": 2, \"limit\": 1}\n\
         /tool file_read {\"name\": \"picture.png\"}\n/tool file_read {\"name\": \"other\"}\n\
         /tool file_write {\"name\": \"../x\", \"content\": \"x\"}\n\
         /tool file_write {\"name\": \"notes.txt\", \"content\": \"new\"}",
        &[],
    )
    .await;
    let outputs = outputs(&log);
    assert!(
        outputs.iter().any(|text| {
            let file = "- name=\"notes.txt\" version=1 bytes=13 type=\"text/plain\" from=user id=u_";
            text.starts_with(file) && text.contains(" name=\"Ann\"\n")
        }),
        "{outputs:?}"
    );
    assert!(outputs.contains(&"2\ttwo\n[lines 2 to 2 of 3; continue with offset 3]"), "{outputs:?}");
    assert!(outputs.contains(&"[`picture.png` is not text but image/png, 29 bytes, and is not shown]"), "{outputs:?}");
    assert!(outputs.contains(&"not_found") && outputs.contains(&"arguments_invalid"), "{outputs:?}");
    assert!(outputs.contains(&"wrote notes.txt (3 bytes)"), "{outputs:?}");
    assert_eq!(harness.request_file(Method::GET, "/notes.txt").await.text().await.expect("text"), "new");
    let listed = harness.server.get(&harness.ann, &harness.path("?all=true")).await;
    let written = &listed["files"][2];
    assert_eq!((&written["version"], &written["by"]["kind"]), (&json!(2), &json!("agent")));
    assert!(written["call"].is_string(), "{written}");
}

#[tokio::test]
async fn agents_see_attached_files_and_the_list_of_files() {
    let harness = assistant().await;
    let text =
        harness.put("/notes.txt", "the secret word is mimosa\n```\n", StatusCode::OK).await["file"]["id"].clone();
    let picture = harness.put("/picture.png", PNG, StatusCode::OK).await["file"]["id"].clone();
    harness.put("/other.txt", "nobody sent this", StatusCode::OK).await;
    run(&harness, "What is this?", &[&text, &picture]).await;
    let requests = harness.server.demo().requests();
    let requests = requests.last().expect("it was asked").messages.clone();
    let system = requests[0]["content"].as_str().expect("text");
    assert!(!system.contains(".txt") && system.contains("[files]"), "{system}");
    let parts = requests[1]["content"].as_array().expect("words and a picture").clone();
    assert!(parts[0]["image_url"]["url"].as_str().expect("a URL").starts_with("data:image/png;base64,"), "{parts:?}");
    let prompt = parts[1]["text"].as_str().expect("text");
    let (notes, quoted) = (
        "[file name=\"notes.txt\" version=1 bytes=30 type=\"text/plain\" from=user id=u_",
        "\n| the secret word is mimosa\n| ```",
    );
    assert!(prompt.contains(notes) && prompt.contains(quoted), "{prompt}");
    assert!(prompt.contains("\n- name=\"other.txt\" version=1 bytes=16 type=\"text/plain\""), "{prompt}");
    assert!(prompt.contains("[file name=\"picture.png\"") && prompt.contains("| What is this?"), "{prompt}");
    assert!(!prompt.contains("nobody sent this"), "{prompt}");
}

#[tokio::test]
async fn a_door_accepts_files_that_were_uploaded_for_it() {
    let server = Server::start().await;
    let path = "/api/v1/uploads?name=notes.md";
    let brought = server.request(Method::POST, path).body("the word is mimosa").send().await.expect("answers");
    let brought = server::json(brought, StatusCode::CREATED).await;
    assert_eq!((&brought["name"], &brought["media_type"]), (&json!("notes.md"), &json!("text/markdown")));
    let body = json!({ "message": "Write test cases for the payment API", "file_ids": [brought["file_id"]] });
    let answer = server.request(Method::POST, "/api/team-chat/stream").json(&body).send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::OK);
    crate::sse::SseReader::of(answer).rest().await;
    for request in server.demo().requests().iter().take(2) {
        assert!(json!(request.messages).to_string().contains("the word is mimosa"), "{:?}", request.messages);
    }
    let unknown = format!("f_{}", uuid::Uuid::from_u128(7).simple());
    for (path, body, status) in [
        ("/api/team-chat/stream", json!({ "message": "x", "file_ids": [unknown] }), StatusCode::BAD_REQUEST),
        ("/api/orchestrator/tasks/", json!({ "requirement": "x", "file_ids": [unknown] }), StatusCode::NOT_FOUND),
        ("/api/v1/analyze/stream", json!({ "original_input": "x", "file_ids": [unknown] }), StatusCode::NOT_FOUND),
        ("/AutoAgent", json!({ "query": "x", "fileIds": ["f_1"] }), StatusCode::NOT_FOUND),
    ] {
        let refused = server.request(Method::POST, path).json(&body).send().await.expect("answers");
        assert_eq!(refused.status(), status, "{path}");
    }
    let admin = server.person("Ada", ServerRole::Admin).await;
    let sessions = server.get(&admin, "/api/v1/sessions").await;
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1), "a refused request begins nothing");
}

#[tokio::test]
async fn files_of_running_tasks_do_not_displace_files_of_other_guests() {
    let server = Server::start_with(|config| config.files.max_uploads_per_participant = 1).await;
    let bring = async |name: &str| {
        let path = format!("/api/v1/uploads?name={name}");
        let brought = server.request(Method::POST, &path).body(name.to_owned()).send().await.expect("answers");
        server::json(brought, StatusCode::CREATED).await["file_id"].clone()
    };
    let begin = async |file: &Value| {
        let body = json!({ "requirement": "x", "file_ids": [file] });
        let request = server.request(Method::POST, "/api/orchestrator/tasks/").json(&body);
        request.send().await.expect("answers").status()
    };
    let first = bring("first.md").await;
    assert_eq!(begin(&first).await, StatusCode::CREATED);
    let second = bring("second.md").await;
    assert_eq!(begin(&first).await, StatusCode::CREATED, "it can be named again");
    assert_eq!(begin(&second).await, StatusCode::CREATED);
    let third = bring("third.md").await;
    bring("fourth.md").await;
    assert_eq!(begin(&third).await, StatusCode::NOT_FOUND, "two waited at once");
}

#[tokio::test]
async fn an_upload_belongs_to_its_uploader() {
    let server = Server::start_with(|config| config.guest_doors = Some(false)).await;
    let (ann, ben) = (server.person("Ann", ServerRole::Member).await, server.person("Ben", ServerRole::Member).await);
    let path = "/api/v1/uploads?name=a.md";
    let nobody = server.request(Method::POST, path).body("x").send().await.expect("answers");
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);
    let wrong = server.as_person(&ann, Method::POST, "/api/v1/uploads?name=..%2Fa").body("x").send().await;
    assert_eq!(wrong.expect("answers").status(), StatusCode::BAD_REQUEST);
    let brought = server.as_person(&ann, Method::POST, path).body("x").send().await.expect("answers");
    let id = server::json(brought, StatusCode::CREATED).await["file_id"].clone();
    let body = json!({ "requirement": "x", "file_ids": [id] });
    let (status, refused) = server.post(&ben, "/api/orchestrator/tasks/", &body).await;
    assert_eq!((status, &refused["code"]), (StatusCode::NOT_FOUND, &json!("unknown_file")));
    assert_eq!(server.post(&ann, "/api/orchestrator/tasks/", &body).await.0, StatusCode::CREATED);
}

#[tokio::test]
async fn a_guest_cannot_use_another_participants_upload() {
    let server = Server::start_with(|config| config.guest_doors = Some(true)).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let gus = server.person("Gus", ServerRole::Guest).await;
    let other = reqwest::Client::builder().no_proxy().local_address(std::net::IpAddr::from([127, 0, 0, 2]));
    let other = other.build().expect("a client");
    let from_elsewhere = |path: &str| other.post(format!("{}{path}", server.url));
    let path = "/api/v1/uploads?name=a.md";
    type RequestFn<'a> = &'a dyn Fn(&str) -> reqwest::RequestBuilder;
    let callers: [(&str, RequestFn); 4] = [
        ("Ann", &|path| server.as_person(&ann, Method::POST, path)),
        ("Gus", &|path| server.as_person(&gus, Method::POST, path)),
        ("a guest here", &|path| server.request(Method::POST, path)),
        ("a guest elsewhere", &from_elsewhere),
    ];
    for (owner, bring) in callers {
        let brought = bring(path).body("x").send().await.expect("answers");
        let id = server::json(brought, StatusCode::CREATED).await["file_id"].clone();
        for (name, ask) in callers {
            let body = json!({ "requirement": "x", "file_ids": [id] });
            let answer = ask("/api/orchestrator/tasks/").json(&body).send().await.expect("answers");
            let status = if name == owner { StatusCode::CREATED } else { StatusCode::NOT_FOUND };
            assert_eq!(answer.status(), status, "{name} names what {owner} brought");
        }
    }
    // Uploads of one guest do not evict those of another.
    let first = server.request(Method::POST, path).body("x").send().await.expect("answers");
    let first = server::json(first, StatusCode::CREATED).await["file_id"].clone();
    for _ in 0..=server.node.files.settings().max_uploads_per_participant {
        assert_eq!(from_elsewhere(path).body("y").send().await.expect("answers").status(), StatusCode::CREATED);
    }
    let body = json!({ "requirement": "x", "file_ids": [first] });
    let named = server.request(Method::POST, "/api/orchestrator/tasks/").json(&body).send().await.expect("answers");
    assert_eq!(named.status(), StatusCode::CREATED);
}
