//! Spans on their way to a collector: OTLP over HTTP, in its JSON form. What cannot be sent is dropped and counted:
//! nothing of a run waits for it.

use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::span::{Attribute, attribute};
use super::{Span, happened};
use crate::agent::http_client;

/// Spans that wait, at most.
const WAITING: usize = 4096;
/// Spans that are sent together.
const TOGETHER: usize = 512;
/// How long the first of them waits for others.
const WINDOW: Duration = Duration::from_millis(500);
/// How long a collector may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a stop waits for the last ones.
const LAST: Duration = Duration::from_secs(2);

static EXPORT: OnceLock<mpsc::Sender<Span>> = OnceLock::new();

/// Whether anybody wants spans.
pub fn traced() -> bool {
    EXPORT.get().is_some()
}

/// Hand a span over.
pub fn export(span: Span) {
    if let Some(export) = EXPORT.get()
        && export.try_send(span).is_err()
    {
        happened().spans.count(["dropped"]);
    }
}

/// Sends spans until it is told to stop.
pub struct Exporter {
    stop: CancellationToken,
    sending: AbortOnDropHandle<()>,
}

impl Exporter {
    /// Send to the collector at `endpoint`, `http://127.0.0.1:4318` for example, as the node of this name.
    ///
    /// # Errors
    /// Where that is no address, or https is not to be had.
    pub fn start(endpoint: &str, node: &str) -> anyhow::Result<Self> {
        let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
        let url = reqwest::Url::parse(&url).map_err(|error| anyhow::anyhow!("log.otlp_endpoint: {error}"))?;
        let http = http_client(&url).timeout(PATIENCE).build()?;
        let (export, spans) = mpsc::channel(WAITING);
        // There is one process, and one who watches it; a second exporter has nothing to send.
        let _ = EXPORT.set(export);
        let stop = CancellationToken::new();
        let sending = tokio::spawn(send(http, url, resource(node), spans, stop.clone()));
        Ok(Self { stop, sending: AbortOnDropHandle::new(sending) })
    }

    /// Send what waits, and end.
    pub async fn finish(self) {
        self.stop.cancel();
        let _ = timeout(LAST, self.sending).await;
    }
}

async fn send(
    http: reqwest::Client,
    url: reqwest::Url,
    resource: Value,
    mut spans: mpsc::Receiver<Span>,
    stop: CancellationToken,
) {
    let mut silent = false;
    loop {
        let mut batch = vec![];
        let first = stop.run_until_cancelled(spans.recv()).await;
        if let Some(Some(span)) = first {
            batch.push(span);
            stop.run_until_cancelled(sleep(WINDOW)).await;
        }
        while batch.len() < TOGETHER
            && let Ok(span) = spans.try_recv()
        {
            batch.push(span);
        }
        if batch.is_empty() {
            return;
        }
        let sent = http
            .post(url.clone())
            .json(&body(&resource, &batch))
            .send()
            .await
            .and_then(reqwest::Response::error_for_status);
        let outcome = if sent.is_ok() { "sent" } else { "dropped" };
        happened().spans.add([outcome], batch.len() as u64);
        match sent {
            Ok(_) => silent = false,
            // The address may hold a password.
            Err(error) if !silent => {
                silent = true;
                tracing::warn!(error = %error.without_url(), "the collector does not take spans; they are dropped");
            }
            Err(_) => {}
        }
    }
}

/// Who sends. Of two nodes that have one name, as two on one machine may, the process tells which.
fn resource(node: &str) -> Value {
    let instance = format!("{node}/{}", std::process::id());
    let about = [
        ("service.name", "roundtable"),
        ("service.version", env!("CARGO_PKG_VERSION")),
        ("service.instance.id", &instance),
    ];
    let about: Vec<_> = about.iter().map(|(key, name)| attribute(key, &Attribute::from(*name))).collect();
    json!({ "attributes": about })
}

fn body(resource: &Value, batch: &[Span]) -> Value {
    let spans: Vec<_> = batch.iter().map(Span::json).collect();
    json!({ "resourceSpans": [{
        "resource": resource,
        "scopeSpans": [{ "scope": { "name": "roundtable" }, "spans": spans }],
    }] })
}
