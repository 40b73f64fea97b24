//! A run is one trace, even if the server that started the run dies.

use std::collections::{HashMap, HashSet};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::server::ServerProcess;
use super::viewer::{ViewerState, event};
use crate::server::with_timeout;

/// An OpenTelemetry collector that stores the spans that it receives.
struct TraceCollector {
    endpoint: String,
    spans: mpsc::UnboundedReceiver<Value>,
    seen: Vec<Value>,
}

impl TraceCollector {
    async fn start() -> Self {
        let (send, spans) = mpsc::unbounded_channel();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let take = async |State(send): State<mpsc::UnboundedSender<Value>>, Json(body): Json<Value>| {
            for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().expect("spans") {
                let _ = send.send(of_node(span, &body["resourceSpans"][0]["resource"]));
            }
            Json(json!({}))
        };
        let router = Router::new().route("/v1/traces", post(take)).with_state(send);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { endpoint, spans, seen: vec![] }
    }

    /// Waits until there are this many spans with this name.
    async fn wait_for(&mut self, name: &str, count: usize) {
        while self.seen.iter().filter(|span| span["name"] == name).count() < count {
            self.seen.push(with_timeout(self.spans.recv()).await.expect("goes on"));
        }
    }
}

/// Returns the span with the node that sent it.
fn of_node(span: &Value, resource: &Value) -> Value {
    let mut span = span.clone();
    span["node"] = attributes(resource)["service.instance.id"].clone().into();
    span
}

fn attributes(span: &Value) -> HashMap<&str, String> {
    let of = |attribute: &Value| {
        let value = &attribute["value"];
        value["stringValue"].as_str().or(value["intValue"].as_str()).expect("a value").to_owned()
    };
    let list = span["attributes"].as_array().expect("a list");
    list.iter().map(|attribute| (attribute["key"].as_str().expect("a key"), of(attribute))).collect()
}

#[tokio::test]
async fn a_run_is_one_trace_across_a_server_crash() {
    let mut collector = TraceCollector::start().await;
    let endpoint = collector.endpoint.clone();
    let demo = [
        ("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "400"),
        ("ROUNDTABLE_DEMO__DELAY_MS", "0"),
        ("ROUNDTABLE_LOG__OTLP_ENDPOINT", &*endpoint),
        ("ROUNDTABLE_CLUSTER__NAME", "anvil"),
    ];
    let mut server = ServerProcess::start(&demo).await;
    let session = server.create().await;
    let mut seen = ViewerState::default();
    let mut viewer = server.viewer().await;
    viewer.join(&session, 0).await;
    viewer.command(&session, "c1", "say", json!({ "text": "write test cases for xyzzy-77" })).await;
    viewer.wait_for(&mut seen, |frame| frame["type"] == "delta").await.expect("writes");
    collector.wait_for("append", 1).await;
    server.kill().await;
    while viewer.wait_for(&mut seen, |_| false).await.is_some() {}
    server.restart().await;
    viewer = server.viewer().await;
    viewer.join(&session, seen.seq()).await;
    viewer.wait_for(&mut seen, event("gate.opened")).await.expect("asks people");
    viewer.command(&session, "c2", "say", json!({ "text": "approve" })).await;
    viewer.wait_for(&mut seen, event("run.finished")).await.expect("finishes");
    let steps = seen.events.iter().filter(|event| event["event"] == "step.completed").count();
    for (name, count) in [("run", 1), ("gate", 1), ("step", steps)] {
        collector.wait_for(name, count).await;
    }

    let spans = &collector.seen;
    let traces: HashSet<&str> = spans.iter().map(|span| span["traceId"].as_str().expect("an id")).collect();
    assert_eq!(traces.len(), 1, "{spans:?}");
    assert_eq!(traces.iter().next().expect("one").len(), 32);
    let named = |name: &str| spans.iter().filter(|span| span["name"] == name).collect::<Vec<_>>();
    let run = named("run")[0];
    assert!(run["parentSpanId"].is_null());
    assert_eq!(attributes(run)["roundtable.session"], session);
    let outcomes: Vec<String> =
        named("turn").iter().map(|turn| attributes(turn)["roundtable.outcome"].clone()).collect();
    assert_eq!(outcomes[..2], ["lost", "ok"], "the attempt that the death cut off, and the one that took it up");
    let nodes: HashSet<&str> = spans.iter().map(|span| span["node"].as_str().expect("a node")).collect();
    assert!(nodes.len() == 2 && nodes.iter().all(|node| node.starts_with("anvil/")), "{nodes:?}");
    let answered = attributes(named("turn")[1]);
    assert_eq!((&*answered["gen_ai.provider.name"], &*answered["roundtable.attempt"]), ("demo", "2"));
    assert!(answered["gen_ai.usage.output_tokens"].parse::<u64>().expect("a number") > 0);
    for (part, whole) in [("step", "run"), ("turn", "step"), ("append", "command"), ("gate", "run"), ("command", "run")]
    {
        let of_whole: HashSet<_> = named(whole).iter().map(|span| span["spanId"].as_str()).collect();
        for span in named(part) {
            assert!(of_whole.contains(&span["parentSpanId"].as_str()), "{span}");
            let time = |name: &str| span[name].as_str().expect("a text").parse::<u64>().expect("nanoseconds");
            assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"), "{span}");
        }
    }
    let all = Value::from(collector.seen.clone()).to_string();
    // These texts cannot occur by chance within hexadecimal ids.
    for hidden in ["xyzzy-77", "approve", &server.token, "\"ada\"", "Bearer"] {
        assert!(!all.contains(hidden), "{hidden}");
    }
}
