//! Streams of Claude's Messages API, and their expected results.

use roundtable::agent::{Completion, ModelSettings, Prices, StopReason, TurnError};
use serde_json::{Value, json};

use super::stub::{ModelStub, StubResponse};
use super::{claude, models, turn, turn_request};

/// Returns the events as sent over the wire; the name of each is repeated in its data.
pub fn events(events: &[Value]) -> String {
    let written = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("message"));
    events.iter().map(written).collect()
}

/// Returns the first event of every response.
pub fn start() -> Value {
    let usage = json!({ "input_tokens": 25, "output_tokens": 1, "service_tier": "standard" });
    json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-5-5", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    } })
}

/// Returns the events of one content block.
pub fn block(index: u64, first: Value, deltas: &[Value]) -> Vec<Value> {
    let begin = json!({ "type": "content_block_start", "index": index, "content_block": first });
    let deltas = deltas.iter().map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta }));
    let end = json!({ "type": "content_block_stop", "index": index });
    [begin].into_iter().chain(deltas).chain([end]).collect()
}

pub fn text(index: u64, fragments: &[&str]) -> Vec<Value> {
    let deltas: Vec<Value> = fragments.iter().map(|text| json!({ "type": "text_delta", "text": text })).collect();
    block(index, json!({ "type": "text", "text": "" }), &deltas)
}

/// Returns the last events of every response.
pub fn stop(reason: &str) -> Vec<Value> {
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    let usage = json!({ "output_tokens": 15 });
    vec![json!({ "type": "message_delta", "delta": delta, "usage": usage }), json!({ "type": "message_stop" })]
}

/// Returns the result of a turn for this stream, and the fragments that the turn streamed.
pub async fn play_stream(stream: impl Into<Vec<u8>>) -> (Result<Completion, TurnError>, Vec<String>) {
    let stub = ModelStub::start(StubResponse::stream(stream)).await;
    turn(&models(&claude(&stub.base_url, |_| {})), turn_request("m", "hello")).await
}

async fn complete(parts: &[Vec<Value>]) -> Completion {
    let (answer, fragments) = play_stream(events(&parts.concat())).await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.text, fragments.concat(), "what was handed out is the answer");
    answer
}

#[tokio::test]
async fn a_text_streams_in_fragments_with_usage_and_cost() {
    let ping = vec![json!({ "type": "ping" })];
    let stream = events(&[vec![start()], ping, text(0, &["Hello", "!", " 你好"]), stop("end_turn")].concat());
    let stub = ModelStub::start(StubResponse::stream(stream)).await;
    let prices = Some(Prices { input: 1.0, output: 2.0 });
    let model = ModelSettings { name: "m".into(), prices, ..ModelSettings::default() };
    let models = models(&claude(&stub.base_url, |provider| provider.models = vec![model]));
    let (answer, fragments) = turn(&models, turn_request("m", "hello")).await;
    let answer = answer.expect("an answer");
    assert_eq!((answer.text.as_str(), answer.finish), ("Hello! 你好", StopReason::Stop));
    assert_eq!(fragments.concat(), "Hello! 你好");
    let usage = &answer.usage;
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.estimated, usage.cost_micros), (25, 15, false, 55));
    assert_eq!(&*usage.model, "p/m");
}

#[tokio::test]
async fn tool_calls_can_have_arguments_in_fragments() {
    let piece = |json: &str| json!({ "type": "input_json_delta", "partial_json": json });
    let call = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "read", "input": input });
    let answer = complete(&[
        vec![start()],
        text(0, &["I look."]),
        block(1, call("toolu_1", json!({})), &[piece(""), piece("{\"path\": \"a"), piece(".md\"}")]),
        block(2, call("toolu_2", json!({})), &[]),
        block(3, call("toolu_3", json!({ "path": "whole" })), &[]),
        stop("tool_use"),
    ])
    .await;
    assert_eq!((answer.text.as_str(), answer.finish), ("I look.", StopReason::ToolCalls));
    let calls: Vec<_> = answer.tool_calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
    let wanted = [
        ("toolu_1", "read", "{\"path\": \"a.md\"}"),
        ("toolu_2", "read", "{}"),
        ("toolu_3", "read", "{\"path\":\"whole\"}"),
    ];
    assert_eq!(calls, wanted);
}

#[tokio::test]
async fn blocks_may_interleave() {
    let piece = |index: u64, json: &str| {
        let delta = json!({ "type": "input_json_delta", "partial_json": json });
        json!({ "type": "content_block_delta", "index": index, "delta": delta })
    };
    let begin = |index: u64, id: &str| {
        let block = json!({ "type": "tool_use", "id": id, "name": "read", "input": {} });
        json!({ "type": "content_block_start", "index": index, "content_block": block })
    };
    let mixed = vec![
        start(),
        begin(0, "a"),
        begin(1, "b"),
        piece(1, "{\"b\""),
        piece(0, "{\"a\""),
        piece(1, ":1}"),
        piece(0, ":1}"),
    ];
    let answer = complete(&[mixed, stop("tool_use")]).await;
    let arguments: Vec<&str> = answer.tool_calls.iter().map(|call| &*call.arguments).collect();
    assert_eq!(arguments, ["{\"a\":1}", "{\"b\":1}"]);
}

#[tokio::test]
async fn reasoning_is_separate_from_the_text() {
    let thoughts = [
        json!({ "type": "thinking_delta", "thinking": "First " }),
        json!({ "type": "thinking_delta", "thinking": "this." }),
        json!({ "type": "signature_delta", "signature": "EqoBCkgIARAB" }),
    ];
    let thinking = json!({ "type": "thinking", "thinking": "", "signature": "" });
    let answer = complete(&[vec![start()], block(0, thinking, &thoughts), text(1, &["Done."]), stop("end_turn")]).await;
    assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("Done.", Some("First this.")));
}

#[tokio::test]
async fn unknown_stream_events_are_skipped() {
    let answer = complete(&[
        vec![start(), json!({ "type": "weather", "sky": "clear" })],
        block(0, json!({ "type": "redacted_thinking", "data": "x" }), &[]),
        block(
            1,
            json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} }),
            &[json!({
                "type": "input_json_delta", "partial_json": "{\"query\": \"x\"}",
            })],
        ),
        block(
            2,
            json!({ "type": "text", "text": "" }),
            &[
                json!({ "type": "citations_delta", "citation": {} }),
                json!({ "type": "text_delta", "text": "Yes." }),
                json!({ "type": "text_delta" }),
                json!({}),
            ],
        ),
        stop("end_turn"),
    ])
    .await;
    assert_eq!((answer.text.as_str(), answer.tool_calls.len()), ("Yes.", 0));
}

#[tokio::test]
async fn a_response_has_a_stop_reason() {
    let table = [
        ("end_turn", StopReason::Stop),
        ("stop_sequence", StopReason::Stop),
        ("max_tokens", StopReason::Length),
        ("model_context_window_exceeded", StopReason::Length),
        ("pause_turn", StopReason::Other("pause_turn".into())),
    ];
    for (reason, finish) in table {
        assert_eq!(complete(&[vec![start()], text(0, &["a"]), stop(reason)]).await.finish, finish, "{reason}");
    }
}

#[tokio::test]
async fn usage_is_the_latest_and_includes_cached_tokens() {
    let cached = json!({
        "input_tokens": 3, "cache_creation_input_tokens": 40, "cache_read_input_tokens": 500, "output_tokens": 7,
    });
    let latest = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": cached });
    let ends = vec![stop("end_turn").remove(0), latest, json!({ "type": "message_stop" })];
    let usage = complete(&[vec![start()], text(0, &["a"]), ends]).await.usage;
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.estimated), (543, 7, false));
}

#[tokio::test]
async fn without_usage_in_the_response_it_is_estimated_and_marked() {
    let ends = vec![
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
        json!({ "type": "message_stop" }),
    ];
    let usage = complete(&[vec![start()], text(0, &["some words"]), ends]).await.usage;
    assert!(usage.estimated && usage.input_tokens > 0 && usage.output_tokens > 0);
}

#[tokio::test]
async fn line_ends_comments_and_a_byte_order_mark_do_not_matter() {
    let plain = events(&[vec![start()], text(0, &["on", "e"]), stop("end_turn")].concat());
    let stream = format!("\u{feff}: proxied\n\n{plain}").replace('\n', "\r\n");
    let nameless: String =
        plain.lines().filter(|line| !line.starts_with("event:")).map(|line| format!("{line}\n")).collect();
    for stream in [stream, nameless] {
        assert_eq!(play_stream(stream).await.0.expect("an answer").text, "one");
    }
}

#[tokio::test]
async fn a_text_may_begin_with_its_block_and_never_holds_nul() {
    let first = json!({ "type": "text", "text": "be" });
    let deltas =
        [json!({ "type": "text_delta", "text": "gin\u{0}" }), json!({ "type": "text_delta", "text": "\u{0}" })];
    let answer = complete(&[vec![start()], block(0, first, &deltas), stop("end_turn")]).await;
    assert_eq!(answer.text, "begin");
}
