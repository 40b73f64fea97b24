//! Requests to Claude's Messages API.

use roundtable::agent::{
    Image, ModelMessage, ModelSettings, Models, PromptBlock, ResponseFormat, ToolCall, ToolDefinition, Transcript,
    TurnRequest,
};
use roundtable::kernel::ToolChoice;
use serde_json::{Value, json};

use super::stub::{ModelStub, StubResponse};
use super::{claude, models, turn, turn_request};

/// Returns the body that is sent for this request to a model with the settings `model`.
async fn body(model: ModelSettings, request: TurnRequest) -> Value {
    let stub = ModelStub::start(StubResponse::stream("")).await;
    let models = models(&claude(&stub.base_url, |provider| provider.models = vec![model]));
    turn(&models, request).await.0.expect_err("the stub answers nothing");
    stub.requests().remove(0).1
}

async fn plain(messages: Vec<ModelMessage>) -> Value {
    body(ModelSettings::default(), TurnRequest { messages, ..turn_request("m", "") }).await
}

fn says(text: &str, tool_calls: &[(&str, &str)]) -> ModelMessage {
    let call = |(id, arguments): &(&str, &str)| ToolCall {
        id: (*id).into(),
        name: "read".into(),
        arguments: (*arguments).into(),
    };
    ModelMessage::Assistant { text: text.into(), tool_calls: tool_calls.iter().map(call).collect() }
}

fn result(call: &str, text: &str) -> ModelMessage {
    ModelMessage::Tool { call: call.into(), result: PromptBlock::returned(text) }
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[tokio::test]
async fn requests_have_the_address_key_and_version() {
    for suffix in ["", "/", "/v1", "/v1/"] {
        let stub = ModelStub::start(StubResponse::stream("")).await;
        let base = stub.base_url.trim_end_matches("/v1");
        let providers =
            claude(&format!("{base}{suffix}"), |provider| provider.api_key_env = "ANTHROPIC_API_KEY".into());
        let keyed = Models::new(&providers, |_| Some("sk-ant-1\n".to_owned())).expect("good");
        turn(&keyed, turn_request("m", "hello")).await.0.expect_err("the stub answers nothing");
        assert_eq!(stub.paths(), ["/v1/messages"], "{suffix}");
        let (head, body) = stub.requests().remove(0);
        assert_eq!(
            (&head["x-api-key"], &head["anthropic-version"]),
            (&"sk-ant-1".parse().expect("a value"), &"2023-06-01".parse().expect("a value"))
        );
        assert_eq!(head["content-type"], "application/json");
        assert!(!head.contains_key("authorization"));
        let messages = json!([{ "role": "user", "content": [text_block("[message]\n| hello")] }]);
        assert_eq!(body, json!({ "model": "m", "max_tokens": 8_192, "stream": true, "messages": messages }));
    }
}

#[tokio::test]
async fn the_maximum_length_of_a_response_is_always_sent() {
    let listed = |context_window, max_output_tokens| ModelSettings {
        name: "m".into(),
        context_window,
        max_output_tokens,
        ..ModelSettings::default()
    };
    assert_eq!(body(listed(200_000, None), turn_request("m", "hello")).await["max_tokens"], 16_384);
    assert_eq!(body(listed(8_000, None), turn_request("m", "hello")).await["max_tokens"], 2_000);
    assert_eq!(body(listed(200_000, Some(64_000)), turn_request("m", "hello")).await["max_tokens"], 64_000);
    let short = TurnRequest { max_tokens: Some(5), ..turn_request("m", "hello") };
    assert_eq!(body(listed(200_000, Some(64_000)), short).await["max_tokens"], 5);
}

#[tokio::test]
async fn the_system_prompt_is_separate_and_roles_alternate() {
    let body = plain(vec![
        ModelMessage::System("You are a pirate.".into()),
        ModelMessage::User("one".into()),
        ModelMessage::User("two".into()),
        says("three \n", &[]),
        says("", &[]),
        says("four", &[]),
        ModelMessage::User("  ".into()),
        ModelMessage::System("Be brief.".into()),
        ModelMessage::User("five".into()),
    ])
    .await;
    assert_eq!(body["system"], "You are a pirate.\n\nBe brief.");
    let wanted = json!([
        { "role": "user", "content": [text_block("one"), text_block("two")] },
        { "role": "assistant", "content": [text_block("three"), text_block("four")] },
        { "role": "user", "content": [text_block("five")] },
    ]);
    assert_eq!(body["messages"], wanted);
}

#[tokio::test]
async fn calls_and_results_are_blocks_and_results_come_first() {
    let body = plain(vec![
        ModelMessage::User("go".into()),
        says("I look.", &[("toolu_1", "{\"path\":\"a\"}"), ("functions.read:1", "not JSON"), ("toolu_3", "[1]")]),
        result("toolu_1", "contents"),
        ModelMessage::User("hurry".into()),
        result("functions.read:1", ""),
        result("toolu_3", "more"),
    ])
    .await;
    let call = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "read", "input": input });
    let result = |id: &str, content: Value| json!({ "type": "tool_result", "tool_use_id": id, "content": content });
    let wanted = json!([
        { "role": "user", "content": [text_block("go")] },
        { "role": "assistant", "content": [
            text_block("I look."),
            call("toolu_1", json!({ "path": "a" })),
            call("functions_read_1", json!({ "unreadable": "not JSON" })),
            call("toolu_3", json!({ "unreadable": "[1]" })),
        ] },
        { "role": "user", "content": [
            result("toolu_1", json!([text_block("contents")])),
            result("functions_read_1", json!([])),
            result("toolu_3", json!([text_block("more")])),
            text_block("hurry"),
        ] },
    ]);
    assert_eq!(body["messages"], wanted);
}

#[tokio::test]
async fn images_precede_the_text() {
    let image = Image::new(b"GIF89a\x08\0\x08\0\0\0\0\0").expect("an image");
    let present = vec!["What is this?".into()];
    let data = image.base64().to_owned();
    let body =
        plain(vec![ModelMessage::Transcript(Transcript { present, images: vec![image], ..Transcript::default() })])
            .await;
    let source = json!({ "type": "base64", "media_type": "image/gif", "data": data });
    let wanted = json!([{ "type": "image", "source": source }, text_block("What is this?")]);
    assert_eq!(body["messages"][0]["content"], wanted);
}

#[tokio::test]
async fn tools_are_sent_with_the_tool_choice() {
    let schema = json!({ "$schema": "x", "type": "object", "properties": { "path": { "type": "string" } } });
    let tools = vec![ToolDefinition { name: "read".into(), description: "Read a file.".into(), schema }];
    let table = [(ToolChoice::Auto, "auto"), (ToolChoice::Required, "any"), (ToolChoice::None, "none")];
    for (tool_choice, word) in table {
        let body = body(
            ModelSettings::default(),
            TurnRequest { tools: tools.clone(), tool_choice, ..turn_request("m", "hello") },
        )
        .await;
        assert_eq!(body["tool_choice"], json!({ "type": word }));
        let input_schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
        let wanted = json!([{ "name": "read", "description": "Read a file.", "input_schema": input_schema }]);
        assert_eq!(body["tools"], wanted);
    }
    let model = ModelSettings { name: "m".into(), forced_tools: false, ..ModelSettings::default() };
    let request = TurnRequest { tools, tool_choice: ToolChoice::Required, ..turn_request("m", "hello") };
    let body = body(model, request).await;
    assert_eq!(body["tool_choice"], json!({ "type": "auto" }));
    assert!(body["system"].as_str().is_some_and(|text| text.contains("calling one of your tools")));
}

#[tokio::test]
async fn the_response_format_is_requested_by_the_api_or_the_prompt() {
    let schema = json!({ "type": "object", "properties": { "score": { "type": "integer", "minimum": 1 } } });
    let request = |schema: &Value| TurnRequest {
        response_format: Some(ResponseFormat { name: "verdict".into(), schema: schema.clone(), is_quoted: false }),
        ..turn_request("m", "hello")
    };
    let model = ModelSettings { name: "m".into(), structured_output: Some(true), ..ModelSettings::default() };
    let structured = body(model.clone(), request(&schema)).await;
    let score = json!({ "type": "integer", "description": "minimum: 1" });
    let closed = json!({ "type": "object", "properties": { "score": score }, "additionalProperties": false });
    assert_eq!(structured["output_config"], json!({ "format": { "type": "json_schema", "schema": closed } }));
    assert_eq!(structured.get("system"), None);

    let free = json!({ "type": "object" });
    for (model, schema) in [(ModelSettings::default(), &schema), (model, &free)] {
        let worded = body(model, request(schema)).await;
        assert_eq!(worded.get("output_config"), None);
        assert!(worded["system"].as_str().is_some_and(|text| text.ends_with(&schema.to_string())), "{worded}");
    }
}
