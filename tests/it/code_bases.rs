//! Which code bases a session is given.

use std::sync::Arc;

use reqwest::StatusCode;
use roundtable::identity::Standing;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::server::{Person, Server};

/// A server with these code bases.
async fn with(names: &[String]) -> (Server, Person) {
    let folder = std::env::temp_dir();
    let server = Server::start_with(|config| {
        config.tools.code.roots = names.iter().map(|name| (name.clone(), folder.clone())).collect();
    })
    .await;
    let person = server.person("Ann", Standing::Member).await;
    (server, person)
}

async fn given(server: &Server, session: SessionId) -> Vec<Arc<str>> {
    server.node.orchestrators.state(session).await.expect("is there").view().settings.code.clone()
}

#[tokio::test]
async fn a_session_is_given_all_where_its_maker_does_not_say() {
    let (server, ann) = with(&["server".into(), "web".into()]).await;
    for (settings, names) in [
        (None, vec!["server", "web"]),
        (Some(json!({ "parallel": 3 })), vec!["server", "web"]),
        (Some(json!({ "code": ["web"] })), vec!["web"]),
        (Some(json!({ "code": [] })), vec![]),
    ] {
        let mut body = json!({ "team": "investigator-en" });
        if let Some(settings) = &settings {
            body["settings"] = settings.clone();
        }
        let session = server.session(&ann, &body).await;
        assert_eq!(given(&server, session).await, names.into_iter().map(Arc::from).collect::<Vec<_>>(), "{settings:?}");
    }
    assert_eq!(server.get(&ann, "/api/v1/server").await["code"], json!(["server", "web"]));
}

#[tokio::test]
async fn of_very_many_it_is_given_as_many_as_it_may_have() {
    let names: Vec<String> = (0..40).map(|number| format!("base{number:02}")).collect();
    let (server, ann) = with(&names).await;
    let session = server.session(&ann, &json!({})).await;
    assert_eq!(given(&server, session).await, names[..32].iter().map(|name| Arc::from(&**name)).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_name_that_is_not_there_is_refused_with_those_that_are() {
    let (server, ann) = with(&["server".into(), "web".into()]).await;
    let refused = |(status, said): (StatusCode, Value)| {
        assert_eq!((status, &said["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_argument")), "{said}");
        let words = said["message"].as_str().expect("words");
        assert!(words.contains("no code base \"wbe\"; there are server, web"), "{words}");
    };
    refused(server.post(&ann, "/api/v1/sessions", &json!({ "settings": { "code": ["web", "wbe"] } })).await);
    let session = server.session(&ann, &json!({ "settings": { "code": ["web"] } })).await;
    let path = format!("/api/v1/sessions/{session}/commands");
    let set = |id: &str, code: Value| json!({ "id": id, "do": "set", "data": { "settings": { "code": code } } });
    refused(server.post(&ann, &path, &set("c_1", json!(["wbe"]))).await);
    let (status, said) = server.post(&ann, &path, &set("c_2", json!("web"))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{said}");
    let (status, said) = server.post(&ann, &path, &set("c_3", json!(["server"]))).await;
    assert_eq!(status, StatusCode::OK, "{said}");
    assert_eq!(given(&server, session).await, [Arc::from("server")]);
}
