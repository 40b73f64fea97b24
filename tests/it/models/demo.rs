//! The demo model, as seen by any OpenAI client.

use roundtable::demo_model::{DemoModel, DemoSettings};
use serde_json::{Value, json};

use super::wait_for_counters;

fn http() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().expect("a client")
}

async fn post(demo: &DemoModel, body: &Value) -> (u16, Value) {
    let url = format!("{}/chat/completions", demo.base_url());
    let answer = http().post(url).json(body).send().await.expect("an answer");
    (answer.status().as_u16(), answer.json().await.expect("JSON"))
}

#[tokio::test]
async fn a_response_without_streaming_is_complete() {
    let demo = DemoModel::start(DemoSettings::fast()).await.expect("starts");
    let body = json!({ "model": "demo-fast", "messages": [{ "role": "user", "content": "Write tests for login" }] });
    let (status, answer) = post(&demo, &body).await;
    assert_eq!((status, &answer["object"]), (200, &json!("chat.completion")));
    let choice = &answer["choices"][0];
    assert!(choice["message"]["content"].as_str().expect("a text").contains("login"));
    assert_eq!(choice["finish_reason"], "stop");
    assert!(answer["usage"]["total_tokens"].as_u64().expect("usage") > 0);
}

#[tokio::test]
async fn a_stream_is_made_of_chunks_and_ends_with_done() {
    let demo = DemoModel::start(DemoSettings::fast()).await.expect("starts");
    let body = json!({
        "model": "demo?response_tokens=10", "stream": true, "stream_options": { "include_usage": true },
        "messages": [{ "role": "user", "content": "hello \"there\"" }],
    });
    let url = format!("{}/chat/completions", demo.base_url());
    let answer = http().post(url).json(&body).send().await.expect("an answer");
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let text = answer.text().await.expect("a text");
    let events: Vec<&str> = text.split("\n\n").filter(|event| !event.is_empty()).collect();
    assert_eq!(events.last(), Some(&"data: [DONE]"));
    let chunk =
        |event: &&str| serde_json::from_str::<Value>(event.strip_prefix("data: ").expect("data")).expect("JSON");
    let chunks: Vec<Value> = events[..events.len() - 1].iter().map(chunk).collect();
    assert_eq!(chunks.len(), 1 + 10 + 2, "the role, ten tokens, the reason, the usage");
    assert!(chunks.iter().all(|chunk| chunk["object"] == "chat.completion.chunk"));
    assert!(chunks.iter().all(|chunk| chunk["model"] == "demo?response_tokens=10"));
    assert_eq!(chunks[11]["choices"][0]["finish_reason"], "stop");
    assert_eq!(chunks[12]["usage"]["completion_tokens"], 10);
}

#[tokio::test]
async fn unsupported_requests_get_a_coded_error() {
    let demo = DemoModel::start(DemoSettings::fast()).await.expect("starts");
    let messages = json!([{ "role": "user", "content": "hello" }]);
    let table = [
        (json!({ "model": "gpt-4o", "messages": messages }), 404, "model_not_found"),
        (json!({ "model": "demo?colour=red", "messages": messages }), 400, "invalid_request"),
        (json!({ "model": "demo" }), 400, "invalid_request"),
        (json!({ "model": "demo?fault=500", "messages": messages }), 500, "server_error"),
    ];
    for (body, status, code) in table {
        let (got, answer) = post(&demo, &body).await;
        assert_eq!((got, &answer["error"]["code"]), (status, &json!(code)), "{body}");
    }
    let models: Value =
        http().get(format!("{}/models", demo.base_url())).send().await.expect("an answer").json().await.expect("JSON");
    assert_eq!(models["data"][0]["id"], "demo");
}

#[tokio::test]
async fn a_held_stream_can_be_released_over_http() {
    let demo = DemoModel::start(DemoSettings::fast()).await.expect("starts");
    let body = json!({ "model": "demo?hold_after_tokens=0", "messages": [{ "role": "user", "content": "hello" }] });
    let root = format!("http://{}/demo", demo.address());
    let asking = async { post(&demo, &body).await };
    let releasing = async {
        wait_for_counters(&demo, |counters| counters.held == 1).await;
        let counters: Value =
            http().get(format!("{root}/counters")).send().await.expect("an answer").json().await.expect("JSON");
        assert_eq!(counters["held"], 1);
        http().post(format!("{root}/release")).send().await.expect("released");
    };
    let ((status, _), ()) = tokio::join!(asking, releasing);
    assert_eq!(status, 200);
}

#[tokio::test]
async fn the_demo_model_ends_with_its_handle() {
    let demo = DemoModel::start(DemoSettings::fast()).await.expect("starts");
    let address = demo.address();
    let mut counters = demo.counters();
    drop(demo);
    counters.wait_for(|_| false).await.expect_err("its state is gone");
    tokio::net::TcpListener::bind(address).await.expect("its port is free again");
}
