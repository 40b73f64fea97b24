//! Images in requests to a model in OpenAI's format, and the number of tokens that they count as.

use roundtable::agent::{Image, MAX_IMAGES, ModelMessage, ModelSettings, PromptBlock, Transcript, TurnRequest};
use serde_json::json;

use super::stub::{ModelStub, StubResponse};
use super::{models, provider, turn, turn_request};

/// Returns a GIF of 64 × 64 pixels.
fn image() -> Image {
    Image::from_data_url("data:image/gif;base64,R0lGODlhQABAAAAAAAA=").expect("an image")
}

fn showing(text: &'static str, images: usize) -> ModelMessage {
    let present = vec![PromptBlock::from(text)];
    ModelMessage::Transcript(Transcript { present, images: vec![image(); images], ..Transcript::default() })
}

#[tokio::test]
async fn images_are_data_urls_next_to_the_text() {
    let stub = ModelStub::start(StubResponse::stream("")).await;
    let models = models(&provider(&stub.base_url, |_| {}));
    let messages = vec![showing("What is this?", 2), showing("And now?", 0)];
    turn(&models, TurnRequest { messages, ..turn_request("m", "") }).await.0.expect_err("the stub answers nothing");
    let url = json!({ "url": "data:image/gif;base64,R0lGODlhQABAAAAAAAA=", "detail": "high" });
    let image = json!({ "type": "image_url", "image_url": url });
    let wanted = json!([
        { "role": "user", "content": [image, image, { "type": "text", "text": "What is this?" }] },
        { "role": "user", "content": "And now?" },
    ]);
    assert_eq!(stub.requests()[0].1["messages"], wanted);
}

#[tokio::test]
async fn a_model_without_image_support_gets_only_the_text() {
    let stub = ModelStub::start(StubResponse::stream("")).await;
    let model = ModelSettings { name: "m".into(), images: false, ..ModelSettings::default() };
    let models = models(&provider(&stub.base_url, |provider| provider.models = vec![model]));
    let messages = vec![showing("What is this?", 2)];
    turn(&models, TurnRequest { messages, ..turn_request("m", "") }).await.0.expect_err("the stub answers nothing");
    assert_eq!(stub.requests()[0].1["messages"], json!([{ "role": "user", "content": "What is this?" }]));
}

#[tokio::test]
async fn images_count_towards_the_context_and_the_estimated_usage() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a dot\"},\"finish_reason\":\"stop\"}]}\n\n";
    let stub = ModelStub::start(StubResponse::stream(stream)).await;
    let model = ModelSettings {
        name: "m".into(),
        context_window: 1_000,
        max_output_tokens: Some(100),
        ..ModelSettings::default()
    };
    let models = models(&provider(&stub.base_url, |provider| provider.models = vec![model]));
    let asking = |messages| TurnRequest { messages, ..turn_request("m", "") };
    let old = ModelMessage::User(PromptBlock::anonymous(&"old words ".repeat(200)));

    let answer = turn(&models, asking(vec![old, showing("now", 2)])).await.0.expect("an answer");
    assert_eq!(stub.requests()[0].1["messages"].as_array().map(Vec::len), Some(1), "the older words gave way");
    assert!(answer.usage.estimated && answer.usage.input_tokens > 2 * 255, "{:?}", answer.usage);

    let failure = turn(&models, asking(vec![showing("now", 4)])).await.0.expect_err("too many tokens");
    assert_eq!((&*failure.error.code, failure.retryable), ("context_too_large", false));
    let failure = turn(&models, asking(vec![showing("now", MAX_IMAGES + 1)])).await.0.expect_err("too many images");
    assert_eq!((&*failure.error.code, failure.retryable), ("context_too_large", false));
    assert!(failure.error.message.contains("21 images"), "{}", failure.error.message);
    assert_eq!(stub.requests().len(), 1, "neither was sent");
}
