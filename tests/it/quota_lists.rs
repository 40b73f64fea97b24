//! Monthly quotas and their usage over HTTP: a person's own, those of a session, and the lists for administrators.

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::server::{Person, Server, with_timeout};

/// Runs a session of this person to the end of its first run, and returns its id.
async fn run_session(server: &Server, who: &Person, team: &str) -> String {
    let id = server.session(who, &json!({ "team": team })).await.to_string();
    let command = json!({ "id": Uuid::now_v7(), "do": "say", "data": { "text": "Hello" } });
    let path = format!("/api/v1/sessions/{id}");
    assert_eq!(server.post(who, &format!("{path}/commands"), &command).await.0, StatusCode::OK);
    let completed = async {
        while server.get(who, &path).await["state"]["run"]["phase"] != "completed" {
            tokio::task::yield_now().await;
        }
    };
    with_timeout(completed).await;
    id
}

#[tokio::test]
async fn people_see_their_own_quota_and_administrators_see_all() {
    let server = Server::start_with(|config| config.quotas.max_month_tokens = Some(1_000_000)).await;
    let root = server.person("Root", ServerRole::Admin).await;
    let (ann, ben) = (server.person("Ann", ServerRole::Member).await, server.person("Ben", ServerRole::Member).await);
    let own = async |who: &Person| server.get(who, "/api/v1/me/quotas").await["quotas"][0].take();
    let unused = own(&ann).await;
    assert_eq!(
        (&unused["tokens"], &unused["max_tokens"], &unused["name"]),
        (&json!(0), &json!(1_000_000), &json!("Ann"))
    );
    let session = run_session(&server, &ann, "assistant-en").await;
    run_session(&server, &ann, "assistant-en").await;
    run_session(&server, &ben, "assistant-en").await;
    let (anns, bens) = (own(&ann).await, own(&ben).await);
    assert!(anns["tokens"].as_u64() > bens["tokens"].as_u64() && bens["tokens"].as_u64() > Some(0), "{anns} {bens}");

    let list = async |query: &str| server.get(&root, &format!("/api/v1/quotas?{query}")).await;
    let first = list("subject=participant&limit=1").await;
    assert_eq!(first["quotas"], json!([anns]), "most tokens first, with the same content");
    assert!(first["renews_at"].as_str().is_some_and(|at| at.contains("-01T00:00:00.000Z")), "{first}");
    let second = list(&format!("subject=participant&before={}", first["next"].as_str().expect("a page"))).await;
    assert_eq!((&second["quotas"], &second["next"]), (&json!([bens]), &Value::Null));
    let sessions = list("subject=session").await["quotas"].take();
    assert!(sessions.as_array().is_some_and(|all| all.len() == 3), "{sessions}");
    assert!(sessions.as_array().is_some_and(|all| all.iter().any(|one| one["id"] == json!(session))), "{sessions}");
    assert_eq!(sessions[0]["name"], Value::Null, "administrators need not be in it");
    let teams = list("subject=team").await["quotas"].take();
    let team = server.get(&ann, &format!("/api/v1/sessions/{session}")).await["state"]["team"]["name"].take();
    let tokens = anns["tokens"].as_u64().zip(bens["tokens"].as_u64()).map(|(anns, bens)| anns + bens);
    assert_eq!((&teams[0]["name"], teams[0]["tokens"].as_u64()), (&team, tokens));

    for query in ["", "?subject=everything", "?subject=team&before=nothing"] {
        let answer = server.as_person(&root, Method::GET, &format!("/api/v1/quotas{query}")).send().await;
        assert_eq!(answer.expect("answers").status(), StatusCode::BAD_REQUEST, "{query}");
    }
}

#[tokio::test]
async fn a_session_shows_the_quotas_that_limit_its_runs() {
    let server = Server::start_with(|config| config.quotas.max_session_month_cost_micros = Some(7)).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = run_session(&server, &ann, "assistant-en").await;
    let shown = server.get(&ann, &format!("/api/v1/sessions/{session}/quotas")).await["quotas"].take();
    let quotas = shown.as_array().expect("a list");
    assert_eq!(quotas.len(), 1, "participants and teams have no limit: {shown}");
    assert_eq!(
        (&quotas[0]["subject"], &quotas[0]["id"], &quotas[0]["max_cost_micros"], &quotas[0]["max_tokens"]),
        (&json!("session"), &json!(session), &json!(7), &Value::Null)
    );
    assert!(quotas[0]["tokens"].as_u64() > Some(0), "{shown}");
}

#[tokio::test]
async fn a_token_for_one_session_shows_no_usage_of_others() {
    let server = Server::start_with(|config| {
        config.quotas.max_month_tokens = Some(1_000_000);
        config.quotas.max_session_month_tokens = Some(1_000_000);
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = run_session(&server, &ann, "assistant-en").await;
    let subjects = async |who: &Person| {
        let shown = server.get(who, &format!("/api/v1/sessions/{session}/quotas")).await["quotas"].take();
        let quotas = shown.as_array().expect("a list").clone();
        quotas.iter().map(|quota| quota["subject"].as_str().expect("a subject").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(subjects(&ann).await, ["participant", "session"]);
    let body = json!({ "label": "script", "scope": { "sessions": [session] } });
    let (status, made) = server.post(&ann, "/api/v1/me/tokens", &body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let token = made["token"].as_str().expect("a token").to_owned();
    let script = Person { participant: ann.participant.clone(), token };
    assert_eq!(subjects(&script).await, ["session"]);
    let own = server.as_person(&script, Method::GET, "/api/v1/me/quotas").send().await.expect("answers");
    let (status, body) = (own.status(), own.json::<Value>().await.expect("JSON"));
    assert_eq!((status, &body["code"]), (StatusCode::FORBIDDEN, &json!("token_scope")));
    assert!(!body.to_string().contains("credentials"), "the reason is not about changes: {body}");
}
