//! Expired data that is swept, and data that is never swept.

use reqwest::{Method, StatusCode};
use roundtable::clock;
use roundtable::identity::{CredentialKind, ServerRole, issue};
use roundtable::knowledge::{BaseLimits, BaseReaders, IndexedPassage, NewDocument};
use serde_json::json;

use crate::fresh_database::{FreshDatabase, laws};
use crate::server::Server;
use crate::sse::SseReader;

laws! {
    an_unreadable_text_does_not_block_the_reindexing_of_others,
}

const HOUR: u64 = 60 * 60 * 1000;

#[tokio::test]
async fn sessions_end_a_day_after_their_last_event_but_not_while_they_wait_for_people() {
    let server = Server::start_with(|config| config.sessions.expire_hours = 24).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let idle = server.session(&ann, &json!({ "title": "idle" })).await;
    let waits = server.session(&ann, &json!({ "message": "Write test cases for a payment API" })).await;
    let events = server.as_person(&ann, Method::GET, &format!("/api/v1/sessions/{waits}/events"));
    let mut stream = SseReader::of(events.send().await.expect("answers"));
    while stream.next().await.expect("goes on").data["event"] != "gate.opened" {}

    let status = async |session| {
        let request = server.as_person(&ann, Method::GET, &format!("/api/v1/sessions/{session}/log"));
        request.send().await.expect("answers").status()
    };
    server.node.sweeper.sweep_at(clock::now().plus(23 * HOUR)).await;
    assert_eq!(status(idle).await, StatusCode::OK);
    server.node.sweeper.sweep_at(clock::now().plus(25 * HOUR)).await;
    assert_eq!(status(idle).await, StatusCode::NOT_FOUND);
    assert_eq!(status(waits).await, StatusCode::OK);
}

#[tokio::test]
async fn ended_credentials_are_rejected() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let code =
        issue(&*server.node.identities, ann.participant.id, CredentialKind::SignIn, Some(60)).await.expect("issues");
    server.node.sweeper.sweep_at(clock::now().plus(HOUR)).await;
    let request = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": code.reveal() }));
    assert_eq!(request.send().await.expect("answers").status(), StatusCode::GONE);
    assert_eq!(server.get(&ann, "/api/v1/me").await["you"]["name"], "Ann", "a token without an end stays");
}

#[tokio::test]
async fn expiry_follows_the_clock_of_the_database() {
    let fresh = FreshDatabase::postgres().await;
    let server = Server::start_with(|config| {
        config.database_url = Some(fresh.url.clone());
        config.sessions.expire_hours = 24;
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let idle = server.session(&ann, &json!({ "title": "idle" })).await;
    let path = format!("/api/v1/sessions/{idle}/log");
    let status = async || server.as_person(&ann, Method::GET, &path).send().await.expect("answers").status();
    server.node.sweeper.sweep_now().await;
    assert_eq!(status().await, StatusCode::OK);
    fresh.set_clock_ahead("25 hours").await;
    server.node.sweeper.sweep_now().await;
    assert_eq!(status().await, StatusCode::NOT_FOUND, "the node's own clock says nothing");
}

async fn an_unreadable_text_does_not_block_the_reindexing_of_others(fresh: FreshDatabase) {
    let server = Server::start_with(|config| config.database_url = Some(fresh.url.clone())).await;
    let (ann, store) = (server.person("Ann", ServerRole::Member).await, server.node.knowledge.store());
    let base = store
        .add_base(ann.participant.id, "Rules", "", &BaseReaders::default(), 10)
        .await
        .expect("keeps")
        .expect("has room");
    for name in ["damaged.md", "long.md", "short.md"] {
        let passages = [IndexedPassage::new(1, name.to_owned())];
        let document = NewDocument { name, media_type: "text/plain", content: name, passages: &passages };
        let limits = BaseLimits { documents: 10, bytes: 1_000 };
        assert!(store.put_document(base, &document, limits).await.expect("keeps").is_some());
    }
    fresh.execute_sql("update texts set edition = 1").await;
    fresh.execute_sql("update passages set line = -1 where words = 'damaged.md'").await;
    let first = store.outdated(None).await.expect("reads");
    server.node.sweeper.refresh_terms().await;
    assert!(first.is_some() && store.outdated(None).await.expect("reads") == first);
    assert_eq!(store.outdated(first).await.expect("reads"), None);
}
