//! The door `analyze`: the flow of its document, over HTTP against a complete server.

use std::sync::Arc;

use reqwest::{Method, Response, StatusCode};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::tool::code::{CodeBaseSettings, CodeReaderRole};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{self, Server};
use crate::sse::{SseEvent, SseReader};

const STREAM: &str = "/api/v1/analyze/stream";
const REPLY: &str = "/api/v1/analyze/reply";

/// Creates the folder of a code base that contains something to find.
fn code() -> TempDir {
    let code = tempfile::tempdir().expect("makes a folder");
    std::fs::write(code.path().join("login.rs"), "fn login() {\n    // login fails after midnight\n}\n")
        .expect("writes");
    code
}

fn with_code_base(code: &TempDir) -> impl FnOnce(&mut Config) {
    let path = code.path().to_owned();
    move |config| {
        let mut shop = CodeBaseSettings::from(path);
        shop.readers.role = CodeReaderRole::Guest;
        config.tools.code.bases.insert("shop".into(), shop);
    }
}

async fn send(server: &Server, path: &str, body: &Value) -> Response {
    server.request(Method::POST, path).json(body).send().await.expect("answers")
}

/// Reads all events up to and including the next one of this type.
async fn read_until(stream: &mut SseReader, kind: &str) -> Vec<SseEvent> {
    let mut all = vec![];
    while let Some(sent) = stream.next().await {
        let found = sent.data["type"] == kind;
        all.push(sent);
        if found {
            return all;
        }
    }
    panic!("no {kind} in {all:#?}");
}

/// Returns a short summary of each event.
fn outline(all: &[SseEvent]) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned).unwrap_or_default();
    let line = |sent: &SseEvent| {
        let data = &sent.data;
        let more = match data["type"].as_str().expect("a type") {
            "progress" => text(&data["decision"]),
            "plan" => format!("{} of {}", data["current_step"], data["plan_steps"].as_array().expect("steps").len()),
            "step_execution" => format!("{} {} {}", data["step"], text(&data["tool_name"]), text(&data["status"])),
            "user_reply" => text(&data["reply"]),
            "done" => text(&data["status"]),
            _ => String::new(),
        };
        format!("{} {more}", text(&data["type"])).trim_end().to_owned()
    };
    all.iter().map(line).collect()
}

fn question() -> Value {
    json!({ "original_input": "login 为什么在午夜之后失败？", "context_files": [{ "path": "log.txt", "content": "00:01 login failed" }] })
}

#[tokio::test]
async fn an_analysis_plans_searches_asks_and_concludes() {
    let code = code();
    let server = Server::start_with(with_code_base(&code)).await;
    let mut stream = SseReader::of(send(&server, STREAM, &question()).await);
    let first = read_until(&mut stream, "user_input_request").await;
    let expected = [
        "progress",
        "plan 0 of 2",
        "progress",
        "step_execution 1 code_list completed",
        "progress continue",
        "progress",
        "step_execution 2 code_search completed",
        "progress request_input",
        "plan 2 of 3",
        "user_input_request",
    ];
    assert_eq!(outline(&first), expected);
    assert!(first[3].data["result"].as_str().is_some_and(|text| text.contains("shop")), "{}", first[3].text);
    assert!(first[6].data["result"].as_str().is_some_and(|text| text.contains("login.rs")), "{}", first[6].text);
    // The question is a step of the plan, worded as in the document.
    let question_data = &first[9].data;
    let (question, context) = (&question_data["question"], &question_data["context"]);
    let step = json!({
        "step": 3, "action": "请求用户输入", "tool_name": "user_input",
        "tool_params": { "question": question, "context": context }, "status": "pending",
    });
    assert_eq!(first[8].data["plan_steps"][2], step);
    assert_eq!(question, "问题出现时运行的是哪个版本？");

    let answer = json!({ "request_id": question_data["request_id"], "reply": "1.2 版" });
    let replied = server::json(send(&server, REPLY, &answer).await, StatusCode::OK).await;
    assert_eq!((&replied["status"], &replied["request_id"]), (&json!("ok"), &question_data["request_id"]));
    let rest = stream.rest().await;
    let expected = [
        "step_execution 3 user_input completed",
        "user_reply 1.2 版",
        "progress synthesize",
        "result",
        "done completed",
    ];
    assert_eq!(outline(&rest), expected);
    assert_eq!(rest[1].data["request_id"], question_data["request_id"]);
    let found = &rest[3].data;
    assert!(found["root_cause"].is_string() && found["suggestions"].as_array().is_some_and(|all| all.len() == 2));

    let again = server::json(send(&server, REPLY, &answer).await, StatusCode::CONFLICT).await;
    assert_eq!(again["code"], "already_decided", "{again}");
    let prompt = server.demo().requests()[0].messages.last().expect("text")["content"].to_string();
    assert!(prompt.contains("log.txt") && prompt.contains("00:01 login failed"), "{prompt}");
}

#[tokio::test]
async fn a_lost_stream_resumes_even_after_a_restart() {
    let code = code();
    let server = Server::start_with(with_code_base(&code)).await;
    let answer = send(&server, STREAM, &question()).await;
    let session = answer.headers()["x-session-id"].to_str().expect("text").to_owned();
    let mut stream = SseReader::of(answer);
    let had = read_until(&mut stream, "step_execution").await;
    assert_eq!(had[0].data["session"], *session);
    let last = had.last().and_then(|sent| sent.id.clone()).expect("an id");
    drop(stream);
    let go_on = async |server: &Server, last: &str| {
        let request = server.request(Method::POST, STREAM).json(&json!({ "session": session }));
        SseReader::of(request.header("Last-Event-ID", last).send().await.expect("answers"))
    };
    let more = read_until(&mut go_on(&server, &last).await, "user_input_request").await;
    assert_eq!(outline(&more)[0], "progress continue");
    let question_event = more.last().expect("the question").clone();

    let data: Arc<TempDir> = server.stop().await;
    let server = Server::start_in(data, with_code_base(&code)).await;
    let answer = json!({ "request_id": question_event.data["request_id"], "reply": "1.2" });
    server::json(send(&server, REPLY, &answer).await, StatusCode::OK).await;
    let rest = go_on(&server, &question_event.id.expect("an id")).await.rest().await;
    assert_eq!(outline(&rest)[..2], ["step_execution 3 user_input completed", "user_reply 1.2"]);
    assert_eq!(outline(&rest).last().expect("the end"), "done completed");
    // Without an event id, the stream starts at the beginning. A further question continues the same session.
    let all = SseReader::of(send(&server, STREAM, &json!({ "session": session })).await).rest().await;
    assert_eq!(all.len(), had.len() + more.len() + rest.len());
    let further = json!({ "session": session, "question": "还有别的原因吗？不要提问" });
    let further = SseReader::of(send(&server, STREAM, &further).await).rest().await;
    assert_eq!(outline(&further).last().expect("the end"), "done completed");
}

#[tokio::test]
async fn a_failed_step_is_shown_and_leads_to_another_plan() {
    let code = code();
    let server = Server::start_with(with_code_base(&code)).await;
    code.close().expect("removes it");
    let body = json!({ "question": "Why does login fail? Adjust the plan, without asking" });
    let all = SseReader::of(send(&server, STREAM, &body).await).rest().await;
    let expected = [
        "progress",
        "plan 0 of 2",
        "progress",
        "step_execution 1 code_list failed",
        "progress adjust_plan",
        "plan 1 of 2",
        "progress",
        "step_execution 2 code_search failed",
        "progress synthesize",
        "result",
        "done completed",
    ];
    assert_eq!(outline(&all), expected);
    let failed = &all[3].data;
    assert!(failed["error"].as_str().is_some_and(|text| !text.is_empty()) && failed["result"].is_null(), "{failed}");
    // The failed step keeps its position and number.
    let steps = &all[5].data["plan_steps"];
    assert_eq!((&steps[0]["tool_name"], &steps[0]["status"]), (&json!("code_list"), &json!("failed")));
    assert_eq!((&steps[1]["step"], &steps[1]["status"]), (&json!(2), &json!("pending")));
}

#[tokio::test]
async fn an_analysis_that_reaches_its_step_limit_is_incomplete() {
    let code = code();
    let server = Server::start_with(with_code_base(&code)).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let settings = json!({ "max_steps_per_run": 3, "code": ["shop"] });
    let session = server.session(&ann, &json!({ "team": "investigator-en", "settings": settings })).await;
    let body = json!({ "session": session, "question": "Why does login fail?" });
    let response = server.as_person(&ann, Method::POST, STREAM).json(&body).send().await.expect("answers");
    let all = outline(&SseReader::of(response).rest().await);
    assert_eq!(all[all.len() - 3..], ["result", "progress", "done incomplete"], "what was found until then: {all:?}");
    assert!(all.contains(&"step_execution 1 code_list completed".to_owned()), "{all:?}");
}

#[tokio::test]
async fn impossible_requests_are_rejected() {
    let server = Server::start().await;
    for (path, body, status) in [
        (STREAM, json!({}), StatusCode::BAD_REQUEST),
        (STREAM, json!({ "original_input": " " }), StatusCode::BAD_REQUEST),
        (STREAM, json!({ "session": format!("s_{:032x}", 7) }), StatusCode::NOT_FOUND),
        (STREAM, json!({ "session": "x" }), StatusCode::BAD_REQUEST),
        (REPLY, json!({ "request_id": "x", "reply": "1.2" }), StatusCode::NOT_FOUND),
        (REPLY, json!({ "request_id": format!("req_{:032x}_7", 7), "reply": "1.2" }), StatusCode::NOT_FOUND),
        (REPLY, json!({ "request_id": "x" }), StatusCode::BAD_REQUEST),
    ] {
        let refused = server::json(send(&server, path, &body).await, status).await;
        assert!(refused["detail"].is_string(), "{refused}");
    }
}

#[tokio::test]
async fn an_analysis_is_accessible_only_to_its_session() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let body = json!({ "question": "why does login fail" });
    let response = server.as_person(&ann, Method::POST, STREAM).json(&body).send().await.expect("answers");
    let session = response.headers()["x-session-id"].to_str().expect("text").to_owned();
    let request = read_until(&mut SseReader::of(response), "user_input_request").await.pop().expect("the question");
    assert_eq!(request.data["question"], "Which version ran when it happened?");
    let looked = send(&server, STREAM, &json!({ "session": session })).await;
    server::json(looked, StatusCode::NOT_FOUND).await;
    let answer = json!({ "request_id": request.data["request_id"], "reply": "1.2" });
    server::json(send(&server, REPLY, &answer).await, StatusCode::NOT_FOUND).await;
    assert_eq!(server.post(&ann, REPLY, &answer).await.0, StatusCode::OK);
}
