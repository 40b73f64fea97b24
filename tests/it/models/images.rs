//! Images in requests to a model in OpenAI's format, and the tokens that they count for.

use roundtable::agent::{Image, MAX_IMAGES, ModelMessage, ModelSettings, PromptBlock, Transcript, TurnRequest};
use serde_json::json;

use super::stub::{Stub, StubScript};
use super::{ask, models, provider, turn};

/// A GIF of 64 × 64 pixels.
fn image() -> Image {
    Image::from_data_url("data:image/gif;base64,R0lGODlhQABAAAAAAAA=").expect("an image")
}

fn showing(text: &'static str, images: usize) -> ModelMessage {
    let present = vec![PromptBlock::from(text)];
    ModelMessage::Transcript(Transcript { present, images: vec![image(); images], ..Transcript::default() })
}

#[tokio::test]
async fn images_are_data_urls_beside_the_words() {
    let stub = Stub::start(StubScript::stream("")).await;
    let models = models(&provider(&stub.base_url, |_| {}));
    let messages = vec![showing("What is this?", 2), showing("And now?", 0)];
    turn(&models, TurnRequest { messages, ..ask("m", "") }).await.0.expect_err("the stub answers nothing");
    let url = json!({ "url": "data:image/gif;base64,R0lGODlhQABAAAAAAAA=", "detail": "high" });
    let shown = json!({ "type": "image_url", "image_url": url });
    let wanted = json!([
        { "role": "user", "content": [shown, shown, { "type": "text", "text": "What is this?" }] },
        { "role": "user", "content": "And now?" },
    ]);
    assert_eq!(stub.asked()[0].1["messages"], wanted);
}

#[tokio::test]
async fn a_model_that_takes_no_images_gets_the_words_alone() {
    let stub = Stub::start(StubScript::stream("")).await;
    let model = ModelSettings { name: "m".into(), images: false, ..ModelSettings::default() };
    let models = models(&provider(&stub.base_url, |provider| provider.models = vec![model]));
    let messages = vec![showing("What is this?", 2)];
    turn(&models, TurnRequest { messages, ..ask("m", "") }).await.0.expect_err("the stub answers nothing");
    assert_eq!(stub.asked()[0].1["messages"], json!([{ "role": "user", "content": "What is this?" }]));
}

#[tokio::test]
async fn images_take_room_in_the_context_and_are_estimated_in_the_usage() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a dot\"},\"finish_reason\":\"stop\"}]}\n\n";
    let stub = Stub::start(StubScript::stream(stream)).await;
    let model = ModelSettings {
        name: "m".into(),
        context_window: 1_000,
        max_output_tokens: Some(100),
        ..ModelSettings::default()
    };
    let models = models(&provider(&stub.base_url, |provider| provider.models = vec![model]));
    let asking = |messages| TurnRequest { messages, ..ask("m", "") };
    let old = ModelMessage::User(PromptBlock::said(&"old words ".repeat(200)));

    let answer = turn(&models, asking(vec![old, showing("now", 2)])).await.0.expect("an answer");
    assert_eq!(stub.asked()[0].1["messages"].as_array().map(Vec::len), Some(1), "the older words gave way");
    assert!(answer.usage.estimated && answer.usage.input_tokens > 2 * 255, "{:?}", answer.usage);

    let failure = turn(&models, asking(vec![showing("now", 4)])).await.0.expect_err("too many tokens");
    assert_eq!((&*failure.error.code, failure.retryable), ("context_too_large", false));
    let failure = turn(&models, asking(vec![showing("now", MAX_IMAGES + 1)])).await.0.expect_err("too many images");
    assert_eq!((&*failure.error.code, failure.retryable), ("context_too_large", false));
    assert!(failure.error.message.contains("21 images"), "{}", failure.error.message);
    assert_eq!(stub.asked().len(), 1, "neither was sent");
}
