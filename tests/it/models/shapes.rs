//! Recorded streams of real servers, and their expected results.

use roundtable::agent::{Completion, StopReason, TurnError};

use super::stub::{ModelStub, StubResponse};
use super::{models, provider, turn, turn_request};

async fn play_stream(stream: impl Into<Vec<u8>>) -> (Result<Completion, TurnError>, Vec<String>) {
    let stub = ModelStub::start(StubResponse::stream(stream)).await;
    let models = models(&provider(&stub.base_url, |_| {}));
    turn(&models, turn_request("m", "hello")).await
}

async fn complete(stream: impl Into<Vec<u8>>) -> Completion {
    let (answer, fragments) = play_stream(stream).await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.text, fragments.concat(), "what was handed out is the answer");
    answer
}

async fn fail(stream: impl Into<Vec<u8>>) -> (String, bool) {
    let failure = play_stream(stream).await.0.expect_err("a failure");
    (failure.error.code.to_string(), failure.retryable)
}

/// Returns the chunks as events, followed by `[DONE]`.
fn events(chunks: &[&str]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).chain(["data: [DONE]\n\n".into()]).collect()
}

const STOP: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

#[tokio::test]
async fn the_openai_format_has_the_role_first_and_the_usage_last() {
    let answer = complete(events(&[
        r#"{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}],"usage":null}"#,
        r#"{"choices":[{"index":0,"delta":{"content":" world"},"finish_reason":null}],"usage":null}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#,
    ]))
    .await;
    assert_eq!((answer.text.as_str(), answer.finish), ("Hello world", StopReason::Stop));
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.estimated), (9, 2, false));
    assert_eq!(&*answer.usage.model, "p/m");
}

#[tokio::test]
async fn a_usage_of_zero_counts_as_missing() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}"#;
    let answer = complete(events(&[r#"{"choices":[{"delta":{"content":"Hi"}}]}"#, STOP, usage])).await;
    assert!(answer.usage.estimated, "{:?}", answer.usage);
    assert!(answer.usage.input_tokens > 0 && answer.usage.output_tokens > 0, "{:?}", answer.usage);
}

#[tokio::test]
async fn a_truncated_call_gets_no_invented_arguments() {
    let call =
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"1","function":{"name":"wipe","arguments":""}}]}}]}"#;
    for (reason, arguments) in [("length", ""), ("tool_calls", "{}")] {
        let end = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"{reason}"}}]}}"#);
        assert_eq!(&*complete(events(&[call, &end])).await.tool_calls[0].arguments, arguments, "{reason}");
    }
}

#[tokio::test]
async fn role_and_content_can_share_a_delta_and_keys_can_be_missing() {
    let answer = complete(events(&[
        r#"{"choices":[{"delta":{"role":"assistant","content":"Hi"}}]}"#,
        r#"{"choices":[{"delta":{"content":null}}]}"#,
        r#"{"choices":[{"delta":{"content":"!"},"finish_reason":"stop"}]}"#,
    ]))
    .await;
    assert_eq!(answer.text, "Hi!");
    assert!(answer.usage.estimated, "no figures came: they are estimated");
    assert!(answer.usage.input_tokens > 0 && answer.usage.output_tokens > 0);
}

#[tokio::test]
async fn null_and_empty_fields_are_accepted_everywhere() {
    let answer = complete(events(&[
        r#"{"error":null,"usage":null,"choices":null}"#,
        r#"{"choices":[{"index":0,"delta":null,"finish_reason":null}]}"#,
        r#"{"choices":[{"index":0,"delta":{"role":null,"content":"","tool_calls":null,"function_call":null},"finish_reason":""}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":null}]}"#,
        STOP,
    ]))
    .await;
    assert_eq!(answer.text, "ok");
}

#[tokio::test]
async fn comments_heartbeats_crlf_and_split_data_lines_are_accepted() {
    let stream = ": OPENROUTER PROCESSING\r\n\r\nevent: keepalive\r\ndata: {}\r\n\r\nid: 1\r\nevent: message\r\n\
                  data: {\"choices\":\r\ndata: [{\"delta\":{\"content\":\"one\"}}]}\r\n\r\n: ping\r\n\r\n\
                  data:{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n";
    assert_eq!(complete(stream).await.text, "one");
}

#[tokio::test]
async fn a_byte_order_mark_and_chinese_text_are_accepted() {
    let stream = "\u{feff}data: {\"choices\":[{\"delta\":{\"content\":\"支付接口🎯\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    assert_eq!(complete(stream).await.text, "支付接口🎯");
}

#[tokio::test]
async fn a_stream_can_end_without_done() {
    let stream = format!("data: {}\n\ndata: {STOP}\n\n", r#"{"choices":[{"delta":{"content":"ok"}}]}"#);
    assert_eq!(complete(stream).await.text, "ok");
}

#[tokio::test]
async fn reasoning_is_separate_under_either_name() {
    for key in ["reasoning_content", "reasoning"] {
        let thought = format!(r#"{{"choices":[{{"delta":{{"{key}":"Let me see.","content":null}}}}]}}"#);
        let answer = complete(events(&[&thought, r#"{"choices":[{"delta":{"content":"Yes"}}]}"#, STOP])).await;
        assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("Yes", Some("Let me see.")));
    }
}

#[tokio::test]
async fn content_can_be_a_list_of_parts() {
    let part =
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"Yes"}]}}]}"#;
    assert_eq!(complete(events(&[part, STOP])).await.text, "Yes");
}

#[tokio::test]
async fn an_unknown_finish_reason_is_kept() {
    let last = r#"{"choices":[{"delta":{"content":"ok"},"finish_reason":"eos_by_decree"}]}"#;
    assert_eq!(complete(events(&[last])).await.finish, StopReason::Other("eos_by_decree".into()));
}

#[tokio::test]
async fn a_response_at_the_length_limit_is_still_a_response() {
    let last = r#"{"choices":[{"delta":{"content":"half"},"finish_reason":"length"}]}"#;
    assert_eq!(complete(events(&[last])).await.finish, StopReason::Length);
}

#[tokio::test]
async fn usage_can_be_in_every_chunk_and_only_the_first_choice_counts() {
    let answer = complete(events(&[
        r#"{"choices":[{"index":1,"delta":{"content":"other"}},{"index":0,"delta":{"content":"mine"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":3}}"#,
    ]))
    .await;
    assert_eq!((answer.text.as_str(), answer.usage.output_tokens), ("mine", 3));
}

#[tokio::test]
async fn nul_characters_are_removed() {
    let answer = complete(events(&[r#"{"choices":[{"delta":{"content":"a\u0000b"}}]}"#, STOP])).await;
    assert_eq!(answer.text, "ab");
}

const CALLED: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;

async fn calls(chunks: &[&str]) -> Vec<(String, String, String)> {
    let answer = complete(events(chunks)).await;
    assert_eq!(answer.finish, StopReason::ToolCalls);
    let parts =
        |call: roundtable::agent::ToolCall| (call.id.to_string(), call.name.to_string(), call.arguments.to_string());
    answer.tool_calls.into_iter().map(parts).collect()
}

fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.into(), name.into(), arguments.into())
}

#[tokio::test]
async fn tool_calls_can_have_id_and_name_before_their_arguments() {
    let made = calls(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"list","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\"}"}}]}}]}"#,
        CALLED,
    ])
    .await;
    assert_eq!(made, [call("c1", "read", r#"{"path":"a"}"#), call("c2", "list", "{}")]);
}

#[tokio::test]
async fn tool_calls_can_lack_an_index() {
    let made = calls(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"c1","function":{"name":"read","arguments":"{\"a\""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":":1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"c2","function":{"name":"read","arguments":"{}"}}]}}]}"#,
        CALLED,
    ])
    .await;
    assert_eq!(made, [call("c1", "read", r#"{"a":1}"#), call("c2", "read", "{}")]);
}

#[tokio::test]
async fn several_tool_calls_can_all_have_the_index_zero() {
    let made = calls(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read","arguments":"{}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c2","function":{"name":"list","arguments":"{}"}}]}}]}"#,
        CALLED,
    ])
    .await;
    assert_eq!(made, [call("c1", "read", "{}"), call("c2", "list", "{}")]);
}

#[tokio::test]
async fn the_old_function_call_and_arguments_as_objects_are_accepted() {
    let old = calls(&[
        r#"{"choices":[{"delta":{"function_call":{"name":"read","arguments":""}}}]}"#,
        r#"{"choices":[{"delta":{"function_call":{"arguments":"{}"}}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"function_call"}]}"#,
    ])
    .await;
    assert_eq!(old, [call("call_0", "read", "{}")]);
    let object = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":{"a":1}}}]}}]}"#;
    assert_eq!(calls(&[object, CALLED]).await, [call("c", "read", r#"{"a":1}"#)]);
    let none =
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"now","arguments":null}}]}}]}"#;
    assert_eq!(calls(&[none, CALLED]).await, [call("c", "now", "{}")]);
}

#[tokio::test]
async fn a_stream_without_a_finish_reason_is_an_error() {
    let half = r#"{"choices":[{"delta":{"content":"half"},"finish_reason":null}]}"#;
    assert_eq!(fail(events(&[half])).await, ("model_stream_cut".into(), true));
    assert_eq!(fail(format!("data: {half}\n\n")).await, ("model_stream_cut".into(), true));
    assert_eq!(fail("").await, ("model_stream_cut".into(), true));
}

#[tokio::test]
async fn an_error_within_the_stream_fails_the_turn() {
    let half = r#"{"choices":[{"delta":{"content":"half"}}]}"#;
    let error = r#"{"error":{"message":"upstream sk-secret broke","code":502}}"#;
    let (answer, fragments) = play_stream(events(&[half, error])).await;
    let failure = answer.expect_err("a failure");
    assert_eq!((&*failure.error.code, failure.retryable), ("model_unavailable", true));
    assert!(!failure.error.message.contains("sk-secret"));
    assert_eq!(fragments, ["half"]);
    let limited = r#"{"error":{"message":"Rate limit reached","type":"rate_limit_error","code":429}}"#;
    assert_eq!(fail(events(&[limited])).await, ("model_rate_limited".into(), true));
    let reason = r#"{"choices":[{"delta":{"content":""},"finish_reason":"error"}]}"#;
    assert_eq!(fail(events(&[half, reason])).await, ("model_unavailable".into(), true));
}

#[tokio::test]
async fn garbage_is_a_bad_response() {
    for garbage in ["<html>no</html>", "[1,2]", "\"text\"", "{\"choices\":"] {
        assert_eq!(fail(events(&[garbage])).await, ("model_bad_response".into(), true), "{garbage}");
    }
    assert_eq!(fail(b"data: \xff\xfe\n\n".to_vec()).await.0, "model_bad_response");
}

#[tokio::test]
async fn refusals_and_empty_responses_are_reported() {
    let refusal = r#"{"choices":[{"delta":{"refusal":"I will not."}}]}"#;
    assert_eq!(fail(events(&[refusal, STOP])).await, ("model_refused".into(), false));
    let filtered = r#"{"choices":[{"delta":{"content":"x"},"finish_reason":"content_filter"}]}"#;
    assert_eq!(fail(events(&[filtered])).await, ("model_refused".into(), false));
    assert_eq!(fail(events(&[STOP])).await, ("model_bad_response".into(), true));
}
