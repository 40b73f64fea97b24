//! Code bases of a session.

use std::sync::Arc;

use reqwest::StatusCode;
use roundtable::identity::{CredentialKind, Participant, ServerRole, issue};
use roundtable::kernel::{ActorKind, ParticipantId, SessionId, Timestamp};
use roundtable::tool::CallContext;
use roundtable::tool::code::{CodeAccess, CodeBaseSettings, CodeReaderRole, CodeReaderSettings, CodeSettings};
use serde_json::{Value, json};

use crate::server::{Person, Server};

/// Starts a server with these code bases.
async fn start_with_code_bases(names: &[String]) -> (Server, Person) {
    let folder = std::env::temp_dir();
    let server = Server::start_with(|config| {
        config.tools.code.bases = names.iter().map(|name| (name.clone(), (&folder).into())).collect();
    })
    .await;
    let person = server.person("Ann", ServerRole::Member).await;
    (server, person)
}

async fn code_bases_of(server: &Server, session: SessionId) -> Vec<Arc<str>> {
    server.node.session_registry.state(session).await.expect("is there").view().settings.code.clone()
}

#[tokio::test]
async fn a_session_gets_all_code_bases_by_default() {
    let (server, ann) = start_with_code_bases(&["server".into(), "web".into()]).await;
    for (settings, names) in [
        (None, vec!["server", "web"]),
        (Some(json!({ "max_parallel": 3 })), vec!["server", "web"]),
        (Some(json!({ "code": ["web"] })), vec!["web"]),
        (Some(json!({ "code": [] })), vec![]),
    ] {
        let mut body = json!({ "team": "investigator-en" });
        if let Some(settings) = &settings {
            body["settings"] = settings.clone();
        }
        let session = server.session(&ann, &body).await;
        assert_eq!(
            code_bases_of(&server, session).await,
            names.into_iter().map(Arc::from).collect::<Vec<_>>(),
            "{settings:?}"
        );
    }
    assert_eq!(server.get(&ann, "/api/v1/server").await["code"], json!(["server", "web"]));
}

#[tokio::test]
async fn a_session_gets_no_more_code_bases_than_the_maximum() {
    let names: Vec<String> = (0..40).map(|number| format!("base{number:02}")).collect();
    let (server, ann) = start_with_code_bases(&names).await;
    let session = server.session(&ann, &json!({})).await;
    assert_eq!(
        code_bases_of(&server, session).await,
        names[..32].iter().map(|name| Arc::from(&**name)).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn an_unknown_code_base_is_refused_with_the_known_names() {
    let (server, ann) = start_with_code_bases(&["server".into(), "web".into()]).await;
    let refused = |(status, body): (StatusCode, Value)| {
        assert_eq!((status, &body["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_argument")), "{body}");
        let text = body["message"].as_str().expect("text");
        assert!(text.contains("no code base \"wbe\"; there are server, web"), "{text}");
    };
    refused(server.post(&ann, "/api/v1/sessions", &json!({ "settings": { "code": ["web", "wbe"] } })).await);
    let session = server.session(&ann, &json!({ "settings": { "code": ["web"] } })).await;
    let path = format!("/api/v1/sessions/{session}/commands");
    let set = |id: &str, code: Value| json!({ "id": id, "do": "set", "data": { "settings": { "code": code } } });
    refused(server.post(&ann, &path, &set("c_1", json!(["wbe"]))).await);
    let (status, body) = server.post(&ann, &path, &set("c_2", json!("web"))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
    let (status, body) = server.post(&ann, &path, &set("c_3", json!(["server"]))).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    assert_eq!(code_bases_of(&server, session).await, [Arc::from("server")]);
}

#[tokio::test]
async fn a_session_gets_only_code_bases_that_its_creator_can_read() {
    let folder = std::env::temp_dir();
    let base = |role, teams: &[&str]| CodeBaseSettings {
        path: folder.clone(),
        readers: CodeReaderSettings {
            role,
            teams: teams.iter().map(|team| (*team).to_owned()).collect(),
            ..CodeReaderSettings::default()
        },
    };
    let id = ParticipantId(uuid::Uuid::now_v7());
    let server = Server::start_with(|config| {
        let mut named = base(CodeReaderRole::Nobody, &[]);
        named.readers.participants = [id].into();
        config.tools.code.bases = [
            ("all".to_owned(), base(CodeReaderRole::Guest, &[])),
            ("ops".to_owned(), base(CodeReaderRole::Admin, &[])),
            ("own".to_owned(), base(CodeReaderRole::Member, &["investigator-en"])),
            ("vip".to_owned(), named),
            ("web".to_owned(), (&folder).into()),
        ]
        .into();
        config.guest_doors = Some(true);
    })
    .await;
    let cem = Participant { id, ..Participant::new(ActorKind::User, "Cem", ServerRole::Member) };
    server.node.identities.add_participant(&cem, Timestamp::default()).await.expect("adds");
    let token = issue(&*server.node.identities, id, CredentialKind::Token, None).await.expect("issues");
    let cem = Person { participant: cem, token: token.reveal().to_owned() };
    let ann = server.person("Ann", ServerRole::Member).await;
    let ada = server.person("Ada", ServerRole::Admin).await;
    for (who, team, names) in [
        (&ann, "investigator-en", &["all", "own", "web"][..]),
        (&ann, "assistant-en", &["all", "web"]),
        (&cem, "assistant-en", &["all", "vip", "web"]),
        (&ada, "investigator-en", &["all", "ops", "own", "web"]),
    ] {
        let session = server.session(who, &json!({ "team": team })).await;
        assert_eq!(
            code_bases_of(&server, session).await,
            names.iter().map(|name| Arc::from(*name)).collect::<Vec<_>>()
        );
        for name in ["all", "ops", "own", "vip", "web"] {
            let wanted = json!({ "team": team, "settings": { "code": [name] } });
            let (status, body) = server.post(who, "/api/v1/sessions", &wanted).await;
            assert_eq!(
                status == StatusCode::CREATED,
                names.contains(&name),
                "{name} by {}: {body}",
                who.participant.name
            );
        }
    }
    assert_eq!(server.get(&ann, "/api/v1/server").await["code"], json!(["all", "own", "web"]));
    let guests = server.request(reqwest::Method::POST, "/api/orchestrator/tasks/").json(&json!({ "requirement": "x" }));
    let task = crate::server::json(guests.send().await.expect("answers"), StatusCode::CREATED).await;
    let session = task["id"].as_str().expect("an id").parse().expect("an id");
    assert_eq!(code_bases_of(&server, session).await, [Arc::from("all")]);

    // A code base that another participant gave the session stays, although Ann cannot read it. She cannot add such a
    // code base herself.
    let session = server.session(&ada, &json!({ "team": "assistant-en", "settings": { "code": ["ops"] } })).await;
    let path = format!("/api/v1/sessions/{session}/commands");
    let join = json!({ "id": "c_1", "do": "invite", "data": { "participant": ann.participant.id, "role": "owner" } });
    assert_eq!(server.post(&ada, &path, &join).await.0, StatusCode::OK);
    let set = |id: &str, code: Value| json!({ "id": id, "do": "set", "data": { "settings": { "code": code } } });
    assert_eq!(server.post(&ann, &path, &set("c_2", json!(["ops", "vip"]))).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(server.post(&ann, &path, &set("c_3", json!(["ops", "own"]))).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(server.post(&ann, &path, &set("c_4", json!(["ops", "web"]))).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_session_loses_a_code_base_that_none_of_its_participants_can_read() {
    let server = Server::start().await;
    let (ann, ada) = (server.person("Ann", ServerRole::Member).await, server.person("Ada", ServerRole::Admin).await);
    let session = server.session(&ann, &json!({ "team": "assistant-en" })).await;
    let readers = |role, teams: &[&str]| {
        let teams = teams.iter().map(|team| (*team).to_owned()).collect();
        let readers = CodeReaderSettings { role, teams, ..CodeReaderSettings::default() };
        let base = CodeBaseSettings { path: "/srv".into(), readers };
        let settings = CodeSettings { bases: [("web".to_owned(), base)].into(), ..CodeSettings::default() };
        CodeAccess::new(&settings, server.node.identities.clone())
    };
    let call = CallContext { session, team: "assistant-en".into(), ..crate::tools::call_context(&["web", "gone"]) };
    let may = async |access: CodeAccess| !access.readable(&call).await.expect("reads").is_empty();
    assert!(may(readers(CodeReaderRole::Member, &[])).await);
    assert!(may(readers(CodeReaderRole::Member, &["assistant-en"])).await);
    assert!(!may(readers(CodeReaderRole::Member, &["investigator-en"])).await, "it is for other teams now");
    assert!(!may(readers(CodeReaderRole::Admin, &[])).await, "Ann is no administrator");
    let path = format!("/api/v1/sessions/{session}/commands");
    let join = json!({ "id": "c_1", "do": "invite", "data": { "participant": ada.participant.id, "role": "owner" } });
    assert_eq!(server.post(&ann, &path, &join).await.0, StatusCode::OK);
    assert!(may(readers(CodeReaderRole::Admin, &[])).await, "Ada is");
    let disabled = server.node.identities.set_disabled(ada.participant.id, true).await;
    assert!(disabled.expect("writes") && !may(readers(CodeReaderRole::Admin, &[])).await);
}
