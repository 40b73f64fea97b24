//! A server that sends a test's scripted response to every request, and records the requests.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use parking_lot::Mutex;
use tokio_util::task::AbortOnDropHandle;

/// Response of the stub.
#[derive(Clone)]
pub struct StubResponse {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

pub struct ModelStub {
    pub base_url: String,
    requests: StubRequests,
    _serving: AbortOnDropHandle<()>,
}

impl StubResponse {
    pub fn stream(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, headers: vec![("content-type", "text/event-stream".into())], body: body.into() }
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self { status, headers: vec![("content-type", "application/json".into())], body: body.into() }
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

impl ModelStub {
    pub async fn start(script: StubResponse) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let requests = StubRequests::default();
        let app = Router::new().fallback(answer).with_state((script, requests.clone()));
        let serving = tokio::spawn(async move {
            axum::serve(listener, app).await.expect("serves");
        });
        Self { base_url, requests, _serving: AbortOnDropHandle::new(serving) }
    }

    /// Returns the headers and the body of every request.
    pub fn requests(&self) -> Vec<(HeaderMap, serde_json::Value)> {
        self.requests.lock().iter().map(|(_, head, body)| (head.clone(), body.clone())).collect()
    }

    /// Returns the path of every request.
    pub fn paths(&self) -> Vec<String> {
        self.requests.lock().iter().map(|(path, ..)| path.clone()).collect()
    }
}

type StubRequests = Arc<Mutex<Vec<(String, HeaderMap, serde_json::Value)>>>;

async fn answer(State((script, requests)): State<(StubResponse, StubRequests)>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.expect("a body");
    let path = head.uri.path().to_owned();
    requests.lock().push((path, head.headers, serde_json::from_slice(&body).expect("JSON")));
    let mut response = Response::builder().status(StatusCode::from_u16(script.status).expect("a status"));
    for (name, value) in &script.headers {
        response = response.header(*name, value);
    }
    response.body(Body::from(script.body)).expect("a response")
}
