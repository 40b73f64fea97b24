//! Exporter of spans to a collector: OTLP over HTTP, as JSON. Spans that cannot be sent are dropped and counted, so
//! that no run waits for the collector.

use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::span::{Attribute, attribute};
use super::{Span, metrics};
use crate::http_client;

/// Maximum number of spans that wait to be sent.
const MAX_QUEUED_SPANS: usize = 4096;
/// Maximum number of spans per request.
const BATCH_SPANS: usize = 512;
/// Time that the first span of a request waits for others.
const BATCH_WINDOW: Duration = Duration::from_millis(500);
/// Timeout of a request to the collector.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time that a shutdown waits for the last spans.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

static EXPORT: OnceLock<mpsc::Sender<Span>> = OnceLock::new();

/// Returns whether spans are exported.
pub fn is_enabled() -> bool {
    EXPORT.get().is_some()
}

/// Queues a span for export, or drops it if the queue is full.
pub fn export(span: Span) {
    if let Some(export) = EXPORT.get()
        && export.try_send(span).is_err()
    {
        metrics().spans.count(["dropped"]);
    }
}

/// Background job that sends spans until it is stopped.
pub struct Exporter {
    stop: CancellationToken,
    sending: AbortOnDropHandle<()>,
}

impl Exporter {
    /// Starts sending to the collector at `endpoint`, for example `http://127.0.0.1:4318`, as the node of this name.
    ///
    /// # Errors
    /// Fails if `endpoint` is not a URL, or the HTTP client cannot be created.
    pub fn start(endpoint: &str, node: &str) -> anyhow::Result<Self> {
        let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
        let url = reqwest::Url::parse(&url).map_err(|error| anyhow::anyhow!("log.otlp_endpoint: {error}"))?;
        let http = http_client::client(&url).timeout(EXPORT_TIMEOUT).build()?;
        let (export, spans) = mpsc::channel(MAX_QUEUED_SPANS);
        // One exporter per process; a second one would have nothing to send.
        let _ = EXPORT.set(export);
        let stop = CancellationToken::new();
        let sending = tokio::spawn(send(http, url, resource(node), spans, stop.clone()));
        Ok(Self { stop, sending: AbortOnDropHandle::new(sending) })
    }

    /// Sends the queued spans and stops.
    pub async fn finish(self) {
        self.stop.cancel();
        let _ = timeout(SHUTDOWN_TIMEOUT, self.sending).await;
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
            stop.run_until_cancelled(sleep(BATCH_WINDOW)).await;
        }
        while batch.len() < BATCH_SPANS
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
        metrics().spans.add([outcome], batch.len() as u64);
        match sent {
            Ok(_) => silent = false,
            // Without the URL, which can contain a password.
            Err(error) if !silent => {
                silent = true;
                tracing::warn!(error = %error.without_url(), "the collector does not accept spans; dropping them");
            }
            Err(_) => {}
        }
    }
}

/// Returns the OTLP resource that identifies this node as the sender of the spans. The process id distinguishes two
/// nodes with the same name, for example on one machine.
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
