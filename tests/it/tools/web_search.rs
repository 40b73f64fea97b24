//! Web search against a stub that behaves like SearXNG.

use std::sync::Arc;

use axum::{
    Router,
    extract::{RawQuery, State},
    http::StatusCode,
    routing::get,
};
use parking_lot::Mutex;
use roundtable::tool::{SideEffect, ToolError, ToolSettings};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::{ToolSet, call_context};

/// The stub's response, and the requests that it received.
type WebSearchScript = Arc<(StatusCode, String, Mutex<Vec<String>>)>;

struct WebSearchHarness {
    tools: ToolSet,
    script: WebSearchScript,
    _serving: AbortOnDropHandle<()>,
}

impl WebSearchHarness {
    async fn start(status: u16, body: impl ToString) -> Self {
        let status = StatusCode::from_u16(status).expect("is one");
        let script: WebSearchScript = Arc::new((status, body.to_string(), Mutex::default()));
        let answer = async |State(script): State<WebSearchScript>, RawQuery(query): RawQuery| {
            script.2.lock().push(query.unwrap_or_default());
            (script.0, script.1.clone())
        };
        let app = Router::new().route("/under/search", get(answer)).with_state(script.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/under/", listener.local_addr().expect("an address"));
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.expect("serves") });
        let tools = tools(&url).await;
        Self { tools, script, _serving: AbortOnDropHandle::new(serving) }
    }

    async fn search(&self, arguments: Value) -> Result<String, ToolError> {
        self.tools.call(&call_context(&[]), "web_search", arguments).await
    }
}

async fn tools(url: &str) -> ToolSet {
    let mut settings = ToolSettings::default();
    settings.python.enabled = false;
    settings.web_search.url = Some(url.into());
    settings.web_search.language = "en".into();
    settings.web_search.max_results = 2;
    settings.web_search.max_response_bytes = 10_000;
    settings.web_search.timeout_seconds = 1;
    ToolSet::of(&settings).await
}

#[tokio::test]
async fn results_have_title_address_and_summary() {
    let result = |n: u32| {
        json!({ "url": format!("https://example.org/{n}"), "title": format!("Title\n{n}"), "content": "w ".repeat(600),
                "engine": "one", "engines": ["one"], "score": 1.0, "category": "general", "publishedDate": null })
    };
    let mut dated = result(1);
    (dated["publishedDate"], dated["content"]) = (json!("2026-01-02T00:00:00"), json!("结果 \u{7} one"));
    let answer = json!({
        "query": "x", "number_of_results": 0, "results": [dated, { "url": "javascript:x", "title": "no" }, result(2), result(3)],
        "answers": ["forty-two", { "answer": "42", "url": null }], "corrections": [], "infoboxes": [], "suggestions": ["y"],
        "unresponsive_engines": [["two", "timeout"]],
    });
    let harness = WebSearchHarness::start(200, answer).await;
    let arguments = json!({ "query": "a & b 测试", "time_range": "month", "page": 2 });
    let output = harness.search(arguments).await.expect("is answered");
    let summary = format!("{}…", "w ".repeat(250));
    assert_eq!(
        output,
        format!(
            "Answer: \"forty-two\"\n\nAnswer: \"42\"\n\n\
             1. \"Title 1\"\n   \"https://example.org/1\"\n   \"2026-01-02T00:00:00\"\n   \"结果 one\"\n\
             2. \"Title 2\"\n   \"https://example.org/2\"\n   \"{summary}\"\n[engines that did not respond: \"two\"]\n"
        )
    );
    assert_eq!(harness.tools.named("web_search").spec().effect, SideEffect::Outbound, "the query leaves the server");
    let queries = harness.script.2.lock().clone();
    assert_eq!(queries, ["q=a+%26+b+%E6%B5%8B%E8%AF%95&format=json&language=en&time_range=month&pageno=2"]);
}

#[tokio::test]
async fn search_failures_are_worded_for_the_agent() {
    let none = WebSearchHarness::start(200, json!({ "results": [] })).await;
    assert_eq!(none.search(json!({ "query": "x" })).await.expect("is answered"), "[nothing was found]\n");
    for (status, body, code, text) in [
        (403, String::new(), "tool_unavailable", "search.formats"),
        (429, String::new(), "tool_unavailable", "too often"),
        (500, String::new(), "tool_unavailable", "status 500"),
        (302, String::new(), "tool_unavailable", "status 302"),
        (200, "<html>".into(), "tool_failed", "JSON"),
        (200, json!({ "results": [{ "title": "x".repeat(20_000) }] }).to_string(), "too_large", "too large"),
    ] {
        let error =
            WebSearchHarness::start(status, body).await.search(json!({ "query": "x" })).await.expect_err("is none");
        assert!(error.code == code && error.message.contains(text), "{status}: {error:?}");
    }
    for arguments in [
        json!({}),
        json!({ "query": " " }),
        json!({ "query": "x".repeat(501) }),
        json!({ "query": "x", "time_range": "hour" }),
    ] {
        assert_eq!(none.search(arguments).await.expect_err("is refused").code, "arguments_invalid");
    }
}

#[tokio::test]
async fn an_unavailable_service_is_reported_without_its_address() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let tools = tools(&format!("http://ann:s3cret@{address}")).await;
    let call =
        async || tools.call(&call_context(&[]), "web_search", json!({ "query": "x" })).await.expect_err("is none");
    let silent = call().await;
    assert_eq!(
        (silent.code, silent.message.as_str()),
        ("tool_timed_out", "the search service timed out after 1 s; continue without it")
    );
    drop(listener);
    let away = call().await;
    assert_eq!(away.code, "tool_unavailable");
    assert!(!format!("{silent:?} {away:?}").contains("s3cret"));
}

#[tokio::test]
async fn web_search_is_off_without_an_address() {
    let mut settings = ToolSettings::default();
    settings.python.enabled = false;
    assert!(!ToolSet::of(&settings).await.names().contains(&"web_search"));
    assert!(tools("https://search.example.org").await.names().contains(&"web_search"));
    assert!(!tools("no address").await.names().contains(&"web_search"));
}
