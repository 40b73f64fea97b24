//! Deep search against a stub that behaves like SearXNG and serves its own pages.

use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};
use parking_lot::Mutex;
use roundtable::tool::{SideEffect, ToolSettings};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::{ToolSet, call_context};

/// Requests, in order.
type SearchRequests = Arc<Mutex<Vec<String>>>;

struct WebStub {
    url: String,
    requests: SearchRequests,
    _serving: AbortOnDropHandle<()>,
}

impl WebStub {
    async fn start() -> Self {
        let requests = SearchRequests::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let app = Router::new().route("/search", get(search)).route("/pages/{name}", get(page));
        let app = app.with_state((url.clone(), requests.clone()));
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.expect("serves") });
        Self { url, requests, _serving: AbortOnDropHandle::new(serving) }
    }

    async fn tools(&self, private: bool) -> ToolSet {
        let mut settings = ToolSettings::default();
        settings.python.enabled = false;
        settings.web_search.url = Some(self.url.clone());
        settings.web_search.timeout_seconds = 1;
        settings.web_search.max_response_bytes = 100_000;
        settings.web_search.private_addresses = private;
        ToolSet::of(&settings).await
    }
}

async fn search(State((url, requests)): State<(String, SearchRequests)>, RawQuery(query): RawQuery) -> Json<Value> {
    let query = reqwest::Url::parse(&format!("{url}?{}", query.unwrap_or_default())).expect("an address");
    let q = query.query_pairs().find(|(name, _)| name == "q").expect("text").1.into_owned();
    requests.lock().push(q.clone());
    let result =
        |name: &str, summary: &str| json!({ "url": format!("{url}/pages/{name}"), "title": name, "content": summary });
    let results = match &*q {
        "refund fees" => vec![result("rules", ""), result("rules#part", ""), result("picture", "A summary of fees.")],
        "refund days" => vec![result("moved", ""), result("lost", ""), json!({ "url": "javascript:alert(1)" })],
        _ => vec![],
    };
    Json(json!({ "results": results }))
}

async fn page(State((url, requests)): State<(String, SearchRequests)>, Path(name): Path<String>) -> Response {
    requests.lock().push(name.clone());
    let html = |body: Vec<u8>, kind: &'static str| ([(header::CONTENT_TYPE, kind)], body).into_response();
    match &*name {
        "rules" => {
            let filler = "<p>Nothing to see here.</p>".repeat(200);
            let page = format!("<title>Rules</title><nav>Menu</nav>{filler}<h1>Fees</h1><p>A refund has no fees.</p>");
            html(page.into_bytes(), "text/html; charset=utf-8")
        }
        "moved" => Redirect::permanent(&format!("{url}/pages/gbk")).into_response(),
        // 退款在 30 日内 in GBK.
        "gbk" => html(
            [
                b"<meta charset=gbk><title>refund days</title><p>refund ".as_slice(),
                b"\xcd\xcb\xbf\xee\xd4\xda 30 \xc8\xd5\xc4\xda",
            ]
            .concat(),
            "text/html",
        ),
        "picture" => html(vec![0, 1, 2], "image/png"),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

#[tokio::test]
async fn pages_are_read_and_their_best_passages_returned_with_sources() {
    let web = WebStub::start().await;
    let tools = web.tools(true).await;
    let spec = tools.named("deep_search").spec().clone();
    assert_eq!((spec.effect, spec.idempotent), (SideEffect::Outbound, true));
    let queries = json!({ "queries": ["refund fees", "refund days", "unknown"] });
    let output = tools.call(&call_context(&[]), "deep_search", queries).await.expect("is answered");
    let url = &web.url;
    let expected = format!(
        "[1] \"Rules\"\n    \"{url}/pages/rules\"\n| # Fees\n|\n| A refund has no fees.\n\n\
         [2] \"refund days\"\n    \"{url}/pages/moved\"\n| refund 退款在 30 日内\n\n\
         [3] \"lost\"\n    \"{url}/pages/lost\"\n[not read: the server returned status 404]\n\n\
         [4] \"picture\"\n    \"{url}/pages/picture\"\n| A summary of fees.\n\n"
    );
    assert_eq!(output, expected);
    assert_eq!(
        web.requests.lock().iter().filter(|requests| *requests == "rules").count(),
        1,
        "no page is opened twice"
    );
}

#[tokio::test]
async fn nothing_is_opened_that_is_not_on_the_public_web() {
    let web = WebStub::start().await;
    let tools = web.tools(false).await;
    let output = tools
        .call(&call_context(&[]), "deep_search", json!({ "queries": ["refund days"] }))
        .await
        .expect("is answered");
    assert_eq!(output.matches("[not read: its URL is not on the public web]").count(), 2, "{output}");
    assert_eq!(*web.requests.lock(), ["refund days"], "only the service that the operator named is asked");
}

#[tokio::test]
async fn invalid_searches_are_rejected() {
    let web = WebStub::start().await;
    let tools = web.tools(true).await;
    for queries in [json!([]), json!(["a", "b", "c", "d", "e", "f"]), json!([" "])] {
        let refused =
            tools.call(&call_context(&[]), "deep_search", json!({ "queries": queries })).await.expect_err("is refused");
        assert_eq!(refused.code, "arguments_invalid", "{refused:?}");
    }
    let mut settings = ToolSettings::default();
    settings.python.enabled = false;
    settings.web_search.url = Some(web.url.clone());
    settings.web_search.max_pages = 0;
    assert!(ToolSet::of(&settings).await.names().iter().all(|name| *name != "deep_search"));
}
