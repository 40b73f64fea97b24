//! Links that require a knock: an owner answers before anyone joins.

use reqwest::{Method, StatusCode};
use roundtable::audit::{AuditAction, AuditQuery};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::kernel::{SessionId, View};
use roundtable::limits::RateLimit;
use serde_json::{Value, json};

use crate::links::{accept, link, secret};
use crate::server::{self, Person, Server};

struct KnockHarness {
    server: Server,
    ann: Person,
    session: SessionId,
    secret: String,
}

async fn start(settings: impl FnOnce(&mut Config)) -> KnockHarness {
    let server = Server::start_with(settings).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let made = link(&server, &ann, session, json!({ "role": "member", "knock": true })).await;
    assert_eq!((&made["knock"], &made["max_uses"]), (&json!(true), &Value::Null));
    let secret = secret(&made).to_owned();
    KnockHarness { server, ann, session, secret }
}

impl KnockHarness {
    /// Knocks as a new person. Returns their cookie and id.
    async fn knock(&self, name: &str) -> (String, String) {
        let answer = accept(&self.server, &self.secret, name).await;
        let set = answer.headers()["set-cookie"].to_str().expect("text").to_owned();
        let answer = server::json(answer, StatusCode::ACCEPTED).await;
        assert_eq!(answer["waiting"], true);
        let cookie = set.split(';').next().expect("a pair").to_owned();
        (cookie, answer["you"]["id"].as_str().expect("an id").to_owned())
    }

    async fn get(&self, cookie: &str, path: &str) -> (StatusCode, Value) {
        let path = format!("/api/v1/sessions/{}{path}", self.session);
        let answer = self.server.request(Method::GET, &path).header("cookie", cookie).send().await.expect("answers");
        (answer.status(), answer.json().await.expect("JSON"))
    }

    async fn submit(&self, command: &str, who: &str) {
        let frame = json!({ "id": uuid::Uuid::now_v7(), "do": command, "data": { "participant": who } });
        let path = format!("/api/v1/sessions/{}/commands", self.session);
        let (status, answer) = self.server.post(&self.ann, &path, &frame).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
    }
}

#[tokio::test]
async fn a_knocking_participant_sees_nothing_until_admitted() {
    let harness = start(|_| {}).await;
    let (cookie, id) = harness.knock("Eve").await;
    assert_eq!(harness.get(&cookie, "").await.1["code"], "unknown_session");
    assert_eq!(harness.get(&cookie, "/knock").await.1, json!({ "state": "waiting" }));
    let response = harness.server.get(&harness.ann, &format!("/api/v1/sessions/{}", harness.session)).await;
    let knock = &response["state"]["knocks"][0];
    assert_eq!((&knock["participant"], &knock["name"], &knock["role"]), (&json!(id), &json!("Eve"), &json!("member")));

    harness.submit("admit", &id).await;
    assert_eq!(harness.get(&cookie, "/knock").await.1, json!({ "state": "admitted", "role": "member" }));
    assert_eq!(harness.get(&cookie, "").await.1["role"], "member");
    let response = harness.server.get(&harness.ann, &format!("/api/v1/sessions/{}", harness.session)).await;
    assert_eq!(response["state"]["knocks"], Value::Null);
}

#[tokio::test]
async fn a_declined_participant_learns_only_of_the_refusal() {
    let harness = start(|_| {}).await;
    let (cookie, id) = harness.knock("Eve").await;
    harness.submit("refuse", &id).await;
    assert_eq!(harness.get(&cookie, "/knock").await.1, json!({ "state": "refused" }));
    assert_eq!(harness.get(&cookie, "").await.1["code"], "unknown_session");
    let again = harness.server.request(Method::POST, "/api/v1/invites/accept").header("cookie", &cookie);
    let again = again.json(&json!({ "secret": harness.secret })).send().await.expect("answers");
    assert_eq!(again.status(), StatusCode::FORBIDDEN);

    let query = AuditQuery { action: Some(AuditAction::KnockDecided), limit: 10, ..AuditQuery::default() };
    server::with_timeout(harness.server.node.audit.flush()).await;
    let entries = harness.server.node.audit.store().audit_entries(&query).await.expect("reads");
    assert_eq!((entries.len(), entries[0].subject.as_deref()), (1, Some(&*id)));
}

#[tokio::test]
async fn a_stranger_learns_nothing_about_the_session() {
    let harness = start(|_| {}).await;
    let eve = harness.server.person("Eve", ServerRole::Member).await;
    let path = format!("/api/v1/sessions/{}/knock", harness.session);
    let answer = harness.server.as_person(&eve, Method::GET, &path).send().await.expect("answers");
    assert_eq!(server::json(answer, StatusCode::NOT_FOUND).await["code"], "unknown_session");
}

#[tokio::test]
async fn a_flood_of_knocks_is_bounded() {
    let plenty = std::num::NonZeroU32::new(1_000).expect("a number");
    let pace = RateLimit { burst: plenty, per_second: plenty };
    let harness = start(|config| config.rate_limits.newcomer = pace).await;
    for _ in 0..View::KNOCKS {
        harness.knock("Eve").await;
    }
    let one_more = accept(&harness.server, &harness.secret, "Eve").await;
    assert_eq!(server::json(one_more, StatusCode::CONFLICT).await["code"], "session_full");
    let response = harness.server.get(&harness.ann, &format!("/api/v1/sessions/{}", harness.session)).await;
    assert_eq!(response["state"]["participants"].as_array().expect("a list").len(), 1);
}

#[tokio::test]
async fn a_repeated_knock_uses_the_link_once_and_reveals_no_title() {
    let server = Server::start().await;
    let (ann, ben) = (server.person("Ann", ServerRole::Member).await, server.person("Ben", ServerRole::Member).await);
    let session = server.session(&ann, &json!({ "title": "Acquisition of Acme" })).await;
    let made = link(&server, &ann, session, json!({ "role": "member", "knock": true, "max_uses": 2 })).await;
    let response = json!({ "secret": secret(&made) });
    let (_, preview) = server.post(&ben, "/api/v1/invites/preview", &response).await;
    assert_eq!((&preview["title"], &preview["invited_by"]), (&Value::Null, &json!("Ann")), "{preview}");
    for _ in 0..3 {
        let (status, answer) = server.post(&ben, "/api/v1/invites/accept", &response).await;
        assert_eq!((status, &answer["waiting"]), (StatusCode::ACCEPTED, &json!(true)), "{answer}");
    }
    assert_eq!(accept(&server, secret(&made), "Eve").await.status(), StatusCode::ACCEPTED, "one use is left");
    assert_eq!(accept(&server, secret(&made), "Fay").await.status(), StatusCode::GONE);
}
