//! Files of a session over REST.

use reqwest::{Method, Response, StatusCode, header};
use roundtable::clock;
use roundtable::files::describe;
use roundtable::identity::Standing;
use roundtable::kernel::SessionId;
use roundtable::sweep;
use serde_json::{Value, json};

use crate::server::{self, Person, Server};

const DAYS: u64 = 24 * 60 * 60 * 1000;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x05\0\0\0\x05\x08\x06\0\0\0";

struct Desk {
    server: Server,
    ann: Person,
    session: SessionId,
}

impl Desk {
    async fn new() -> Self {
        Self::on(Server::start().await).await
    }

    async fn on(server: Server) -> Self {
        let ann = server.person("Ann", Standing::Member).await;
        let session = server.session(&ann, &json!({ "title": "Files" })).await;
        Self { server, ann, session }
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/sessions/{}/files{rest}", self.session)
    }

    async fn asked(&self, method: Method, rest: &str) -> Response {
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
    let desk = Desk::new().await;
    let first = desk.put("/%E6%8A%A5%E5%91%8A.md", "# one", StatusCode::OK).await;
    assert_eq!(first["file"]["name"], "报告.md");
    assert_eq!((&first["file"]["version"], &first["file"]["media_type"]), (&json!(1), &json!("text/markdown")));
    assert_eq!((&first["file"]["bytes"], &first["file"]["by"]["name"]), (&json!(5), &json!("Ann")));
    let again = desk.put("/%E6%8A%A5%E5%91%8A.md", "# one", StatusCode::OK).await;
    assert_eq!(again["file"], first["file"], "the same content is the same version");
    desk.put("/%E6%8A%A5%E5%91%8A.md", "# two", StatusCode::OK).await;
    assert_eq!(desk.names("").await, [("报告.md".to_owned(), 2)]);
    assert_eq!(desk.names("?all=true").await.len(), 2);

    let answer = desk.asked(Method::GET, "/%E6%8A%A5%E5%91%8A.md").await;
    let head = |name: &str| {
        answer.headers().get(name).map(|value| value.to_str().expect("text").to_owned()).unwrap_or_default()
    };
    assert!(head("content-disposition").starts_with("attachment; filename=\"__.md\"; filename*=UTF-8''%E6%8A%A5"));
    assert!(head("content-security-policy").starts_with("sandbox; default-src 'none'"));
    assert_eq!((head("x-content-type-options"), head("content-type")), ("nosniff".into(), "text/markdown".into()));
    let tag = head("etag");
    assert_eq!(answer.text().await.expect("text"), "# two");
    let older = desk.asked(Method::GET, "/%E6%8A%A5%E5%91%8A.md?version=1").await;
    assert_eq!(older.text().await.expect("text"), "# one");
    let known = desk.server.as_person(&desk.ann, Method::GET, &desk.path("/%E6%8A%A5%E5%91%8A.md"));
    let known = known.header(header::IF_NONE_MATCH, tag).send().await.expect("answers");
    assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
    let head = desk.asked(Method::HEAD, "/%E6%8A%A5%E5%91%8A.md").await;
    assert_eq!((head.status(), head.headers()["content-length"].as_bytes()), (StatusCode::OK, &b"5"[..]));
}

#[tokio::test]
async fn a_large_file_comes_back_as_it_went() {
    let desk = Desk::new().await;
    let content: Vec<u8> = (0..5_000_000u32).map(|n| (n * 31 / 7) as u8).collect();
    let put = desk.put("/data.bin", content.clone(), StatusCode::OK).await;
    assert_eq!(put["file"]["media_type"], "application/octet-stream");
    let answer = desk.asked(Method::GET, "/data.bin").await;
    assert!(answer.bytes().await.expect("comes") == content);
}

#[tokio::test]
async fn a_preview_shows_only_what_can_do_no_harm() {
    let desk = Desk::new().await;
    for (name, content, kind) in [
        ("/page.html", &b"<script>alert(1)</script>"[..], "text/plain; charset=utf-8"),
        ("/drawing.svg", b"<svg onload='alert(1)'/>", "text/plain; charset=utf-8"),
        ("/picture.png", PNG, "image/png"),
        ("/false.png", b"<script>", "text/plain; charset=utf-8"),
    ] {
        desk.put(name, content, StatusCode::OK).await;
        let shown = desk.asked(Method::GET, &format!("{name}?preview=true")).await;
        assert_eq!(shown.headers()["content-type"], kind, "{name}");
        assert!(shown.headers()["content-disposition"].to_str().expect("text").starts_with("inline"));
        assert!(shown.headers()["content-security-policy"].to_str().expect("text").starts_with("sandbox"));
    }
    desk.put("/a.pdf", &b"%PDF\0"[..], StatusCode::OK).await;
    let refused = desk.asked(Method::GET, "/a.pdf?preview=true").await;
    assert_eq!(server::json(refused, StatusCode::BAD_REQUEST).await["code"], "invalid_argument");
}

#[tokio::test]
async fn what_was_removed_is_listed_with_its_versions_and_comes_back() {
    let desk = Desk::new().await;
    let first = desk.put("/a.md", "one", StatusCode::OK).await;
    server::json(desk.asked(Method::DELETE, "/a.md?id=c1").await, StatusCode::OK).await;
    assert!(desk.names("").await.is_empty());
    assert_eq!(desk.names("?all=true").await, [("a.md".to_owned(), 1)]);
    let gone = desk.asked(Method::GET, "/a.md").await;
    assert_eq!(server::json(gone, StatusCode::NOT_FOUND).await["code"], "unknown_file");
    assert_eq!(desk.asked(Method::GET, "/a.md?version=1").await.text().await.expect("text"), "one");
    let restore = json!({ "id": "c2", "do": "restore_file", "data": { "file": first["file"]["id"] } });
    assert_eq!(desk.command(restore).await.0, StatusCode::OK);
    assert_eq!(desk.names("").await, [("a.md".to_owned(), 2)]);
    assert_eq!(desk.asked(Method::GET, "/a.md").await.text().await.expect("text"), "one");
    let unknown = desk.asked(Method::DELETE, "/b.md").await;
    assert_eq!(server::json(unknown, StatusCode::NOT_FOUND).await["code"], "unknown_file");
    // The first answer to a command stands, whatever has happened since.
    server::json(desk.asked(Method::DELETE, "/a.md?id=c1").await, StatusCode::OK).await;
    assert_eq!(desk.names("").await.len(), 1);
}

#[tokio::test]
async fn names_that_lead_somewhere_else_are_refused() {
    let desk = Desk::new().await;
    let long = format!("/{}", "x".repeat(201));
    for name in ["/%2E%2E%2Fetc", "/..%2f..%2fa", "/a%5Cb", "/a%00b", "/a%0Ab", "/%20", "/exe%E2%80%AEtxt.a", &long] {
        let refused = desk.put(name, "x", StatusCode::BAD_REQUEST).await;
        assert_eq!(refused["code"], "invalid_argument", "{name}");
    }
    assert!(desk.names("?all=true").await.is_empty());
}

#[tokio::test]
async fn what_is_too_large_or_too_much_is_refused_and_leaves_nothing() {
    let server = Server::start_with(|config| {
        config.files.bytes = 2048;
        config.files.session_bytes = 3000;
        config.files.session_versions = 3;
    });
    let desk = Desk::on(server.await).await;
    let refused = desk.put("/a", vec![b'x'; 2049], StatusCode::PAYLOAD_TOO_LARGE).await;
    assert!(refused["message"].as_str().expect("words").contains("files.bytes"), "{refused}");
    // A length that is not told is counted on the way.
    let pieces = futures_util::stream::iter((0..100).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 1024])));
    desk.put("/a", reqwest::Body::wrap_stream(pieces), StatusCode::PAYLOAD_TOO_LARGE).await;
    desk.put("/a", vec![b'x'; 2048], StatusCode::OK).await;
    let refused = desk.put("/b", vec![b'y'; 2000], StatusCode::CONFLICT).await;
    assert_eq!(refused["code"], "files_full");
    desk.put("/c", "1", StatusCode::OK).await;
    desk.put("/c", "2", StatusCode::OK).await;
    assert_eq!(desk.put("/c", "3", StatusCode::CONFLICT).await["code"], "files_full");
    assert_eq!(desk.names("?all=true").await.len(), 3);
}

#[tokio::test]
async fn only_who_may_speak_adds_and_only_who_may_watch_reads() {
    let desk = Desk::new().await;
    desk.put("/a.md", "one", StatusCode::OK).await;
    let (server, session) = (&desk.server, desk.session);
    let invited =
        server.post(&desk.ann, &format!("/api/v1/sessions/{session}/invites"), &json!({ "role": "viewer" })).await.1;
    let (_, secret) = invited["link"].as_str().expect("a link").split_once('#').expect("a secret");
    let viewer = server.person("Vic", Standing::Member).await;
    server.post(&viewer, "/api/v1/invites/accept", &json!({ "secret": secret })).await;
    let stranger = server.person("Sam", Standing::Member).await;
    for (who, method, status, code) in [
        (&viewer, Method::PUT, StatusCode::FORBIDDEN, "forbidden"),
        (&viewer, Method::DELETE, StatusCode::FORBIDDEN, "forbidden"),
        (&stranger, Method::PUT, StatusCode::NOT_FOUND, "unknown_session"),
        (&stranger, Method::GET, StatusCode::NOT_FOUND, "unknown_session"),
    ] {
        let request = server.as_person(who, method.clone(), &desk.path("/a.md")).body("x");
        let refused = server::json(request.send().await.expect("answers"), status).await;
        assert_eq!(refused["code"], code, "{method}");
    }
    let read = server.as_person(&viewer, Method::GET, &desk.path("/a.md")).send().await.expect("answers");
    assert_eq!(read.text().await.expect("text"), "one");
    let nobody = server.request(Method::GET, &desk.path("/a.md")).send().await.expect("answers");
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn words_come_with_files_and_unknown_ones_are_refused() {
    let desk = Desk::new().await;
    let file = desk.put("/a.md", "one", StatusCode::OK).await["file"]["id"].clone();
    let say =
        |id: &str, file: Value| json!({ "id": id, "do": "say", "data": { "text": "@people look", "files": [file] } });
    let (status, refused) = desk.command(say("c1", json!("f_999"))).await;
    assert_eq!((status, &refused["code"]), (StatusCode::NOT_FOUND, &json!("unknown_file")));
    assert_eq!(desk.command(say("c2", file.clone())).await.0, StatusCode::OK);
    let messages = desk.server.get(&desk.ann, &format!("/api/v1/sessions/{}/messages", desk.session)).await;
    assert_eq!(messages["messages"][0]["files"], json!([file]));
}

#[tokio::test]
async fn content_without_an_event_is_swept_and_files_are_not() {
    let desk = Desk::new().await;
    desk.put("/a.md", "kept", StatusCode::OK).await;
    desk.put("/b.md", "removed", StatusCode::OK).await;
    desk.asked(Method::DELETE, "/b.md").await;
    // As a crash between the two leaves it.
    let (files, node) = (&desk.server.node.files, &desk.server.node);
    let lost = describe("lost".parse().expect("a name"), b"lost");
    files.put(desk.session, &lost, b"lost").await.expect("keeps");
    let there = async || files.contents().slice(desk.session, &lost.digest, 0, 9).await.expect("reads").is_some();
    sweep::at(node, clock::now()).await;
    assert!(there().await, "its event may be on its way");
    sweep::at(node, clock::now().plus(2 * DAYS)).await;
    assert!(!there().await);
    assert_eq!(desk.asked(Method::GET, "/a.md").await.text().await.expect("text"), "kept");
    assert_eq!(desk.asked(Method::GET, "/b.md?version=1").await.text().await.expect("text"), "removed");
}
