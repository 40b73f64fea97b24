//! A model whose plan has one item of many parts. It streams the time for each part, and checks that the results return
//! in the order of the plan.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::response::Response;
use axum::routing::post;
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::parallel::Parallel;
use crate::report::latency_histogram;
use crate::timestamped_listener::{self, Arrival};
use crate::{chunks, machine, timing_model};

/// Text in front of a part's number, in the task of an executor and in its result.
const TASK: &str = "| Part ";
const RESULT: &str = "| Result of part ";

/// The model and its records.
pub struct Planner {
    parts: u64,
    rate: u64,
    tokens: u64,
    /// Times at which the last byte of the plan and the last byte of the last part were sent.
    plan_sent_at: AtomicU64,
    last_part_sent_at: AtomicU64,
    streams: AtomicU64,
    pub record: Mutex<PlannerRecord>,
}

/// Records of a planner.
pub struct PlannerRecord {
    /// Number of parts requested in this run.
    requested: u64,
    /// Time from the plan to the first byte of the first request for a part, and to that of the last such request.
    pub first: Histogram<u64>,
    pub last: Histogram<u64>,
    /// Time from the last byte of the last part to the request with all results.
    pub merged: Histogram<u64>,
    /// Maximum number of concurrent streams.
    pub streams: u64,
    /// Number of results that returned in the order of the plan, per run.
    pub in_order: Vec<u64>,
}

impl Default for PlannerRecord {
    fn default() -> Self {
        let (first, last, merged) = (latency_histogram(), latency_histogram(), latency_histogram());
        Self { requested: 0, first, last, merged, streams: 0, in_order: vec![] }
    }
}

impl Planner {
    /// Serves on a free port until this process ends. Returns the settings of a server that uses the model.
    pub async fn serve(load: &Parallel) -> anyhow::Result<(Arc<Self>, Vec<(&'static str, String)>)> {
        let planner = Arc::new(Self {
            parts: load.parts,
            rate: load.rate,
            tokens: load.rate * load.seconds,
            plan_sent_at: AtomicU64::new(0),
            last_part_sent_at: AtomicU64::new(0),
            streams: AtomicU64::new(0),
            record: Mutex::default(),
        });
        let app = axum::Router::new().route("/v1/chat/completions", post(turn)).with_state(planner.clone());
        let mut settings = timing_model::settings(timestamped_listener::serve(app).await?, "clock").to_vec();
        // The agent that combines the results must be able to read all of them.
        settings.push(("PROVIDERS__NAMED__CLOCK__CONTEXT_WINDOW", "100000000".to_owned()));
        Ok((planner, settings))
    }

    fn part(self: Arc<Self>, number: &str, at: u64) -> Response {
        let streams = self.streams.fetch_add(1, Ordering::Relaxed) + 1;
        let mut record = self.record.lock();
        let delay = at.saturating_sub(self.plan_sent_at.load(Ordering::Relaxed));
        record.requested += 1;
        if record.requested == 1 {
            record.first.saturating_record(delay);
        }
        if record.requested == self.parts {
            record.last.saturating_record(delay);
        }
        record.streams = record.streams.max(streams);
        drop(record);
        let (rate, tokens) = (self.rate, self.tokens);
        timing_model::stream(rate, tokens, format!("Result of part {number}: "), move || {
            self.streams.fetch_sub(1, Ordering::Relaxed);
            self.last_part_sent_at.store(machine::nanos(), Ordering::Relaxed);
        })
    }

    /// Handles the request that contains all results.
    fn merge(&self, content: &str, at: u64) -> Response {
        let results = content.split(RESULT).skip(1).filter_map(number);
        let in_order = (0..).zip(results).take_while(|(place, part)| part.parse() == Ok(*place)).count() as u64;
        let mut record = self.record.lock();
        record.merged.saturating_record(at.saturating_sub(self.last_part_sent_at.load(Ordering::Relaxed)));
        record.in_order.push(in_order);
        record.requested = 0;
        plan(&json!({ "command": "finish" }))
    }

    fn propose(&self) -> Response {
        let parts: Vec<_> = (0..self.parts).map(|part| format!("Part {part}.")).collect();
        self.plan_sent_at.store(machine::nanos(), Ordering::Relaxed);
        plan(&json!({ "command": "create", "title": "Parts", "items": [parts.join("<sep>")] }))
    }
}

fn plan(arguments: &Value) -> Response {
    chunks::stream([chunks::call("plan", arguments), chunks::end("tool_calls")].concat())
}

async fn turn(
    ConnectInfo(arrival): ConnectInfo<Arrival>,
    State(planner): State<Arc<Planner>>,
    Json(request): Json<Value>,
) -> Response {
    let last = request["messages"].as_array().and_then(|messages| messages.last()).unwrap_or(&Value::Null);
    let content = last["content"].as_str().unwrap_or_default();
    if let Some(number) = content.rsplit_once(TASK).and_then(|(_, rest)| number(rest)) {
        return planner.part(number, arrival.at());
    }
    let can_plan =
        request["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["function"]["name"] == "plan"));
    match (can_plan, content.contains(RESULT)) {
        (true, true) => planner.merge(content, arrival.at()),
        (true, false) => planner.propose(),
        (false, _) => chunks::stream([chunks::text("All parts are done."), chunks::end("stop")].concat()),
    }
}

/// Returns the digits at the beginning of a text.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}
