//! Turns against the demo model, over real HTTP.

use std::time::Duration;

use roundtable::agent::{ModelMessage, Prices, PromptBlock, ResponseFormat, StopReason, ToolDefinition, TurnRequest};
use roundtable::agent::{ModelSettings, Models, ProviderSettings};
use roundtable::demo_model::{DemoModel, DemoSettings};
use roundtable::kernel::ToolChoice;
use serde_json::{Value, json};

use super::{models, provider, turn, turn_request, wait_for_counters};

async fn demo() -> DemoModel {
    DemoModel::start(DemoSettings::fast()).await.expect("starts")
}

fn at(demo: &DemoModel, change: impl FnOnce(&mut ProviderSettings)) -> Models {
    models(&provider(&demo.base_url(), change))
}

#[tokio::test]
async fn a_response_streams_in_fragments_with_usage_and_cost() {
    let demo = demo().await;
    let prices = Some(Prices { input: 1.0, output: 2.0 });
    let model = ModelSettings { name: "demo?tokens_per_second=1000".into(), prices, ..ModelSettings::default() };
    let models = at(&demo, |provider| provider.models = vec![model]);
    let (answer, fragments) =
        turn(&models, turn_request("demo?tokens_per_second=1000", "生成支付接口的测试用例")).await;
    let answer = answer.expect("an answer");
    assert!(fragments.len() > 1, "{} fragments", fragments.len());
    assert_eq!(fragments.concat(), answer.text);
    assert!(answer.text.contains("支付接口"));
    assert_eq!(
        (answer.finish, &*answer.usage.model, answer.usage.estimated),
        (StopReason::Stop, "p/demo?tokens_per_second=1000", false)
    );
    assert_eq!(answer.usage.cost_micros, answer.usage.input_tokens + 2 * answer.usage.output_tokens);
    assert_eq!(wait_for_counters(&demo, |counters| counters.open == 0).await.completed, 1);
}

#[tokio::test]
async fn dropping_the_turn_closes_the_stream_at_the_provider() {
    let demo = demo().await;
    let models = at(&demo, |_| {});
    let turning = tokio::spawn(async move { turn(&models, turn_request("demo?hold_after_tokens=5", "hello")).await });
    wait_for_counters(&demo, |counters| counters.held == 1).await;
    turning.abort();
    let counters = wait_for_counters(&demo, |counters| counters.dropped == 1).await;
    assert_eq!((counters.open, counters.held, counters.completed), (0, 0, 0));
}

#[tokio::test]
async fn dropping_the_turn_before_the_first_byte_closes_the_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let models = models(&provider(&base_url, |_| {}));
    let turning = tokio::spawn(async move { turn(&models, turn_request("m", "hello")).await });
    let (mut connection, _) = listener.accept().await.expect("a connection");
    let mut head = [0; 64];
    tokio::io::AsyncReadExt::read_exact(&mut connection, &mut head).await.expect("a request");
    turning.abort();
    let mut rest = vec![];
    let closed = tokio::io::AsyncReadExt::read_to_end(&mut connection, &mut rest);
    tokio::time::timeout(Duration::from_secs(20), closed).await.expect("closed in time").expect("closed");
}

#[tokio::test]
async fn a_held_stream_continues_where_it_stopped() {
    let demo = demo().await;
    let models = at(&demo, |_| {});
    let (sender, mut fragments) = tokio::sync::mpsc::unbounded_channel();
    let turning = tokio::spawn(async move {
        let mut hear = move |text: &str| sender.send(text.to_owned()).expect("somebody listens");
        models.turn(turn_request("demo?hold_after_tokens=3", "hello"), &mut hear).await
    });
    wait_for_counters(&demo, |counters| counters.held == 1).await;
    let mut received = String::new();
    while received != "> 🎭" {
        received += &fragments.recv().await.expect("three fragments, together or one by one");
    }
    assert!(fragments.try_recv().is_err(), "it is held after three");
    demo.release();
    let answer = turning.await.expect("ends").expect("an answer");
    assert!(answer.text.starts_with(&received) && answer.text.len() > received.len());
}

#[tokio::test]
async fn faults_happen_as_often_as_requested() {
    let demo = demo().await;
    let models = at(&demo, |provider| provider.idle_ms = 100);
    let table = [
        ("429", "model_rate_limited", true),
        ("500", "model_unavailable", true),
        ("401", "model_unauthorized", false),
        ("cut", "model_stream_cut", true),
        ("end", "model_stream_cut", true),
        ("garbage", "model_bad_response", true),
        ("error", "model_unavailable", true),
        ("stall", "model_timeout", true),
    ];
    for (fault, code, retryable) in table {
        let model = format!("demo?fault={fault}&fault_times=1&retry_after_seconds=3");
        let failure = turn(&models, turn_request(&model, "hello")).await.0.expect_err(fault);
        assert_eq!((&*failure.error.code, failure.retryable), (code, retryable), "{fault}");
        assert_eq!(failure.retry_after_ms, (fault == "429").then_some(3_000), "{fault}");
        turn(&models, turn_request(&model, "hello")).await.0.expect("the second time it goes well");
    }
    assert_eq!(demo.counters().borrow().faults, table.len() as u64);
}

#[tokio::test]
async fn a_fault_comes_after_the_requested_fragments() {
    let demo = demo().await;
    let (answer, fragments) =
        turn(&at(&demo, |_| {}), turn_request("demo?fault=error&fault_after_tokens=4", "hello")).await;
    assert!(answer.is_err());
    assert_eq!(fragments.concat(), "> 🎭 ");
}

#[tokio::test]
async fn silence_and_the_length_limit_end_a_turn() {
    let demo = demo().await;
    type Change = fn(&mut ProviderSettings);
    let cases: [(&str, Change); 3] = [
        ("demo?delay_ms=60000", |provider| provider.turn_ms = 100),
        ("demo?hold_after_tokens=0", |provider| provider.idle_ms = 100),
        ("demo?tokens_per_second=20&delay_ms=0", |provider| provider.turn_ms = 200),
    ];
    for (model, change) in cases {
        let failure = turn(&at(&demo, change), turn_request(model, "hello")).await.0.expect_err(model);
        assert_eq!((&*failure.error.code, failure.retryable), ("model_timeout", true), "{model}");
    }
}

#[tokio::test]
async fn a_busy_provider_makes_turns_wait_and_then_fails_them() {
    let demo = demo().await;
    let models = at(&demo, |provider| (provider.max_concurrent_requests, provider.max_queue_ms) = (1, 50));
    let first = tokio::spawn({
        let models = models.clone();
        async move { turn(&models, turn_request("demo?hold_after_tokens=1", "hello")).await }
    });
    wait_for_counters(&demo, |counters| counters.held == 1).await;
    let failure = turn(&models, turn_request("demo", "hello")).await.0.expect_err("no place");
    assert_eq!((&*failure.error.code, failure.retryable), ("model_unavailable", true));
    demo.release();
    first.await.expect("ends").0.expect("an answer");
    turn(&models, turn_request("demo", "hello")).await.0.expect("there is a place again");
}

#[tokio::test]
async fn a_model_is_found_by_its_name_and_by_its_providers() {
    let demo = demo().await;
    let mut providers = provider(&demo.base_url(), |_| {});
    providers.default = "p/demo".into();
    let models = models(&providers);
    for model in [None, Some("demo"), Some("p/demo")] {
        let request = TurnRequest { model: model.map(Into::into), ..turn_request("", "hello") };
        assert_eq!(&*turn(&models, request).await.0.expect("an answer").usage.model, "p/demo");
    }
    let failure = turn(&models, turn_request("p/other", "hello")).await.0.expect_err("no such model");
    assert_eq!((&*failure.error.code, failure.retryable), ("model_not_found", false));
    // A prefix that is not the name of a provider is part of the model's name.
    turn(&models, turn_request("maker/model", "hello")).await.0.expect_err("the demo model has no such model");
}

#[tokio::test]
async fn tools_are_called_and_their_results_are_used() {
    let demo = demo().await;
    let models = at(&demo, |_| {});
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
    let tools = vec![ToolDefinition { name: "read".into(), description: "Read a file.".into(), schema }];
    let request = TurnRequest { tools, tool_choice: ToolChoice::Required, ..turn_request("demo", "hello") };
    let answer = turn(&models, request.clone()).await.0.expect("a call");
    assert_eq!((answer.finish, answer.tool_calls.len()), (StopReason::ToolCalls, 1));
    let arguments: Value = serde_json::from_str(&answer.tool_calls[0].arguments).expect("JSON");
    assert!(arguments["path"].is_string());

    let mut request = request;
    let call = answer.tool_calls[0].id.clone();
    request.messages.push(ModelMessage::Assistant { text: "".into(), tool_calls: answer.tool_calls });
    request.messages.push(ModelMessage::Tool { call, result: PromptBlock::returned("contents") });
    let answer = turn(&models, request).await.0.expect("an answer");
    assert_eq!((answer.finish, answer.tool_calls.len()), (StopReason::Stop, 0));
}

#[tokio::test]
async fn a_response_has_the_requested_format() {
    let demo = demo().await;
    let schema = json!({
        "type": "object",
        "required": ["verdict", "score"],
        "properties": {
            "verdict": { "enum": ["adopt", "change"] }, "score": { "type": "integer", "minimum": 1, "maximum": 5 },
        },
    });
    let format = Some(ResponseFormat { name: "verdict".into(), schema, is_quoted: false });
    let request = TurnRequest { response_format: format, ..turn_request("demo", "hello") };
    let answer = turn(&at(&demo, |_| {}), request).await.0.expect("an answer");
    assert_eq!(serde_json::from_str::<Value>(&answer.text).expect("JSON"), json!({ "verdict": "adopt", "score": 1 }));
}

#[tokio::test]
async fn the_demo_model_records_its_requests() {
    let demo = demo().await;
    let messages = vec![ModelMessage::System("You are a pirate.".into()), ModelMessage::User("hello".into())];
    turn(&at(&demo, |_| {}), TurnRequest { messages, ..turn_request("demo?tag=a", "") }).await.0.expect("an answer");
    let requests = demo.requests();
    let logged = requests.last().expect("one request");
    assert_eq!(logged.model, "demo?tag=a");
    assert_eq!((logged.system(), logged.last_text()), (Some("You are a pirate."), Some("hello")));
}
