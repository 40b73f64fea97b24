//! The door `team_chat`: the five scenarios of its document, over HTTP against a complete server.

use reqwest::{Method, Response, StatusCode};
use roundtable::identity::ServerRole;
use serde_json::{Value, json};

use crate::documents::server_with_models;
use crate::server::{Server, with_timeout};
use crate::sse::SseReader;

const GENERATOR: &str = "TestCase_Generator";
const REVIEWER: &str = "TestCase_Reviewer";
const OPTIMIZER: &str = "TestCase_Optimizer";

async fn send(server: &Server, body: &Value) -> Response {
    server.request(Method::POST, "/api/team-chat/stream").json(body).send().await.expect("answers")
}

/// Sends a request. Returns the id of the conversation and all lines of the response.
async fn chat(server: &Server, body: &Value) -> (String, Vec<Value>) {
    let answer = send(server, body).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["x-team-mode"], "true");
    let conversation = answer.headers()["x-conversation-id"].to_str().expect("text").to_owned();
    let lines = SseReader::of(answer).rest().await.into_iter().map(|sent| sent.data).collect();
    (conversation, lines)
}

async fn first_message(server: &Server) -> (String, Vec<Value>) {
    let body = json!({
        "message": "生成支付接口的测试用例", "is_feedback": false, "conversation_id": null, "target_agent": null
    });
    chat(server, &body).await
}

async fn feedback(server: &Server, conversation: &str, message: &str, target: Option<&str>) -> Vec<Value> {
    let body = json!({
        "message": message, "is_feedback": true, "conversation_id": conversation, "target_agent": target
    });
    let (same, lines) = chat(server, &body).await;
    assert_eq!(same, conversation);
    lines
}

/// Returns the types of the lines in order, with the agent if a line names one. Repeated content lines are merged.
fn outline(lines: &[Value]) -> Vec<String> {
    let mut outline: Vec<String> = vec![];
    for line in lines {
        let kind = line["type"].as_str().expect("a type");
        let entry = match line["agent_name"].as_str() {
            Some(agent) => format!("{kind} {agent}"),
            None => kind.to_owned(),
        };
        if kind != "content" || outline.last() != Some(&entry) {
            outline.push(entry);
        }
    }
    outline
}

fn agent_turn(agent: &str) -> [String; 3] {
    ["agent_start", "content", "agent_end"].map(|kind| format!("{kind} {agent}"))
}

fn expected_outline(agents: &[&str], end: &[String]) -> Vec<String> {
    let turns = agents.iter().flat_map(|agent| agent_turn(agent));
    std::iter::once("status".to_owned()).chain(turns).chain(end.iter().cloned()).chain(["done".to_owned()]).collect()
}

/// Returns all text that an agent wrote in these lines.
fn text_of(lines: &[Value], agent: &str) -> String {
    let content = lines.iter().filter(|line| line["type"] == "content" && line["agent_name"] == agent);
    content.map(|line| line["content"].as_str().expect("text")).collect()
}

async fn get_session(server: &Server, conversation: &str) -> Value {
    let path = format!("/api/debug/session/{conversation}");
    let answer = server.request(Method::GET, &path).send().await.expect("answers");
    crate::server::json(answer, StatusCode::OK).await
}

fn roles(glance: &Value) -> Vec<&str> {
    glance["messages"].as_array().expect("a list").iter().map(|line| line["role"].as_str().expect("text")).collect()
}

#[tokio::test]
async fn scenario_one_first_message() {
    let server = Server::start().await;
    let (conversation, lines) = first_message(&server).await;
    assert_eq!(outline(&lines), expected_outline(&[GENERATOR, REVIEWER], &[format!("feedback_request {REVIEWER}")]));
    let hex = conversation.strip_prefix("team_session_").expect("the document's form");
    assert!(hex.bytes().all(|byte| byte.is_ascii_hexdigit()));

    assert_eq!(lines[lines.len() - 2]["available_agents"], json!([GENERATOR, REVIEWER, OPTIMIZER]));

    let glance = get_session(&server, &conversation).await;
    assert_eq!(glance["session_id"], *conversation);
    assert_eq!(glance["waiting_for_feedback"], true);
    assert_eq!(glance["last_agent"], REVIEWER);
    assert_eq!(glance["message_count"], 3);
    assert_eq!(roles(&glance), ["user", GENERATOR, REVIEWER]);
    assert_eq!(glance["messages"][0]["content"], "生成支付接口的测试用例");
    let preview = glance["messages"][1]["content"].as_str().expect("text");
    assert!(preview.ends_with("...") && preview.chars().count() == 103, "{preview}");
}

#[tokio::test]
async fn feedback_without_a_conversation_starts_nothing() {
    let server = Server::start().await;
    for conversation in [json!({}), json!({ "conversation_id": null })] {
        let mut body = json!({ "message": "请添加边界测试用例", "is_feedback": true });
        body.as_object_mut().expect("an object").extend(conversation.as_object().cloned().expect("an object"));
        let answer = send(&server, &body).await;
        let refused = crate::server::json(answer, StatusCode::BAD_REQUEST).await;
        assert!(refused["detail"].as_str().is_some_and(|text| text.contains("conversation_id")), "{refused}");
    }
    let root = server.person("Root", ServerRole::Admin).await;
    assert_eq!(server.get(&root, "/api/v1/sessions").await["sessions"], json!([]));
}

#[tokio::test]
async fn a_first_message_with_unknown_mentions_is_for_the_whole_team() {
    let server = Server::start().await;
    let (conversation, mut lines) = chat(&server, &json!({ "message": "@nobody 生成支付接口的测试用例" })).await;
    assert_eq!(lines.remove(1), json!({ "type": "status", "message": "没有名为 @nobody 的成员，已交给整个团队" }));
    assert_eq!(outline(&lines), expected_outline(&[GENERATOR, REVIEWER], &[format!("feedback_request {REVIEWER}")]));
    let mut lines = feedback(&server, &conversation, "字段要标注 @NotNull", None).await;
    assert_eq!(lines.remove(1)["message"], "没有名为 @NotNull 的成员，已交给整个团队");
    assert_eq!(outline(&lines), expected_outline(&[GENERATOR, REVIEWER], &[format!("feedback_request {REVIEWER}")]));
    let mut lines = feedback(&server, &conversation, "@TestCase_Reviewer 检查 @NotNull", None).await;
    assert_eq!(lines.remove(1)["message"], "没有名为 @NotNull 的成员");
    assert_eq!(outline(&lines), expected_outline(&[REVIEWER], &[format!("feedback_request {REVIEWER}")]));
    let lines = feedback(&server, &conversation, "同意", None).await;
    assert_eq!(outline(&lines), expected_outline(&[OPTIMIZER], &[format!("final_answer {OPTIMIZER}")]));
}

#[tokio::test]
async fn lines_have_the_documents_fields_in_its_order() {
    let server = Server::start().await;
    let lines = SseReader::of(send(&server, &json!({ "message": "生成支付接口的测试用例" })).await).rest().await;
    let texts: Vec<&str> = lines.iter().map(|sent| &*sent.text).collect();
    assert_eq!(texts[0], r#"{"type":"status","message":"团队协作中..."}"#);
    assert_eq!(
        texts[1],
        r#"{"type":"agent_start","agent_name":"TestCase_Generator","agent_role":"🎯 测试用例生成专家"}"#
    );
    assert!(texts[2].starts_with(r#"{"type":"content","agent_name":"TestCase_Generator","content":""#), "{}", texts[2]);
    assert!(texts.contains(&r#"{"type":"agent_end","agent_name":"TestCase_Generator"}"#));
    assert_eq!(
        texts[texts.len() - 2],
        concat!(
            r#"{"type":"feedback_request","agent_name":"TestCase_Reviewer","#,
            r#""available_agents":["TestCase_Generator","TestCase_Reviewer","TestCase_Optimizer"],"#,
            r#""message":"请提供反馈或点击同意"}"#
        )
    );
    assert_eq!(texts[texts.len() - 1], r#"{"type":"done"}"#);
}

#[tokio::test]
async fn scenario_two_approval() {
    let server = Server::start().await;
    let (conversation, _) = first_message(&server).await;
    let lines = feedback(&server, &conversation, "同意", None).await;
    assert_eq!(outline(&lines), expected_outline(&[OPTIMIZER], &[format!("final_answer {OPTIMIZER}")]));
    let answer = &lines[lines.len() - 2];
    assert_eq!(answer["content"], text_of(&lines, OPTIMIZER));

    let glance = get_session(&server, &conversation).await;
    assert_eq!(glance["waiting_for_feedback"], false);
    assert_eq!(roles(&glance), ["user", GENERATOR, REVIEWER, "user", OPTIMIZER]);
    assert_eq!(glance["messages"][3]["content"], "同意");
    let requests = server.demo().requests();
    let text = requests.last().expect("asked").messages.last().expect("a message")["content"].to_string();
    assert!(text.contains("用户已同意以上方案"), "{text}");

    let again =
        send(&server, &json!({ "message": "同意", "is_feedback": true, "conversation_id": conversation })).await;
    let refused = crate::server::json(again, StatusCode::BAD_REQUEST).await;
    assert_eq!(refused.to_string(), r#"{"detail":"当前会话不在等待反馈状态"}"#);
}

#[tokio::test]
async fn an_empty_message_and_other_phrases_approve() {
    let server = Server::start().await;
    for text in ["", "  ", "I approve"] {
        let (conversation, _) = first_message(&server).await;
        let lines = feedback(&server, &conversation, text, None).await;
        assert_eq!(outline(&lines), expected_outline(&[OPTIMIZER], &[format!("final_answer {OPTIMIZER}")]), "{text:?}");
    }
    let (conversation, _) = first_message(&server).await;
    let lines = feedback(&server, &conversation, "不同意，重写", None).await;
    assert_eq!(outline(&lines), expected_outline(&[GENERATOR, REVIEWER], &[format!("feedback_request {REVIEWER}")]));
}

#[tokio::test]
async fn scenario_three_feedback_starts_another_round_with_the_history() {
    let server = Server::start().await;
    let (conversation, first) = first_message(&server).await;
    let lines = feedback(&server, &conversation, "请添加边界测试用例", None).await;
    assert_eq!(outline(&lines), expected_outline(&[GENERATOR, REVIEWER], &[format!("feedback_request {REVIEWER}")]));
    let requests = server.demo().requests();
    let text: Vec<String> =
        requests.iter().map(|request| serde_json::to_string(&request.messages).expect("JSON")).collect();
    assert!(text[2].contains("请添加边界测试用例"), "the feedback");
    let earlier = text_of(&first, REVIEWER);
    let lines = earlier.lines().filter(|line| !line.is_empty());
    let quoted = |line: &str| format!("\\n| {}", serde_json::to_string(line).expect("JSON").trim_matches('"'));
    assert!(
        lines.clone().count() > 1 && lines.map(quoted).all(|line| text[2].contains(&line)),
        "the reviewer before it"
    );
}

#[tokio::test]
async fn scenario_four_one_agent_alone() {
    let server = Server::start().await;
    let (conversation, _) = first_message(&server).await;
    let lines = feedback(&server, &conversation, "@TestCase_Generator 请添加性能测试", Some(GENERATOR)).await;
    assert_eq!(outline(&lines), expected_outline(&[GENERATOR], &[format!("feedback_request {GENERATOR}")]));
    let lines = feedback(&server, &conversation, "@TestCase_Reviewer 再看一遍", None).await;
    assert_eq!(outline(&lines), expected_outline(&[REVIEWER], &[format!("feedback_request {REVIEWER}")]));
}

#[tokio::test]
async fn scenario_five_all_agents_again() {
    let server = Server::start().await;
    let (conversation, _) = first_message(&server).await;
    for text in ["@all 重新生成", "@ALL 重新生成"] {
        let lines = feedback(&server, &conversation, text, None).await;
        assert_eq!(
            outline(&lines),
            expected_outline(&[GENERATOR, REVIEWER], &[format!("feedback_request {REVIEWER}")])
        );
    }
}

#[tokio::test]
async fn rejections_have_the_documented_form() {
    let server = Server::start().await;
    let cases = [
        (json!({ "message": "" }), StatusCode::BAD_REQUEST, "消息不能为空"),
        (json!({ "message": "", "is_feedback": true }), StatusCode::BAD_REQUEST, "消息不能为空"),
        (
            json!({ "message": "同意", "is_feedback": true, "conversation_id": "team_session_a1b2c3d4e5f6a7b8" }),
            StatusCode::NOT_FOUND,
            "会话不存在",
        ),
        (json!({ "message": "x", "file_ids": ["f1"] }), StatusCode::BAD_REQUEST, "文件不存在: f1"),
    ];
    for (body, status, detail) in cases {
        let refused = crate::server::json(send(&server, &body).await, status).await;
        assert_eq!(refused, json!({ "detail": detail }), "{body}");
    }
    let (conversation, _) = first_message(&server).await;
    let long = json!({
        "message": "x", "is_feedback": true, "conversation_id": conversation, "target_agent": "x".repeat(65)
    });
    assert_eq!(send(&server, &long).await.status(), StatusCode::UNPROCESSABLE_ENTITY);
    for unread in [json!({ "message": 5 }), json!({ "message": "x", "target_agents": [GENERATOR] })] {
        assert_eq!(send(&server, &unread).await.status(), StatusCode::UNPROCESSABLE_ENTITY, "{unread}");
    }
    let answer = server.request(Method::GET, "/api/debug/session/team_session_x").send().await.expect("answers");
    assert_eq!(crate::server::json(answer, StatusCode::NOT_FOUND).await, json!({ "detail": "会话不存在" }));
}

#[tokio::test]
async fn a_conversation_continues_after_a_failed_or_ended_run() {
    let server = server_with_models(&[("testcase-zh", OPTIMIZER, "demo-fast?fault=401&fault_times=1")]).await;
    let (conversation, _) = first_message(&server).await;
    let lines = feedback(&server, &conversation, "同意", None).await;
    let error = json!({ "type": "error", "message": "模型服务拒绝了密钥，请联系管理员检查 API 密钥" });
    assert_eq!(lines[lines.len() - 2..], [error, json!({ "type": "done" })]);

    let empty = json!({ "message": " ", "is_feedback": true, "conversation_id": conversation });
    assert_eq!(send(&server, &empty).await.status(), StatusCode::BAD_REQUEST, "it approves nothing");
    let mut lines = feedback(&server, &conversation, "@nobody 请再写一遍", None).await;
    assert_eq!(lines.remove(1)["message"], "没有名为 @nobody 的成员，已交给整个团队");
    let question = [format!("feedback_request {REVIEWER}")];
    assert_eq!(outline(&lines), expected_outline(&[GENERATOR, REVIEWER], &question));

    let admin = server.person("admin", ServerRole::Admin).await;
    let session = format!("s_{}", conversation.trim_start_matches("team_session_"));
    let state = server.node.session_registry.state(session.parse().expect("an id")).await.expect("is there");
    let run = state.view().active_run().expect("waits").id;
    let cancel = json!({ "id": "c1", "do": "cancel", "data": { "run": run } });
    assert_eq!(server.post(&admin, &format!("/api/v1/sessions/{session}/commands"), &cancel).await.0, StatusCode::OK);
    let lines = feedback(&server, &conversation, "@TestCase_Reviewer 再看一遍", None).await;
    assert_eq!(outline(&lines), expected_outline(&[REVIEWER], &question));
    let lines = feedback(&server, &conversation, "同意", None).await;
    assert_eq!(outline(&lines), expected_outline(&[OPTIMIZER], &[format!("final_answer {OPTIMIZER}")]));
}

#[tokio::test]
async fn a_broken_stream_is_resumed() {
    let server = Server::start().await;
    let body = json!({ "message": "生成支付接口的测试用例" });
    let whole = SseReader::of(send(&server, &body).await).rest().await;
    let ended = whole.iter().position(|sent| sent.data["type"] == "agent_end").expect("an agent ends");
    let id = whole[ended].id.clone().expect("an id");
    let take_up =
        |id: &str| server.request(Method::POST, "/api/team-chat/stream").json(&body).header("last-event-id", id);
    let answer = take_up(&id).send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::OK);
    let rest: Vec<Value> = SseReader::of(answer).rest().await.into_iter().map(|sent| sent.data).collect();
    let left: Vec<Value> = whole[ended + 1..].iter().map(|sent| sent.data.clone()).collect();
    assert_eq!(outline(&rest[1..]), outline(&left));
    assert_eq!(text_of(&rest, REVIEWER), text_of(&left, REVIEWER));
    assert!(text_of(&rest, GENERATOR).is_empty(), "its reader has that");
    // Resuming a stream neither sends the message again nor starts a new run.
    assert_eq!(server.demo().requests().len(), 2);
    let wrong = take_up("12").send().await.expect("answers");
    assert_eq!(wrong.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let strangers = server.person("Ann", ServerRole::Member).await;
    let answer = server.as_person(&strangers, Method::POST, "/api/team-chat/stream").json(&body);
    let answer = answer.header("last-event-id", &id).send().await.expect("answers");
    assert_eq!(crate::server::json(answer, StatusCode::NOT_FOUND).await, json!({ "detail": "会话不存在" }));
}

#[tokio::test]
async fn without_guests_a_caller_needs_a_token() {
    let server = Server::start_with(|config| config.guest_doors = Some(false)).await;
    assert_eq!(send(&server, &json!({ "message": "hello" })).await.status(), StatusCode::UNAUTHORIZED);
    let guest = server.person("guest", ServerRole::Guest).await;
    let (status, refused) = server.post(&guest, "/api/team-chat/stream", &json!({ "message": "hello" })).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "{refused}");
    let member = server.person("member", ServerRole::Member).await;
    let request = server.as_person(&member, Method::POST, "/api/team-chat/stream");
    let answer =
        request.json(&json!({ "message": "Write test cases for a payment API" })).send().await.expect("answers");
    let conversation = answer.headers()["x-conversation-id"].to_str().expect("text").to_owned();
    let lines = SseReader::of(answer).rest().await;
    assert_eq!(lines.last().expect("lines").data["type"], "done");
    // A conversation is visible only to its participants.
    let path = format!("/api/debug/session/{conversation}");
    let other = server.person("other", ServerRole::Member).await;
    let answer = server.as_person(&other, Method::GET, &path).send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    assert_eq!(server.get(&member, &path).await["message_count"], 3);
}

#[tokio::test]
async fn a_removed_participants_stream_ends() {
    let server = Server::start_with(|config| config.demo.hold_after_tokens = Some(5)).await;
    let bob = server.person("Bob", ServerRole::Member).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let request = server.as_person(&bob, Method::POST, "/api/team-chat/stream");
    let answer = request.json(&json!({ "message": "生成登录接口的测试用例" })).send().await.expect("answers");
    let conversation = answer.headers()["x-conversation-id"].to_str().expect("text").to_owned();
    let mut stream = SseReader::of(answer);
    while stream.next().await.expect("goes on").data["type"] != "content" {}
    let path = format!("/api/v1/sessions/s_{}/commands", conversation.trim_start_matches("team_session_"));
    let invite = json!({ "id": "c1", "do": "invite", "data": { "participant": ann.participant.id, "role": "owner" } });
    assert_eq!(server.post(&bob, &path, &invite).await.0, StatusCode::OK);
    let remove = json!({ "id": "c2", "do": "remove", "data": { "participant": bob.participant.id } });
    assert_eq!(server.post(&ann, &path, &remove).await.0, StatusCode::OK);
    // The agent is held in the middle of its message, so only the removal can end the stream.
    let mut rest = with_timeout(stream.rest()).await;
    let end = rest.split_off(rest.len() - 2);
    assert!(rest.iter().all(|sent| sent.data["type"] == "content"));
    assert_eq!(end[0].data, json!({ "type": "error", "message": "你已不在该会话中" }));
    assert_eq!(end[1].data, json!({ "type": "done" }));
}

#[tokio::test]
async fn a_disconnected_caller_does_not_stop_the_run() {
    let server = Server::start_with(|config| config.demo.hold_after_tokens = Some(5)).await;
    let answer = send(&server, &json!({ "message": "生成登录接口的测试用例" })).await;
    let conversation = answer.headers()["x-conversation-id"].to_str().expect("text").to_owned();
    let mut stream = SseReader::of(answer);
    while stream.next().await.expect("goes on").data["type"] != "content" {}
    drop(stream);

    let admin = server.person("admin", ServerRole::Admin).await;
    let session = format!("s_{}", conversation.trim_start_matches("team_session_"));
    let events = server.as_person(&admin, Method::GET, &format!("/api/v1/sessions/{session}/events"));
    let mut events = SseReader::of(events.send().await.expect("answers"));
    let mut seqs = vec![];
    let gate = loop {
        let frame = with_timeout(events.next()).await.expect("goes on").data;
        if frame["type"] == "delta" {
            server.demo().release();
        }
        seqs.extend(frame["seq"].as_u64());
        if frame["event"] == "gate.opened" {
            break frame;
        }
    };
    assert_eq!(gate["data"]["gate"]["agent"], REVIEWER);
    let count = u64::try_from(seqs.len()).expect("fits");
    assert_eq!(seqs, (1..=count).collect::<Vec<_>>(), "one order, no gap, no repeat");
}
