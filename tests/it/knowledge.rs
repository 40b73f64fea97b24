//! Knowledge bases over REST, and the bases that a session can get.

use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use serde_json::{Value, json};

use crate::server::{Person, Server};

/// A server with two members.
pub struct Library {
    pub server: Server,
    pub ann: Person,
    pub ben: Person,
}

impl Library {
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(settings: impl FnOnce(&mut Config)) -> Self {
        let server = Server::start_with(settings).await;
        let ann = server.person("Ann", ServerRole::Member).await;
        let ben = server.person("Ben", ServerRole::Member).await;
        Self { server, ann, ben }
    }

    /// Sends a request. Returns the status and the JSON of the response, or null.
    pub async fn ask(&self, who: &Person, method: Method, path: &str, body: impl Into<reqwest::Body>) -> (u16, Value) {
        let request = self.server.as_person(who, method, &format!("/api/v1/knowledge{path}")).body(body);
        let answer = request.send().await.expect("answers");
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    /// A new base owned by Ann.
    pub async fn base(&self, body: Value) -> Value {
        let (status, base) = self.ask(&self.ann, Method::POST, "", body.to_string()).await;
        assert_eq!(status, 201, "{base}");
        base["id"].clone()
    }

    pub async fn put(&self, base: &Value, name: &str, content: &str) -> Value {
        let path = format!("/{base}/documents/{name}");
        let (status, document) = self.ask(&self.ann, Method::PUT, &path, content.to_owned()).await;
        assert_eq!(status, 200, "{document}");
        document
    }

    /// The code of a refusal, which must have this status.
    async fn refused(&self, who: &Person, method: Method, path: &str, body: &str, status: u16) -> String {
        let (got, answer) = self.ask(who, method.clone(), path, body.to_owned()).await;
        assert_eq!(got, status, "{method} {path}: {answer}");
        answer["code"].as_str().expect("a code").to_owned()
    }
}

#[tokio::test]
async fn a_base_is_made_filled_searched_and_removed() {
    let library = Library::new().await;
    let (status, base) = library.ask(&library.ann, Method::POST, "", r#"{"name": " 银行规则 ", "about": "x"}"#).await;
    assert_eq!((status, &base["id"], &base["name"], &base["about"]), (201, &json!(1), &json!("银行规则"), &json!("x")));
    assert_eq!((&base["mine"], &base["owner"]["name"]), (&json!(true), &json!("Ann")));
    assert_eq!(base["readers"], json!({ "members": false, "participants": [] }));
    assert!(base["created_at"].as_str().expect("a time").ends_with('Z'), "{base}");
    let document = library.put(&base["id"], "%E9%94%81%E5%AE%9A.md", "# 锁定\n\n输错三次密码，账户锁定。").await;
    assert_eq!((&document["name"], &document["media_type"]), (&json!("锁定.md"), &json!("text/markdown")));
    assert_eq!((&document["passages"], &document["bytes"]), (&json!(1), &json!(46)));
    library.put(&base["id"], "limits.txt", "A transfer is at most 5,000 EUR.").await;
    let (_, listed) = library.ask(&library.ann, Method::GET, "/1/documents", "").await;
    let names: Vec<&Value> = listed["documents"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["limits.txt", "锁定.md"]);
    let (_, base) = library.ask(&library.ann, Method::GET, "/1", "").await;
    assert_eq!((&base["documents"], &base["bytes"]), (&json!(2), &json!(46 + 32)));

    let (_, found) = library.ask(&library.ann, Method::GET, "/1/search?q=%E8%B4%A6%E6%88%B7", "").await;
    let hit = &found["hits"][0];
    assert_eq!((&hit["document"], &hit["line"]), (&json!("锁定.md"), &json!(1)), "{found}");
    assert!(
        hit["text"].as_str().expect("words").contains("账户锁定") && hit["score"].as_f64().expect("a number") > 0.0
    );
    let content = library.server.as_person(&library.ann, Method::GET, "/api/v1/knowledge/1/documents/limits.txt");
    let content = content.send().await.expect("answers");
    assert_eq!(content.headers()["content-type"], "text/plain; charset=utf-8");
    assert!(content.headers()["content-security-policy"].to_str().expect("text").starts_with("sandbox"));
    assert_eq!(content.text().await.expect("text"), "A transfer is at most 5,000 EUR.");

    library.put(&base["id"], "limits.txt", "Nothing is bounded.").await;
    let (_, found) = library.ask(&library.ann, Method::GET, "/1/search?q=transfer", "").await;
    assert_eq!(found, json!({ "hits": [] }));
    let change = r#"{"name": "Rules", "readers": { "members": true }}"#;
    let (status, changed) = library.ask(&library.ann, Method::PATCH, "/1", change).await;
    assert_eq!(
        (status, &changed["name"], &changed["about"], &changed["readers"]["members"]),
        (200, &json!("Rules"), &json!("x"), &json!(true))
    );
    for path in ["/1/documents/limits.txt", "/1"] {
        assert_eq!(library.ask(&library.ann, Method::DELETE, path, "").await.0, 204, "{path}");
    }
    assert_eq!(library.ask(&library.ann, Method::GET, "", "").await.1, json!({ "bases": [] }));
    assert_eq!(library.base(json!({ "name": "next" })).await, 2, "an id is never given again");
}

#[tokio::test]
async fn only_the_owner_changes_a_base_and_only_readers_see_it() {
    let library = Library::new().await;
    library.base(json!({ "name": "private" })).await;
    library.base(json!({ "name": "shared", "readers": { "members": true } })).await;
    library.put(&json!(1), "a.md", "apples").await;
    library.put(&json!(2), "a.md", "apples").await;
    let guest = library.server.person("Guest", ServerRole::Guest).await;
    let admin = library.server.person("Ada", ServerRole::Admin).await;
    let cem = library.server.person("Cem", ServerRole::Member).await;
    for who in [&library.ben, &cem] {
        let (_, listed) = library.ask(who, Method::GET, "", "").await;
        let seen: Vec<_> =
            listed["bases"].as_array().expect("a list").iter().map(|base| (&base["id"], &base["mine"])).collect();
        assert_eq!(seen, [(&json!(2), &json!(false))]);
        for (method, path) in [
            (Method::GET, "/1"),
            (Method::PATCH, "/1"),
            (Method::DELETE, "/1"),
            (Method::GET, "/1/documents"),
            (Method::GET, "/1/documents/a.md"),
            (Method::PUT, "/1/documents/a.md"),
            (Method::DELETE, "/1/documents/a.md"),
            (Method::GET, "/1/search?q=apples"),
            (Method::GET, "/3"),
        ] {
            assert_eq!(library.refused(who, method, path, "", 404).await, "unknown_knowledge", "{path}");
        }
        for (method, path) in [
            (Method::PATCH, "/2"),
            (Method::DELETE, "/2"),
            (Method::PUT, "/2/documents/a.md"),
            (Method::DELETE, "/2/documents/a.md"),
        ] {
            assert_eq!(library.refused(who, method, path, "", 403).await, "forbidden", "{path}");
        }
        let (status, found) = library.ask(who, Method::GET, "/2/search?q=apples", "").await;
        assert_eq!((status, found["hits"].as_array().map(Vec::len)), (200, Some(1)));
    }
    assert_eq!(library.refused(&guest, Method::POST, "", r#"{"name": "x"}"#, 403).await, "forbidden");
    assert_eq!(library.ask(&guest, Method::GET, "", "").await.1, json!({ "bases": [] }));
    for (method, path) in [
        (Method::GET, "/2"),
        (Method::GET, "/2/documents"),
        (Method::GET, "/2/documents/a.md"),
        (Method::GET, "/2/search?q=apples"),
        (Method::PATCH, "/2"),
    ] {
        assert_eq!(library.refused(&guest, method, path, "", 404).await, "unknown_knowledge", "a guest at {path}");
    }
    assert_eq!(library.ask(&admin, Method::GET, "", "").await.1["bases"].as_array().map(Vec::len), Some(2));
    assert_eq!(library.ask(&admin, Method::DELETE, "/1", "").await.0, 204);
    let nobody = library.server.request(Method::GET, "/api/v1/knowledge").send().await.expect("answers");
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_base_is_given_to_sessions_of_the_teams_that_its_owner_names() {
    let library = Library::new().await;
    let readers = json!({ "members": true, "teams": ["assistant-en"] });
    let base = library.base(json!({ "name": "for some", "readers": readers })).await;
    assert_eq!(library.ask(&library.ben, Method::GET, "/1", "").await.1["readers"], readers);
    let given = |team: &str| json!({ "team": team, "settings": { "knowledge": [base.to_string()] } });
    for (team, expected) in [("assistant-en", StatusCode::CREATED), ("investigator-en", StatusCode::FORBIDDEN)] {
        let (status, said) = library.server.post(&library.ben, "/api/v1/sessions", &given(team)).await;
        assert_eq!(status, expected, "{team}: {said}");
    }
    let other = library.server.session(&library.ben, &json!({ "team": "investigator-en" })).await;
    let set = json!({ "id": "c1", "do": "set", "data": { "settings": { "knowledge": [base.to_string()] } } });
    let refused = library.server.post(&library.ben, &format!("/api/v1/sessions/{other}/commands"), &set).await;
    assert_eq!((refused.0, &refused.1["code"]), (StatusCode::FORBIDDEN, &json!("forbidden")), "{}", refused.1);
    let code = library.refused(&library.ann, Method::PATCH, "/1", r#"{"readers": {"teams": ["nobody"]}}"#, 404).await;
    assert_eq!(code, "unknown_team");
    let misleading = json!({ "about": "price list\u{202e}exe" }).to_string();
    assert_eq!(library.refused(&library.ann, Method::PATCH, "/1", &misleading, 400).await, "invalid_argument");
    let everybody = json!({ "readers": { "members": true } }).to_string();
    let (_, opened) = library.ask(&library.ann, Method::PATCH, "/1", everybody).await;
    assert_eq!(opened["readers"]["teams"], Value::Null, "{opened}");
    assert_eq!(library.server.post(&library.ben, "/api/v1/sessions", &given("investigator-en")).await.0, 201);
}

#[tokio::test]
async fn a_base_is_read_by_those_whom_its_owner_names() {
    let library = Library::new().await;
    let cem = library.server.person("Cem", ServerRole::Member).await;
    let guest = library.server.person("Guest", ServerRole::Guest).await;
    let (ben, nobody) = (library.ben.participant.id, roundtable::kernel::ParticipantId(uuid::Uuid::from_u128(7)));
    let base = library.base(json!({ "name": "named", "readers": { "participants": [ben] } })).await;
    library.put(&base, "a.md", "apples").await;
    let path = format!("/{base}/documents/a.md");
    assert_eq!(library.ask(&library.ben, Method::GET, &path, "").await.0, 200);
    let (_, shown) = library.ask(&library.ben, Method::GET, "", "").await;
    assert_eq!(shown["bases"][0]["readers"], json!({ "members": false }), "who else reads it is the owner's to know");
    assert_eq!(library.refused(&cem, Method::GET, &path, "", 404).await, "unknown_knowledge");
    let mine = library.ask(&library.ann, Method::GET, &format!("/{base}"), "").await.1;
    assert_eq!(mine["readers"]["participants"], json!([{ "id": ben, "name": "Ben" }]));

    let change = |ids: Value| json!({ "readers": { "participants": ids } }).to_string();
    for stranger in [guest.participant.id, nobody] {
        let code = library.refused(&library.ann, Method::PATCH, "/1", &change(json!([ben, stranger])), 404).await;
        assert_eq!(code, "unknown_participant");
    }
    let many: Vec<_> =
        (0..101).map(|number| roundtable::kernel::ParticipantId(uuid::Uuid::from_u128(number))).collect();
    let code = library.refused(&library.ann, Method::PATCH, "/1", &change(json!(many)), 400).await;
    assert_eq!(code, "invalid_argument");
    assert_eq!(library.ask(&library.ann, Method::PATCH, "/1", change(json!([cem.participant.id]))).await.0, 200);
    assert_eq!(library.refused(&library.ben, Method::GET, &path, "", 404).await, "unknown_knowledge");
    assert_eq!(library.ask(&cem, Method::GET, &path, "").await.0, 200);
}

#[tokio::test]
async fn invalid_and_oversized_documents_are_rejected_without_a_trace() {
    let library = Library::with(|config| {
        config.knowledge.max_bases_per_participant = 1;
        config.knowledge.max_documents_per_base = 2;
        config.knowledge.max_base_bytes = 3000;
        config.knowledge.max_document_bytes = 2048;
    });
    let library = library.await;
    library.base(json!({ "name": "small" })).await;
    assert_eq!(library.refused(&library.ann, Method::POST, "", r#"{"name": "x"}"#, 409).await, "knowledge_full");
    let put = async |name: &str, content: &'static [u8]| {
        let (status, answer) = library.ask(&library.ann, Method::PUT, &format!("/1/documents/{name}"), content).await;
        (status, answer["code"].as_str().unwrap_or_default().to_owned())
    };
    let refused = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(put("a.pdf", b"%PDF\0").await, refused(415, "not_text"));
    assert_eq!(put("a.txt", b"\xff\xfea").await, refused(415, "not_text"));
    assert_eq!(put("a.txt", &[b'x'; 2049]).await, refused(413, "too_large"));
    assert_eq!(put("a.txt", &[b'x'; 2048]).await.0, 200);
    assert_eq!(put("b.txt", &[b'x'; 2000]).await, refused(409, "knowledge_full"));
    assert_eq!(put("b.txt", b"").await.0, 200);
    assert_eq!(put("c.txt", b"").await, refused(409, "knowledge_full"));
    assert_eq!(put("..%2Fb", b"x").await, refused(400, "invalid_argument"));
    let (_, listed) = library.ask(&library.ann, Method::GET, "/1/documents", "").await;
    assert_eq!(listed["documents"].as_array().map(Vec::len), Some(2));
    for (method, path, body) in [
        (Method::POST, "", r#"{"name": " "}"#),
        (Method::POST, "", r#"{"about": "x"}"#),
        (Method::POST, "", r#"{"name": "x", "owner": "Ben"}"#),
        (Method::PATCH, "/1", r#"{"name": "a\nb"}"#),
        (Method::PATCH, "/1", r#"{"about": "a\u0000b"}"#),
        (Method::GET, "/one", ""),
        (Method::GET, "/0", ""),
        (Method::GET, "/1/search", ""),
        (Method::GET, "/1/search?q=%20", ""),
        (Method::GET, "/1/search?q=x&limit=51", ""),
    ] {
        assert_eq!(library.refused(&library.ann, method, path, body, 400).await, "invalid_argument", "{path} {body}");
    }
    let gone = library.refused(&library.ann, Method::GET, "/1/documents/x.txt", "", 404).await;
    assert_eq!(gone, "unknown_document");
    assert_eq!(library.refused(&library.ann, Method::DELETE, "/1/documents/x.txt", "", 404).await, "unknown_document");
}

#[tokio::test]
async fn a_session_is_given_what_whoever_gives_it_may_read() {
    let library = Library::new().await;
    library.base(json!({ "name": "private" })).await;
    library.base(json!({ "name": "shared", "readers": { "members": true } })).await;
    let begin = async |who: &Person, named: Value| {
        let body = json!({ "title": "x", "settings": { "knowledge": named } });
        let (status, answer) = library.server.post(who, "/api/v1/sessions", &body).await;
        (status.as_u16(), answer["code"].as_str().unwrap_or_default().to_owned())
    };
    let unknown = || (404, "unknown_knowledge".to_owned());
    assert_eq!(begin(&library.ben, json!(["1"])).await, unknown());
    assert_eq!(begin(&library.ben, json!(["2", "3"])).await, unknown());
    assert_eq!(begin(&library.ben, json!(["rules"])).await, unknown());
    assert_eq!(begin(&library.ben, json!(["2"])).await.0, 201);
    assert_eq!(begin(&library.ann, json!(["1", "2"])).await.0, 201);
    assert_eq!(begin(&library.ann, json!([1])).await, (400, "invalid_argument".to_owned()));
    let listed = library.server.get(&library.ben, "/api/v1/sessions").await;
    assert_eq!(listed["sessions"].as_array().map(Vec::len), Some(1), "what was refused left nothing");

    let settings = json!({ "title": "x", "settings": { "knowledge": ["2"] } });
    let session = library.server.session(&library.ben, &settings).await;
    let set = async |named: Value| {
        let command = json!({ "id": format!("c{}", named.to_string().len()), "do": "set", "data": { "settings": { "knowledge": named } } });
        let path = format!("/api/v1/sessions/{session}/commands");
        let (status, answer) = library.server.post(&library.ben, &path, &command).await;
        (status.as_u16(), answer["code"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(set(json!(["2", "1"])).await, unknown());
    library.ask(&library.ann, Method::PATCH, "/2", r#"{"readers": { "members": false }}"#).await;
    library.ask(&library.ann, Method::PATCH, "/1", r#"{"readers": { "members": true }}"#).await;
    assert_eq!(set(json!(["2", "1", "1"])).await.0, 200, "what it has already need not be given again");
    let shown = library.server.get(&library.ben, &format!("/api/v1/sessions/{session}")).await;
    assert_eq!(shown["state"]["settings"]["knowledge"], json!(["2", "1", "1"]));
    assert_eq!(set(json!([])).await.0, 200);
    assert_eq!(set(json!(["2"])).await, unknown(), "it has it no more");
}

#[tokio::test]
async fn lists_come_in_pages() {
    let library = Library::new().await;
    for name in ["one", "two", "three"] {
        library.base(json!({ "name": name })).await;
    }
    for name in ["c.md", "a.md", "b%20%26.md"] {
        library.put(&json!(2), name, "x").await;
    }
    for (list, items, key, all) in [
        ("", "bases", "name", ["one", "two", "three"]),
        ("/2/documents", "documents", "name", ["a.md", "b &.md", "c.md"]),
    ] {
        let page = async |query: &str| library.ask(&library.ann, Method::GET, &format!("{list}?{query}"), "").await.1;
        let names = |page: &Value| -> Vec<String> {
            let items = page[items].as_array().expect("a list").iter();
            items.map(|item| item[key].as_str().expect("a name").to_owned()).collect()
        };
        let whole = page("").await;
        assert_eq!((names(&whole), whole.get("next")), (all.map(String::from).to_vec(), None), "{list}");
        let first = page("limit=2").await;
        assert_eq!(names(&first), all[..2], "{list}");
        let next = first["next"].as_str().expect("there is more").replace(' ', "%20").replace('&', "%26");
        let last = page(&format!("limit=2&after={next}")).await;
        assert_eq!((names(&last), last.get("next")), (vec![all[2].to_owned()], None), "{list}");
        for query in ["limit=0", "limit=1001", "after=%00"] {
            let path = format!("{list}?{query}");
            assert_eq!(library.refused(&library.ann, Method::GET, &path, "", 400).await, "invalid_argument", "{path}");
        }
    }
}

#[tokio::test]
async fn bases_are_there_after_a_restart() {
    let library = Library::new().await;
    library.base(json!({ "name": "kept", "readers": { "members": true } })).await;
    library.put(&json!(1), "a.md", "输错三次密码，账户锁定").await;
    let ben = library.ben.clone();
    let server = Server::start_in(library.server.stop().await, |_| {}).await;
    let found = server.get(&ben, "/api/v1/knowledge/1/search?q=%E9%94%81%E5%AE%9A").await;
    assert_eq!(found["hits"][0]["document"], "a.md", "{found}");
    let answer =
        server.as_person(&ben, Method::GET, "/api/v1/knowledge/1/documents/a.md").send().await.expect("answers");
    assert_eq!(answer.text().await.expect("text"), "输错三次密码，账户锁定");
    let listed = server.get(&ben, "/api/v1/knowledge").await;
    assert_eq!(listed["bases"][0]["name"], "kept");
}
