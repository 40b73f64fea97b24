//! Stream failures: each is reported with a code, after exactly one request.

use roundtable::agent::{
    Completion, ModelMessage, ModelSettings, Models, PromptBlock, ProviderSettings, TurnError, TurnRequest,
};

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::stub::{ModelStub, StubResponse};
use super::{models, provider, turn, turn_request};

async fn fail(script: StubResponse, change: impl FnOnce(&mut ProviderSettings)) -> (TurnError, ModelStub) {
    let stub = ModelStub::start(script).await;
    let models = models(&provider(&stub.base_url, change));
    let failure = turn(&models, turn_request("m", "hello")).await.0.expect_err("a failure");
    (failure, stub)
}

#[tokio::test]
async fn a_provider_is_asked_once_and_its_retry_after_is_passed_on() {
    let script = StubResponse::status(429, r#"{"error":{"message":"slow down"}}"#).header("retry-after", "7");
    let (failure, stub) = fail(script, |_| {}).await;
    assert_eq!(&*failure.error.code, "model_rate_limited");
    assert_eq!((failure.retryable, failure.retry_after_ms), (true, Some(7_000)));
    assert_eq!(stub.requests().len(), 1, "trying again is not this layer's");
    let (failure, stub) =
        fail(StubResponse::status(503, "<html>down</html>").header("retry-after-ms", "250"), |_| {}).await;
    assert_eq!((&*failure.error.code, failure.retry_after_ms), ("model_unavailable", Some(250)));
    assert_eq!(stub.requests().len(), 1);
}

#[tokio::test]
async fn prompts_for_a_removed_provider_go_to_no_other_one() {
    let stub = ModelStub::start(StubResponse::stream("")).await;
    let listed = ModelSettings { name: "org/listed".into(), ..ModelSettings::default() };
    let models = models(&provider(&stub.base_url, |provider| provider.models = vec![listed]));
    let failure = turn(&models, turn_request("removed/m", "a secret")).await.0.expect_err("a failure");
    assert_eq!((&*failure.error.code, failure.retryable), ("model_not_found", false));
    assert!(failure.error.message.contains("no provider \"removed\""), "{}", failure.error.message);
    assert!(stub.requests().is_empty(), "the default provider is not asked");
    turn(&models, turn_request("org/listed", "hello")).await.0.expect_err("an empty stream");
    assert_eq!(stub.requests()[0].1["model"], "org/listed", "the name of a model can contain a slash");
}

#[tokio::test]
async fn an_endless_error_body_is_read_up_to_a_limit() {
    let (failure, _) = fail(StubResponse::status(400, &"x".repeat(4_000_000)), |_| {}).await;
    assert_eq!(&*failure.error.code, "model_bad_request");
}

#[tokio::test]
async fn an_unknown_model_is_recognized_in_every_error_format() {
    for body in [
        r#"{"object":"error","message":"Invalid model: nothing","type":"invalid_model","param":null,"code":"1500"}"#,
        r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error","code":"invalid_request_error"}}"#,
        r#"[{"error":{"message":"models/nothing is not found","code":400}}]"#,
    ] {
        let (failure, _) = fail(StubResponse::status(400, body), |_| {}).await;
        assert_eq!((&*failure.error.code, failure.retryable), ("model_not_found", false), "{body}");
        assert!(failure.error.message.contains("correct the model's name"), "{}", failure.error.message);
    }
}

#[tokio::test]
async fn a_redirection_is_not_followed() {
    let elsewhere = ModelStub::start(StubResponse::stream("")).await;
    let (failure, _) = fail(StubResponse::status(307, "").header("location", &elsewhere.base_url), |_| {}).await;
    assert_eq!((&*failure.error.code, failure.retryable), ("model_unavailable", false));
    assert!(elsewhere.requests().is_empty(), "the key goes nowhere else");
}

#[tokio::test]
async fn an_operation_that_the_provider_does_not_have_is_not_retried() {
    let (failure, _) = fail(StubResponse::status(501, ""), |_| {}).await;
    assert_eq!((&*failure.error.code, failure.retryable), ("model_bad_request", false));
}

#[tokio::test]
async fn a_response_that_is_not_a_stream_gets_a_helpful_error() {
    let (failure, _) = fail(StubResponse::status(200, r#"{"choices":[]}"#), |_| {}).await;
    // A retry does not help; the configuration must be corrected.
    assert_eq!((&*failure.error.code, failure.retryable), ("model_bad_response", false));
    assert!(failure.error.message.contains("base_url"));
}

/// Runs a turn with a server that declares a longer body than it sends, and then closes the connection.
async fn send_truncated(body: &str) -> (Result<Completion, TurnError>, Vec<String>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99999\r\n\r\n{body}");
    let serving = async move {
        let (mut connection, _) = listener.accept().await.expect("a connection");
        let mut request = vec![];
        // Closing a connection with unread data would discard the data already written.
        while !String::from_utf8_lossy(&request).contains("hello\"") {
            connection.read_buf(&mut request).await.expect("a request");
        }
        connection.write_all(answer.as_bytes()).await.expect("written");
    };
    let models = models(&provider(&base_url, |_| {}));
    tokio::join!(turn(&models, turn_request("m", "hello")), serving).0
}

#[tokio::test]
async fn a_broken_connection_is_an_error_only_before_the_end_of_the_text() {
    let half = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
    let (failure, fragments) = send_truncated(half).await;
    let failure = failure.expect_err("a failure");
    assert_eq!((&*failure.error.code, failure.retryable), ("model_stream_cut", true));
    assert_eq!(fragments, ["half"]);

    let whole = format!("{half}data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\n");
    assert_eq!(send_truncated(&whole).await.0.expect("the model was done").text, "half");
}

#[tokio::test]
async fn an_endless_response_is_cut_off() {
    let chunk = "data: {\"choices\":[{\"delta\":{\"content\":\"more\"}}]}\n\n".repeat(100);
    let (failure, _) = fail(StubResponse::stream(chunk), |provider| provider.max_response_bytes = 2_000).await;
    assert_eq!((&*failure.error.code, failure.retryable), ("model_bad_response", false));
    let (failure, _) =
        fail(StubResponse::stream("x".repeat(5_000)), |provider| provider.max_response_bytes = 2_000).await;
    assert_eq!(&*failure.error.code, "model_bad_response", "a line without end");
}

#[tokio::test]
async fn a_refused_connection_is_an_error() {
    let address = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        listener.local_addr().expect("an address")
    };
    let models = models(&provider(&format!("http://{address}/v1"), |_| {}));
    let failure = turn(&models, turn_request("m", "hello")).await.0.expect_err("a failure");
    assert_eq!((&*failure.error.code, failure.retryable), ("model_unavailable", true));
    assert!(failure.error.message.contains("cannot be reached"), "{}", failure.error.message);
}

#[tokio::test]
async fn a_server_that_closes_before_its_first_byte_is_an_error() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let serving = async {
        let (mut connection, _) = listener.accept().await.expect("a connection");
        let mut request = vec![];
        while !String::from_utf8_lossy(&request).contains("hello\"") {
            connection.read_buf(&mut request).await.expect("a request");
        }
    };
    let models = models(&provider(&base_url, |_| {}));
    let failure = tokio::join!(turn(&models, turn_request("m", "hello")), serving).0.0.expect_err("a failure");
    assert_eq!((&*failure.error.code, failure.retryable), ("model_unavailable", true));
    assert!(failure.error.message.contains("closed the connection without a response"), "{}", failure.error.message);
}

#[tokio::test]
async fn a_message_beyond_the_context_is_refused_before_it_is_sent() {
    let stub = ModelStub::start(StubResponse::stream("")).await;
    let models = models(&provider(&stub.base_url, |provider| provider.context_window = 300));
    let failure = turn(&models, turn_request("m", &"生成测试用例".repeat(200))).await.0.expect_err("a failure");
    assert_eq!((&*failure.error.code, failure.retryable), ("context_too_large", false));
    assert!(stub.requests().is_empty());
}

#[tokio::test]
async fn a_long_conversation_is_truncated_before_it_is_sent() {
    let stub = ModelStub::start(StubResponse::stream("")).await;
    let models = models(&provider(&stub.base_url, |provider| provider.context_window = 600));
    let old = (0..50).map(|number| {
        ModelMessage::User(PromptBlock::anonymous(&format!("old words, number {number}, which are many")))
    });
    let messages =
        [ModelMessage::System("rules".into())].into_iter().chain(old).chain([ModelMessage::User("now".into())]);
    let request = TurnRequest { messages: messages.collect(), ..TurnRequest::default() };
    turn(&models, request).await.0.expect_err("the stub answers nothing");
    let sent = &stub.requests()[0].1["messages"];
    let sent = sent.as_array().expect("messages");
    assert!((3..40).contains(&sent.len()), "{} messages", sent.len());
    assert_eq!((&sent[0]["content"], &sent[sent.len() - 1]["content"]), (&"rules".into(), &"now".into()));
}

#[tokio::test]
async fn the_key_is_sent_and_no_environment_variable() {
    let stub = ModelStub::start(StubResponse::stream("")).await;
    let mut providers = provider(&stub.base_url, |provider| provider.api_key_env = "MY_KEY".into());
    let models_with_key =
        Models::new(&providers, |name| (name == "MY_KEY").then(|| "sk-1\n".to_owned())).expect("good");
    turn(&models_with_key, turn_request("m", "hello")).await.0.expect_err("the stub answers nothing");
    providers.named.get_mut("p").expect("there").api_key_env.clear();
    turn(&models(&providers), turn_request("m", "hello")).await.0.expect_err("the stub answers nothing");
    let requests = stub.requests();
    assert_eq!(requests[0].0["authorization"], "Bearer sk-1");
    assert!(!requests[1].0.contains_key("authorization"), "a server that wants no key gets none");
    assert!(requests.iter().all(|(head, _)| !head.contains_key("openai-organization")));
    assert_eq!(requests[0].1["stream"], true);
}

#[test]
fn an_unusable_configuration_gets_a_reason() {
    let why = |providers: &roundtable::agent::ProvidersSettings| match Models::new(providers, |_| None) {
        Ok(_) => panic!("expected an error"),
        Err(error) => error.to_string(),
    };
    assert!(why(&provider("ftp://x", |_| {})).contains("providers.named.p: base_url"));
    assert!(why(&provider("http://x/v1", |p| p.api_key_env = "GONE".into())).contains("GONE"));
    assert!(why(&provider("http://x/v1", |p| p.api_key = "sk-\u{1}".to_owned().into())).contains("api_key"));
    let mut other = provider("http://x/v1", |_| {});
    other.default = "q/m".into();
    assert!(why(&other).contains("providers.default"));
}
