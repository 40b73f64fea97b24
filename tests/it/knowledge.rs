//! Knowledge bases over REST, and the bases that a session can get.

use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use serde_json::{Value, json};

use crate::server::{Person, Server};

/// A server with two members.
pub struct KnowledgeHarness {
    pub server: Server,
    pub ann: Person,
    pub ben: Person,
}

impl KnowledgeHarness {
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(settings: impl FnOnce(&mut Config)) -> Self {
        let server = Server::start_with(settings).await;
        let ann = server.person("Ann", ServerRole::Member).await;
        let ben = server.person("Ben", ServerRole::Member).await;
        Self { server, ann, ben }
    }

    /// Sends a request. Returns the status and the JSON of the response, or null if the response is not JSON.
    pub async fn request(
        &self,
        who: &Person,
        method: Method,
        path: &str,
        body: impl Into<reqwest::Body>,
    ) -> (u16, Value) {
        let request = self.server.as_person(who, method, &format!("/api/v1/knowledge{path}")).body(body);
        let answer = request.send().await.expect("answers");
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    /// Creates a base that Ann owns. Returns its id.
    pub async fn base(&self, body: Value) -> Value {
        let (status, base) = self.request(&self.ann, Method::POST, "", body.to_string()).await;
        assert_eq!(status, 201, "{base}");
        base["id"].clone()
    }

    pub async fn put(&self, base: &Value, name: &str, content: &str) -> Value {
        let path = format!("/{base}/documents/{name}");
        let (status, document) = self.request(&self.ann, Method::PUT, &path, content.to_owned()).await;
        assert_eq!(status, 200, "{document}");
        document
    }

    /// Sends a request that must fail with this status. Returns the error code.
    async fn expect_error(&self, who: &Person, method: Method, path: &str, body: &str, status: u16) -> String {
        let (got, answer) = self.request(who, method.clone(), path, body.to_owned()).await;
        assert_eq!(got, status, "{method} {path}: {answer}");
        answer["code"].as_str().expect("a code").to_owned()
    }
}

#[tokio::test]
async fn a_base_can_be_created_filled_searched_and_removed() {
    let harness = KnowledgeHarness::new().await;
    let (status, base) =
        harness.request(&harness.ann, Method::POST, "", r#"{"name": " 银行规则 ", "about": "x"}"#).await;
    assert_eq!((status, &base["id"], &base["name"], &base["about"]), (201, &json!(1), &json!("银行规则"), &json!("x")));
    assert_eq!((&base["mine"], &base["owner"]["name"]), (&json!(true), &json!("Ann")));
    assert_eq!(base["readers"], json!({ "members": false, "participants": [] }));
    assert!(base["created_at"].as_str().expect("a time").ends_with('Z'), "{base}");
    let document = harness.put(&base["id"], "%E9%94%81%E5%AE%9A.md", "# 锁定\n\n输错三次密码，账户锁定。").await;
    assert_eq!((&document["name"], &document["media_type"]), (&json!("锁定.md"), &json!("text/markdown")));
    assert_eq!((&document["passages"], &document["bytes"]), (&json!(1), &json!(46)));
    harness.put(&base["id"], "limits.txt", "A transfer is at most 5,000 EUR.").await;
    let (_, listed) = harness.request(&harness.ann, Method::GET, "/1/documents", "").await;
    let names: Vec<&Value> = listed["documents"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["limits.txt", "锁定.md"]);
    let (_, base) = harness.request(&harness.ann, Method::GET, "/1", "").await;
    assert_eq!((&base["documents"], &base["bytes"]), (&json!(2), &json!(46 + 32)));

    let (_, found) = harness.request(&harness.ann, Method::GET, "/1/search?q=%E8%B4%A6%E6%88%B7", "").await;
    let hit = &found["hits"][0];
    assert_eq!((&hit["document"], &hit["line"]), (&json!("锁定.md"), &json!(1)), "{found}");
    assert!(hit["text"].as_str().expect("text").contains("账户锁定") && hit["score"].as_f64().expect("a number") > 0.0);
    let content = harness.server.as_person(&harness.ann, Method::GET, "/api/v1/knowledge/1/documents/limits.txt");
    let content = content.send().await.expect("answers");
    assert_eq!(content.headers()["content-type"], "text/plain; charset=utf-8");
    assert!(content.headers()["content-security-policy"].to_str().expect("text").starts_with("sandbox"));
    assert_eq!(content.text().await.expect("text"), "A transfer is at most 5,000 EUR.");

    harness.put(&base["id"], "limits.txt", "Nothing is bounded.").await;
    let (_, found) = harness.request(&harness.ann, Method::GET, "/1/search?q=transfer", "").await;
    assert_eq!(found, json!({ "hits": [] }));
    let change = r#"{"name": "Rules", "readers": { "members": true }}"#;
    let (status, changed) = harness.request(&harness.ann, Method::PATCH, "/1", change).await;
    assert_eq!(
        (status, &changed["name"], &changed["about"], &changed["readers"]["members"]),
        (200, &json!("Rules"), &json!("x"), &json!(true))
    );
    for path in ["/1/documents/limits.txt", "/1"] {
        assert_eq!(harness.request(&harness.ann, Method::DELETE, path, "").await.0, 204, "{path}");
    }
    assert_eq!(harness.request(&harness.ann, Method::GET, "", "").await.1, json!({ "bases": [] }));
    assert_eq!(harness.base(json!({ "name": "next" })).await, 2, "an id is never given again");
}

#[tokio::test]
async fn only_the_owner_can_change_a_base_and_only_readers_can_see_it() {
    let harness = KnowledgeHarness::new().await;
    harness.base(json!({ "name": "private" })).await;
    harness.base(json!({ "name": "shared", "readers": { "members": true } })).await;
    harness.put(&json!(1), "a.md", "apples").await;
    harness.put(&json!(2), "a.md", "apples").await;
    let guest = harness.server.person("Guest", ServerRole::Guest).await;
    let admin = harness.server.person("Ada", ServerRole::Admin).await;
    let cem = harness.server.person("Cem", ServerRole::Member).await;
    for who in [&harness.ben, &cem] {
        let (_, listed) = harness.request(who, Method::GET, "", "").await;
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
            assert_eq!(harness.expect_error(who, method, path, "", 404).await, "unknown_knowledge", "{path}");
        }
        for (method, path) in [
            (Method::PATCH, "/2"),
            (Method::DELETE, "/2"),
            (Method::PUT, "/2/documents/a.md"),
            (Method::DELETE, "/2/documents/a.md"),
        ] {
            assert_eq!(harness.expect_error(who, method, path, "", 403).await, "forbidden", "{path}");
        }
        let (status, found) = harness.request(who, Method::GET, "/2/search?q=apples", "").await;
        assert_eq!((status, found["hits"].as_array().map(Vec::len)), (200, Some(1)));
    }
    assert_eq!(harness.expect_error(&guest, Method::POST, "", r#"{"name": "x"}"#, 403).await, "forbidden");
    assert_eq!(harness.request(&guest, Method::GET, "", "").await.1, json!({ "bases": [] }));
    for (method, path) in [
        (Method::GET, "/2"),
        (Method::GET, "/2/documents"),
        (Method::GET, "/2/documents/a.md"),
        (Method::GET, "/2/search?q=apples"),
        (Method::PATCH, "/2"),
    ] {
        assert_eq!(harness.expect_error(&guest, method, path, "", 404).await, "unknown_knowledge", "a guest at {path}");
    }
    assert_eq!(harness.request(&admin, Method::GET, "", "").await.1["bases"].as_array().map(Vec::len), Some(2));
    assert_eq!(harness.request(&admin, Method::DELETE, "/1", "").await.0, 204);
    let nobody = harness.server.request(Method::GET, "/api/v1/knowledge").send().await.expect("answers");
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_base_is_given_to_sessions_of_the_teams_that_its_owner_names() {
    let harness = KnowledgeHarness::new().await;
    let readers = json!({ "members": true, "teams": ["assistant-en"] });
    let base = harness.base(json!({ "name": "for some", "readers": readers })).await;
    assert_eq!(harness.request(&harness.ben, Method::GET, "/1", "").await.1["readers"], readers);
    let given = |team: &str| json!({ "team": team, "settings": { "knowledge": [base.to_string()] } });
    for (team, expected) in [("assistant-en", StatusCode::CREATED), ("investigator-en", StatusCode::FORBIDDEN)] {
        let (status, body) = harness.server.post(&harness.ben, "/api/v1/sessions", &given(team)).await;
        assert_eq!(status, expected, "{team}: {body}");
    }
    let other = harness.server.session(&harness.ben, &json!({ "team": "investigator-en" })).await;
    let set = json!({ "id": "c1", "do": "set", "data": { "settings": { "knowledge": [base.to_string()] } } });
    let refused = harness.server.post(&harness.ben, &format!("/api/v1/sessions/{other}/commands"), &set).await;
    assert_eq!((refused.0, &refused.1["code"]), (StatusCode::FORBIDDEN, &json!("forbidden")), "{}", refused.1);
    let code =
        harness.expect_error(&harness.ann, Method::PATCH, "/1", r#"{"readers": {"teams": ["nobody"]}}"#, 404).await;
    assert_eq!(code, "unknown_team");
    let misleading = json!({ "about": "price list\u{202e}exe" }).to_string();
    assert_eq!(harness.expect_error(&harness.ann, Method::PATCH, "/1", &misleading, 400).await, "invalid_argument");
    let everybody = json!({ "readers": { "members": true } }).to_string();
    let (_, opened) = harness.request(&harness.ann, Method::PATCH, "/1", everybody).await;
    assert_eq!(opened["readers"]["teams"], Value::Null, "{opened}");
    assert_eq!(harness.server.post(&harness.ben, "/api/v1/sessions", &given("investigator-en")).await.0, 201);
}

#[tokio::test]
async fn a_base_is_read_by_those_whom_its_owner_names() {
    let harness = KnowledgeHarness::new().await;
    let cem = harness.server.person("Cem", ServerRole::Member).await;
    let guest = harness.server.person("Guest", ServerRole::Guest).await;
    let (ben, nobody) = (harness.ben.participant.id, roundtable::kernel::ParticipantId(uuid::Uuid::from_u128(7)));
    let base = harness.base(json!({ "name": "named", "readers": { "participants": [ben] } })).await;
    harness.put(&base, "a.md", "apples").await;
    let path = format!("/{base}/documents/a.md");
    assert_eq!(harness.request(&harness.ben, Method::GET, &path, "").await.0, 200);
    let (_, response) = harness.request(&harness.ben, Method::GET, "", "").await;
    assert_eq!(
        response["bases"][0]["readers"],
        json!({ "members": false }),
        "who else reads it is the owner's to know"
    );
    assert_eq!(harness.expect_error(&cem, Method::GET, &path, "", 404).await, "unknown_knowledge");
    let mine = harness.request(&harness.ann, Method::GET, &format!("/{base}"), "").await.1;
    assert_eq!(mine["readers"]["participants"], json!([{ "id": ben, "name": "Ben" }]));

    let change = |ids: Value| json!({ "readers": { "participants": ids } }).to_string();
    for stranger in [guest.participant.id, nobody] {
        let code = harness.expect_error(&harness.ann, Method::PATCH, "/1", &change(json!([ben, stranger])), 404).await;
        assert_eq!(code, "unknown_participant");
    }
    let many: Vec<_> =
        (0..101).map(|number| roundtable::kernel::ParticipantId(uuid::Uuid::from_u128(number))).collect();
    let code = harness.expect_error(&harness.ann, Method::PATCH, "/1", &change(json!(many)), 400).await;
    assert_eq!(code, "invalid_argument");
    assert_eq!(harness.request(&harness.ann, Method::PATCH, "/1", change(json!([cem.participant.id]))).await.0, 200);
    assert_eq!(harness.expect_error(&harness.ben, Method::GET, &path, "", 404).await, "unknown_knowledge");
    assert_eq!(harness.request(&cem, Method::GET, &path, "").await.0, 200);
}

#[tokio::test]
async fn invalid_and_oversized_documents_are_rejected_without_a_trace() {
    let harness = KnowledgeHarness::with(|config| {
        config.knowledge.max_bases_per_participant = 1;
        config.knowledge.max_documents_per_base = 2;
        config.knowledge.max_base_bytes = 3000;
        config.knowledge.max_document_bytes = 2048;
    });
    let harness = harness.await;
    harness.base(json!({ "name": "small" })).await;
    assert_eq!(harness.expect_error(&harness.ann, Method::POST, "", r#"{"name": "x"}"#, 409).await, "knowledge_full");
    let put = async |name: &str, content: &'static [u8]| {
        let (status, answer) =
            harness.request(&harness.ann, Method::PUT, &format!("/1/documents/{name}"), content).await;
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
    let (_, listed) = harness.request(&harness.ann, Method::GET, "/1/documents", "").await;
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
        assert_eq!(
            harness.expect_error(&harness.ann, method, path, body, 400).await,
            "invalid_argument",
            "{path} {body}"
        );
    }
    let error = harness.expect_error(&harness.ann, Method::GET, "/1/documents/x.txt", "", 404).await;
    assert_eq!(error, "unknown_document");
    assert_eq!(
        harness.expect_error(&harness.ann, Method::DELETE, "/1/documents/x.txt", "", 404).await,
        "unknown_document"
    );
}

#[tokio::test]
async fn a_session_gets_only_bases_that_the_giver_can_read() {
    let harness = KnowledgeHarness::new().await;
    harness.base(json!({ "name": "private" })).await;
    harness.base(json!({ "name": "shared", "readers": { "members": true } })).await;
    let begin = async |who: &Person, named: Value| {
        let body = json!({ "title": "x", "settings": { "knowledge": named } });
        let (status, answer) = harness.server.post(who, "/api/v1/sessions", &body).await;
        (status.as_u16(), answer["code"].as_str().unwrap_or_default().to_owned())
    };
    let unknown = || (404, "unknown_knowledge".to_owned());
    assert_eq!(begin(&harness.ben, json!(["1"])).await, unknown());
    assert_eq!(begin(&harness.ben, json!(["2", "3"])).await, unknown());
    assert_eq!(begin(&harness.ben, json!(["rules"])).await, unknown());
    assert_eq!(begin(&harness.ben, json!(["2"])).await.0, 201);
    assert_eq!(begin(&harness.ann, json!(["1", "2"])).await.0, 201);
    assert_eq!(begin(&harness.ann, json!([1])).await, (400, "invalid_argument".to_owned()));
    let listed = harness.server.get(&harness.ben, "/api/v1/sessions").await;
    assert_eq!(listed["sessions"].as_array().map(Vec::len), Some(1), "what was refused left nothing");

    let settings = json!({ "title": "x", "settings": { "knowledge": ["2"] } });
    let session = harness.server.session(&harness.ben, &settings).await;
    let set = async |named: Value| {
        let command = json!({ "id": format!("c{}", named.to_string().len()), "do": "set", "data": { "settings": { "knowledge": named } } });
        let path = format!("/api/v1/sessions/{session}/commands");
        let (status, answer) = harness.server.post(&harness.ben, &path, &command).await;
        (status.as_u16(), answer["code"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(set(json!(["2", "1"])).await, unknown());
    harness.request(&harness.ann, Method::PATCH, "/2", r#"{"readers": { "members": false }}"#).await;
    harness.request(&harness.ann, Method::PATCH, "/1", r#"{"readers": { "members": true }}"#).await;
    assert_eq!(set(json!(["2", "1", "1"])).await.0, 200, "what it has already need not be given again");
    let response = harness.server.get(&harness.ben, &format!("/api/v1/sessions/{session}")).await;
    assert_eq!(response["state"]["settings"]["knowledge"], json!(["2", "1", "1"]));
    assert_eq!(set(json!([])).await.0, 200);
    assert_eq!(set(json!(["2"])).await, unknown(), "it has it no more");
}

#[tokio::test]
async fn lists_come_in_pages() {
    let harness = KnowledgeHarness::new().await;
    for name in ["one", "two", "three"] {
        harness.base(json!({ "name": name })).await;
    }
    for name in ["c.md", "a.md", "b%20%26.md"] {
        harness.put(&json!(2), name, "x").await;
    }
    for (list, items, key, all) in [
        ("", "bases", "name", ["one", "two", "three"]),
        ("/2/documents", "documents", "name", ["a.md", "b &.md", "c.md"]),
    ] {
        let page =
            async |query: &str| harness.request(&harness.ann, Method::GET, &format!("{list}?{query}"), "").await.1;
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
            assert_eq!(
                harness.expect_error(&harness.ann, Method::GET, &path, "", 400).await,
                "invalid_argument",
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn bases_survive_a_restart() {
    let harness = KnowledgeHarness::new().await;
    harness.base(json!({ "name": "kept", "readers": { "members": true } })).await;
    harness.put(&json!(1), "a.md", "输错三次密码，账户锁定").await;
    let ben = harness.ben.clone();
    let server = Server::start_in(harness.server.stop().await, |_| {}).await;
    let found = server.get(&ben, "/api/v1/knowledge/1/search?q=%E9%94%81%E5%AE%9A").await;
    assert_eq!(found["hits"][0]["document"], "a.md", "{found}");
    let answer =
        server.as_person(&ben, Method::GET, "/api/v1/knowledge/1/documents/a.md").send().await.expect("answers");
    assert_eq!(answer.text().await.expect("text"), "输错三次密码，账户锁定");
    let listed = server.get(&ben, "/api/v1/knowledge").await;
    assert_eq!(listed["bases"][0]["name"], "kept");
}
