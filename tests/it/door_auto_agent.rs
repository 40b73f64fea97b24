//! The door `auto_agent`: the agent types and messages of its document, over HTTP against a complete server.

use reqwest::{Method, Response, StatusCode};
use roundtable::config::Config;
use roundtable::demo_model::Mistake;
use roundtable::identity::ServerRole;
use roundtable::tool::code::{CodeBaseSettings, CodeReaderRole};
use serde_json::{Value, json};

use crate::server::{self, Server};
use crate::sse::SseReader;

async fn send(server: &Server, body: &Value) -> Response {
    server.request(Method::POST, "/AutoAgent").json(body).send().await.expect("answers")
}

async fn lines(server: &Server, body: &Value) -> Vec<Value> {
    let answer = send(server, body).await;
    assert!(answer.headers()["x-session-id"].to_str().is_ok_and(|id| id.starts_with("s_")));
    SseReader::of(answer).rest().await.into_iter().map(|sent| sent.data).collect()
}

fn kind(line: &Value) -> &str {
    line["responseType"].as_str().expect("a type")
}

/// Returns the types of the complete messages, in order.
fn outline(lines: &[Value]) -> Vec<&str> {
    lines.iter().filter(|line| line["isFinal"] == true).map(kind).collect()
}

#[tokio::test]
async fn without_deep_thought_one_agent_answers_at_once() {
    // Only connected readers receive fragments, so the agent must not start to write before the stream starts.
    let server = Server::start_with(|config| config.demo.delay_ms = 300).await;
    let body = json!({ "traceId": "t-1", "user": "zhang", "query": "天空为什么是蓝色的？", "deepThink": 0 });
    let lines = lines(&server, &body).await;
    assert_eq!(outline(&lines), ["agent_stream", "result"]);
    let whole = &lines[lines.len() - 2];
    let fragments = lines.iter().filter(|line| line["isFinal"] == false);
    let written: String = fragments.map(|line| line["result"].as_str().expect("text")).collect();
    assert_eq!(whole["result"], *written, "what came in pieces is the whole");
    for line in &lines {
        assert_eq!(line["requestId"], "t-1");
        assert_eq!((&line["packageType"], &line["status"]), (&json!("result"), &json!("success")));
        assert_eq!(line["resultMap"]["agentType"], 5);
        assert_eq!(line["resultMap"]["eventData"]["messageType"], line["responseType"]);
        assert_eq!(line["finished"], kind(line) == "result", "{line}");
    }
    let first = &lines[0];
    assert_eq!(first["messageId"], whole["messageId"]);
    assert_eq!(lines.last().expect("the end")["resultMap"]["taskSummary"], whole["result"]);
}

#[tokio::test]
async fn with_deep_thought_a_plan_is_made_and_carried_out() {
    let server = Server::start().await;
    let body = json!({ "requestId": "r-1", "erp": "zhang", "query": "比较三种会话存储方案", "deepThink": 1, "isStream": false });
    let lines = lines(&server, &body).await;
    assert!(lines.iter().all(|line| line["isFinal"] == true), "nothing comes in pieces");
    let of = |wanted: &str| lines.iter().filter(|line| kind(line) == wanted).collect::<Vec<_>>();
    let plans = of("plan");
    let steps = plans[0]["resultMap"]["steps"].as_array().expect("steps").len();
    assert_eq!(plans[0]["resultMap"]["stepStatus"], json!(vec!["not_started"; steps]));
    let last = &plans.last().expect("a plan")["resultMap"];
    assert_eq!(last["stepStatus"], json!(vec!["completed"; steps]));
    let (tasks, summaries) = (of("task"), of("task_summary"));
    assert!(tasks.len() >= steps && tasks.len() == summaries.len(), "{} {}", tasks.len(), summaries.len());
    assert!(summaries[0]["resultMap"]["taskSummary"].is_string() && summaries[0]["resultMap"]["fileList"].is_array());
    assert_eq!(summaries[0]["resultMap"]["agentType"], 3);
    let end = lines.last().expect("the end");
    assert_eq!((kind(end), &end["finished"]), ("result", &json!(true)));
    assert!(end["resultMap"]["taskSummary"].as_str().is_some_and(|text| !text.is_empty()));
}

#[tokio::test]
async fn every_agent_type_has_its_team() {
    let server = Server::start().await;
    for number in 1..=5 {
        let lines = lines(&server, &json!({ "query": "Why is the sky blue?", "agentType": number })).await;
        let end = lines.last().expect("the end");
        assert_eq!((kind(end), &end["status"]), ("result", &json!("success")), "{number}");
        assert_eq!(end["resultMap"]["agentType"], number);
        assert!(end["resultMap"]["taskSummary"].as_str().is_some_and(|text| !text.is_empty()), "{number}: {end}");
    }
}

#[tokio::test]
async fn tool_calls_are_shown_with_their_arguments_and_results() {
    let code = tempfile::tempdir().expect("makes a folder");
    std::fs::write(code.path().join("login.rs"), "fn login() {}\n").expect("writes");
    let path = code.path().to_owned();
    let with = |config: &mut Config| {
        let mut shop = CodeBaseSettings::from(path);
        shop.readers.role = CodeReaderRole::Guest;
        config.tools.code.bases.insert("shop".into(), shop);
    };
    let server = Server::start_with(with).await;
    let query = "What is in there?\n/tool code_list {\"path\":\"shop\"}";
    let lines = lines(&server, &json!({ "query": query, "deepThink": 0 })).await;
    let result = lines.iter().find(|line| kind(line) == "tool_result").expect("a tool's result");
    let map = &result["resultMap"];
    assert_eq!((&map["toolName"], &map["toolParam"]), (&json!("code_list"), &json!({ "path": "shop" })));
    assert_eq!(map["toolResult"], "shop/login.rs\n[1 entry]");
    assert_eq!(lines.last().map(kind), Some("result"));
}

#[tokio::test]
async fn the_next_request_in_a_session_answers_what_the_agent_asks() {
    let server = Server::start().await;
    let ask = "/tool ask_people {\"question\":\"Which one?\"}";
    let answer = send(&server, &json!({ "requestId": "r-1", "query": ask, "deepThink": 0 })).await;
    let session = answer.headers()["x-session-id"].to_str().expect("text").to_owned();
    let mut first = SseReader::of(answer);
    loop {
        let line = first.next().await.expect("the question").data;
        if line["content"] == "Which one?" {
            break;
        }
    }
    // The mentioned agent does not exist; the message still goes to the agent that asked.
    let next = json!({ "requestId": "r-2", "sessionId": session, "query": "@nobody: the blue one" });
    let second = lines(&server, &next).await;
    let end = second.last().expect("the end");
    assert_eq!((&end["requestId"], &end["finished"]), (&json!("r-2"), &json!(true)));
    assert!(end["resultMap"]["taskSummary"].as_str().is_some_and(|text| text.contains("the blue one")), "{end}");
    assert!(second.iter().all(|line| line["content"] != "Which one?"), "what was told is not told again");
    assert_eq!(first.rest().await.last().expect("the end").data["requestId"], "r-1", "the first stream ends as well");

    let third = json!({ "requestId": "r-3", "sessionId": session, "query": "Why is the sky blue?" });
    assert_eq!(outline(&lines(&server, &third).await).last(), Some(&"result"));
}

#[tokio::test]
async fn artifacts_are_available_to_everyone_with_access() {
    let server = Server::start().await;
    let lines = lines(&server, &json!({ "query": "Why is the sky blue?", "agentType": 1 })).await;
    let made = &lines.last().expect("the end")["resultMap"]["fileList"][0];
    let url = made["downloadUrl"].as_str().unwrap_or_else(|| panic!("a file: {made}"));
    let got = server.request(Method::GET, url).send().await.expect("answers");
    assert_eq!(
        (got.status(), got.bytes().await.expect("a body").len() as u64),
        (StatusCode::OK, made["fileSize"].as_u64().expect("a size"))
    );
    let ann = server.person("Ann", ServerRole::Member).await;
    let refused = server.as_person(&ann, Method::GET, url).send().await.expect("answers");
    assert_eq!(refused.status(), StatusCode::NOT_FOUND, "it is the guest's session");
}

#[tokio::test]
async fn the_result_is_the_final_answer_even_if_others_spoke_later() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({ "team": "brain-en" })).await;
    let ask = async |query: &str| {
        let body = json!({ "sessionId": session, "query": query });
        SseReader::of(server.as_person(&ann, Method::POST, "/AutoAgent").json(&body).send().await.expect("answers"))
    };
    let mut first = ask("Test cases for the login page").await;
    while !first.next().await.expect("a gate").data["content"].as_str().is_some_and(|text| text.contains("a plan")) {}
    let rest = ask("approve").await.rest().await;
    let end = &rest.last().expect("the end").data;
    assert!(end["resultMap"]["taskSummary"].as_str().is_some_and(|text| text.contains("TC-01")), "{end}");
}

#[tokio::test]
async fn a_run_that_was_stopped_by_a_limit_is_reported_as_failed() {
    let mistaken = |config: &mut Config| config.demo.mistake = Some(Mistake::Endless);
    let server = Server::start_with(mistaken).await;
    let lines = lines(&server, &json!({ "query": "Why is the sky blue?", "deepThink": 0 })).await;
    let end = lines.last().expect("the end");
    assert_eq!((kind(end), &end["status"], &end["finished"]), ("result", &json!("failed"), &json!(true)));
    assert!(end["errorMsg"].as_str().is_some_and(|text| text.contains("turn limit")), "{end}");
}

#[tokio::test]
async fn the_history_precedes_the_query() {
    let server = Server::start().await;
    let history =
        json!([{ "role": "user", "content": "My name is Ann." }, { "role": "assistant", "content": "Hello Ann." }]);
    let body = json!({ "query": "What is my name?", "messages": history, "basePrompt": "Be brief." });
    lines(&server, &body).await;
    let requests = server.demo().requests();
    let text = requests[0].messages.last().expect("text")["content"].as_str().expect("a text");
    let mut quoted = text
        .split("\n\n")
        .filter_map(|entry| entry.split_once("role=owner guest=true name="))
        .map(|(_, quoted)| quoted);
    let guest = quoted.next().expect("the instructions").split_once("]\n| ").expect("an entry");
    assert!(guest.0.ends_with(" relays=system") && guest.1 == "Be brief.", "{text}");
    let names: Vec<&str> = quoted.map(|quoted| quoted.rsplit_once('"').expect("a name").1).collect();
    assert_eq!(
        names,
        [" relays=user]\n| My name is Ann.", " relays=assistant]\n| Hello Ann.", "]\n| What is my name?"]
    );
    assert!(!requests[0].system().expect("a prompt").contains("Be brief."), "its sender's words, not the team's");
}

#[tokio::test]
async fn a_picture_of_the_history_is_shown_to_the_agent_with_its_message() {
    let server = Server::start().await;
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    let history = json!([
        { "role": "user", "content": "This is my cat.", "base64Image": png },
        { "role": "user", "base64Image": format!("data:image/png;base64,{png}") },
    ]);
    let answer = send(&server, &json!({ "query": "What is my cat called?", "messages": history })).await;
    let session = answer.headers()["x-session-id"].to_str().expect("text").to_owned();
    SseReader::of(answer).rest().await;
    let requests = server.demo().requests();
    let parts = requests[0].messages.last().expect("text")["content"].as_array().expect("parts").clone();
    assert_eq!(parts.iter().filter(|part| part["type"] == "image_url").count(), 2, "{parts:?}");
    for name in ["message-1.png", "message-2.png"] {
        let path = format!("/AutoAgent/files/{session}/{name}");
        let got = server.request(Method::GET, &path).send().await.expect("answers");
        assert_eq!(got.status(), StatusCode::OK, "{name}");
    }
}

#[tokio::test]
async fn a_task_lists_the_files_that_it_produced() {
    let server = Server::start().await;
    let report = json!({ "title": "Figures", "markdown": "Flat." });
    let body =
        json!({ "query": format!("Compare three ways to keep sessions\n/tool report {report}"), "deepThink": 1 });
    let lines = lines(&server, &body).await;
    let summaries = lines.iter().filter(|line| kind(line) == "task_summary" && line["isFinal"] == true);
    let files: Vec<usize> =
        summaries.map(|line| line["resultMap"]["fileList"].as_array().expect("files").len()).collect();
    assert!(files[0] > 0 && files[1..].iter().all(|count| *count == 0), "{files:?}");
}

#[tokio::test]
async fn impossible_requests_are_rejected() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let body = json!({ "team": "assistant-en", "message": "Why is the sky blue?" });
    let hers = server.session(&ann, &body).await;
    for (body, status) in [
        (json!({}), StatusCode::BAD_REQUEST),
        (json!({ "query": " " }), StatusCode::BAD_REQUEST),
        (json!({ "query": "x", "agentType": 6 }), StatusCode::BAD_REQUEST),
        (json!({ "query": "x", "sessionId": "x" }), StatusCode::BAD_REQUEST),
        (json!({ "query": "x", "output": "html" }), StatusCode::BAD_REQUEST),
        (json!({ "query": "x", "messages": [{ "role": "user", "content": "" }] }), StatusCode::BAD_REQUEST),
        (json!({ "query": "x", "messages": [{ "role": "user", "base64Image": "x" }] }), StatusCode::BAD_REQUEST),
        (json!({ "query": "x", "sessionId": hers }), StatusCode::NOT_FOUND),
    ] {
        let refused = server::json(send(&server, &body).await, status).await;
        assert!(refused["detail"].is_string(), "{refused}");
    }
}
