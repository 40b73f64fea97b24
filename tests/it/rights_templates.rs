//! Templates of rights that an operator offers: they are listed, can be chosen when a session is created, and one of
//! them can be the server's default.

use reqwest::StatusCode;
use roundtable::config::RightsTemplate;
use roundtable::identity::ServerRole;
use roundtable::kernel::{Right, RightAccess, RightRule, Role};
use serde_json::{Value, json};

use crate::server::{Person, Server};

/// Starts a server with two templates, and with this one as its default.
async fn server(default: Option<&str>) -> Server {
    let rule = |role, right, access| RightRule { role, right, access };
    let review = RightsTemplate {
        title: Some("Review only".into()),
        rights: vec![rule(Role::Member, Right::Steer, RightAccess::Ask)],
    };
    let open = RightsTemplate { title: None, rights: vec![rule(Role::Viewer, Right::Say, RightAccess::Allow)] };
    Server::start_with(|config| {
        config.rights_templates = [("review".to_owned(), review), ("open".to_owned(), open)].into();
        config.sessions.rights_template = default.map(str::to_owned);
    })
    .await
}

async fn rights_of_new_session(server: &Server, who: &Person, body: Value) -> Value {
    let session = server.session(who, &body).await;
    server.get(who, &format!("/api/v1/sessions/{session}")).await["state"]["settings"]["rights"].take()
}

#[tokio::test]
async fn templates_are_listed_and_chosen_for_a_new_session() {
    let server = server(None).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let review = json!([{ "role": "member", "right": "steer", "access": "ask" }]);
    let open = json!([{ "role": "viewer", "right": "say", "access": "allow" }]);
    let listed = server.get(&ann, "/api/v1/server").await["rights_templates"].take();
    assert_eq!(
        listed,
        json!([{ "name": "open", "title": "open", "rights": open, "default": false },
               { "name": "review", "title": "Review only", "rights": review, "default": false }])
    );
    assert_eq!(rights_of_new_session(&server, &ann, json!({})).await, Value::Null);
    assert_eq!(rights_of_new_session(&server, &ann, json!({ "rights_template": "review" })).await, review);
    let settings = json!({ "max_retries": 1 });
    let body = json!({ "rights_template": "open", "settings": settings });
    assert_eq!(rights_of_new_session(&server, &ann, body).await, open);
    for wrong in
        [json!({ "rights_template": "reviw" }), json!({ "rights_template": "review", "settings": { "rights": open } })]
    {
        let (status, body) = server.post(&ann, "/api/v1/sessions", &wrong).await;
        assert_eq!((status, &body["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_argument")), "{wrong}");
    }
}

#[tokio::test]
async fn the_default_template_applies_without_a_template_and_without_rights() {
    let server = server(Some("review")).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let review = json!([{ "role": "member", "right": "steer", "access": "ask" }]);
    assert_eq!(rights_of_new_session(&server, &ann, json!({})).await, review);
    let open = json!([{ "role": "viewer", "right": "say", "access": "allow" }]);
    assert_eq!(rights_of_new_session(&server, &ann, json!({ "rights_template": "open" })).await, open);
    assert_eq!(rights_of_new_session(&server, &ann, json!({ "settings": { "rights": [] } })).await, Value::Null);
    let listed = server.get(&ann, "/api/v1/server").await["rights_templates"].take();
    assert_eq!((&listed[0]["default"], &listed[1]["default"]), (&json!(false), &json!(true)));
}
