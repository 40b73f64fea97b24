//! Budgets of sessions over REST: the setting, the gate, the raise, and the end of the run.

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::server::{Person, Server};
use crate::sse::SseReader;

/// Returns the data and the seq of the first event with this name after `seq`.
async fn event(server: &Server, who: &Person, session: SessionId, name: &str, seq: u64) -> (Value, u64) {
    let path = format!("/api/v1/sessions/{session}/events?after={seq}");
    let mut stream = SseReader::of(server.as_person(who, Method::GET, &path).send().await.expect("answers"));
    loop {
        let sent = stream.next().await.expect("goes on");
        if sent.data["event"] == name {
            return (sent.data["data"].clone(), sent.data["seq"].as_u64().expect("a seq"));
        }
    }
}

async fn command(server: &Server, who: &Person, session: SessionId, command: Value) -> (StatusCode, Value) {
    server.post(who, &format!("/api/v1/sessions/{session}/commands"), &command).await
}

#[tokio::test]
async fn people_raise_a_budget_or_end_the_run() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let settings = json!({ "budget": { "max_tokens": 1 } });
    let wanted = json!({ "title": "Refunds", "message": "write test cases for refunds", "settings": settings });
    let session = server.session(&ann, &wanted).await;
    let (opened, seq) = event(&server, &ann, session, "gate.opened", 0).await;
    let gate = &opened["gate"];
    assert_eq!((&gate["kind"], &gate["allow"]), (&json!("budget"), &json!(["approve", "edit", "reject"])), "{gate}");
    let response = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
    let usage = response["state"]["usage_by_agent"].as_array().expect("a list");
    let count =
        |totals: &Value| totals["input_tokens"].as_u64().unwrap_or(0) + totals["output_tokens"].as_u64().unwrap_or(0);
    let used: u64 = usage.iter().map(count).sum();
    assert_eq!(usage.iter().map(|totals| totals["turns"].as_u64().unwrap_or(0)).sum::<u64>(), 1, "one request");
    assert!(gate["budget"]["max_tokens"].as_u64().is_some_and(|raised| raised > used && raised <= 2 * used), "{gate}");

    let vote = |id: &str, choice: &str, gate: &Value, edit: Option<Value>| {
        let mut data = json!({ "gate": gate["id"], "choice": choice });
        if let Some(edit) = edit {
            data["edit"] = edit;
        }
        json!({ "id": id, "do": "vote", "data": data, "expect": { "rev": gate["rev"] } })
    };
    let low = vote("v1", "approve", gate, Some(json!({ "max_tokens": used })));
    let (status, refused) = command(&server, &ann, session, low).await;
    assert_eq!((status, &refused["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_argument")), "{refused}");
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("set a higher limit")), "{refused}");
    let raise = vote("v2", "approve", gate, Some(json!({ "max_tokens": used + 1 })));
    assert_eq!(command(&server, &ann, session, raise).await.0, StatusCode::OK);
    let (updated, seq) = event(&server, &ann, session, "session.updated", seq).await;
    assert_eq!(updated["changed"], json!(["budget"]));
    assert_eq!(updated["settings"]["budget"]["max_tokens"], json!(used + 1));

    // The reviewer's turn uses up the raised budget.
    let (opened, seq) = event(&server, &ann, session, "gate.opened", seq).await;
    if opened["gate"]["kind"] == "feedback" {
        let again = json!({ "id": "s1", "do": "say", "data": { "text": "add boundary tests" } });
        assert_eq!(command(&server, &ann, session, again).await.0, StatusCode::OK);
    }
    let (opened, seq) = match opened["gate"]["kind"].as_str() {
        Some("budget") => (opened, seq),
        _ => event(&server, &ann, session, "gate.opened", seq).await,
    };
    assert_eq!(opened["gate"]["kind"], "budget");
    let end = vote("v3", "reject", &opened["gate"], None);
    assert_eq!(command(&server, &ann, session, end).await.0, StatusCode::OK);
    let (finished, _) = event(&server, &ann, session, "run.finished", seq).await;
    assert_eq!(finished["reason"], "budget");
}

#[tokio::test]
async fn a_budget_without_a_limit_is_refused_with_a_reason() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let cases = [
        (json!({}), "max_tokens or max_cost_micros"),
        (json!({ "max_tokens": 0 }), "between 1 and"),
        (json!({ "max_tokens": 10, "max_turn_tokens": 9_999 }), "between 10000 and"),
        (json!({ "tokens": 10 }), "unknown field"),
    ];
    for (budget, reason) in cases {
        let wanted = json!({ "settings": { "budget": budget } });
        let (status, refused) = server.post(&ann, "/api/v1/sessions", &wanted).await;
        assert_eq!((status, &refused["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_argument")), "{refused}");
        assert!(refused["message"].as_str().is_some_and(|text| text.contains(reason)), "{refused}");
    }
}

#[tokio::test]
async fn agents_use_only_models_that_the_server_lists() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let about = server.get(&ann, "/api/v1/server").await;
    let listed = about["models"][0]["name"].clone();
    assert_eq!(listed, about["model"]["name"], "{about}");

    let unlisted = |refused: &Value| {
        let text = refused["message"].as_str().expect("a message");
        refused["code"] == "invalid_argument" && text.contains(listed.as_str().expect("a name"))
    };
    let wanted = json!({ "settings": { "model": "x/unlisted" } });
    let (status, refused) = server.post(&ann, "/api/v1/sessions", &wanted).await;
    assert!(status == StatusCode::BAD_REQUEST && unlisted(&refused), "{refused}");
    let settings = json!({ "budget": { "max_tokens": 1 } });
    let wanted = json!({ "title": "Refunds", "message": "write test cases for refunds", "settings": settings });
    let session = server.session(&ann, &wanted).await;
    let set = json!({ "id": "m1", "do": "set", "data": { "settings": { "model": "x/unlisted" } } });
    let (status, refused) = command(&server, &ann, session, set).await;
    assert!(status == StatusCode::BAD_REQUEST && unlisted(&refused), "{refused}");

    let (opened, seq) = event(&server, &ann, session, "gate.opened", 0).await;
    let vote = |id: &str, model: &Value| {
        let data = json!({ "gate": opened["gate"]["id"], "choice": "approve", "edit": { "model": model } });
        json!({ "id": id, "do": "vote", "data": data, "expect": { "rev": opened["gate"]["rev"] } })
    };
    let (status, refused) = command(&server, &ann, session, vote("v1", &json!("x/unlisted"))).await;
    assert!(status == StatusCode::BAD_REQUEST && unlisted(&refused), "{refused}");
    assert_eq!(command(&server, &ann, session, vote("v2", &listed)).await.0, StatusCode::OK);
    let (updated, _) = event(&server, &ann, session, "session.updated", seq).await;
    assert_eq!((&updated["changed"], &updated["settings"]["model"]), (&json!(["budget", "model"]), &listed));
}
