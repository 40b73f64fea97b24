//! A model that plans one step of many parts, streams the time for each part, and checks that the results return in the
//! order of the plan.

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
use crate::report::latencies;
use crate::timestamped_listener::{self, Arrival};
use crate::{clock, machine, pieces};

/// Text in front of a part's number, in the task of an executor and in its result.
const TASK: &str = "| Part ";
const RESULT: &str = "| Result of part ";

/// The model and its records.
pub struct Planner {
    parts: u64,
    rate: u64,
    tokens: u64,
    /// Times at which the last byte of the plan and the last byte of the last part were sent.
    planned: AtomicU64,
    done: AtomicU64,
    streams: AtomicU64,
    pub noted: Mutex<PlannerRecord>,
}

/// Records of a planner.
pub struct PlannerRecord {
    /// Number of parts requested in this run.
    asked: u64,
    /// Time from the plan to the first byte of the first request for a part, and of the last such request.
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
        let (first, last, merged) = (latencies(), latencies(), latencies());
        Self { asked: 0, first, last, merged, streams: 0, in_order: vec![] }
    }
}

impl Planner {
    /// Serves on a free port until this process ends. Returns the settings of a server that uses it.
    pub async fn serve(load: &Parallel) -> anyhow::Result<(Arc<Self>, Vec<(&'static str, String)>)> {
        let here = Arc::new(Self {
            parts: load.parts,
            rate: load.rate,
            tokens: load.rate * load.seconds,
            planned: AtomicU64::new(0),
            done: AtomicU64::new(0),
            streams: AtomicU64::new(0),
            noted: Mutex::default(),
        });
        let app = axum::Router::new().route("/v1/chat/completions", post(turn)).with_state(here.clone());
        let mut settings = clock::settings(timestamped_listener::serve(app).await?, "clock").to_vec();
        // The agent that joins the results must read all of them.
        settings.push(("PROVIDERS__NAMED__CLOCK__CONTEXT_WINDOW", "100000000".to_owned()));
        Ok((here, settings))
    }

    fn part(self: Arc<Self>, number: &str, at: u64) -> Response {
        let streams = self.streams.fetch_add(1, Ordering::Relaxed) + 1;
        let mut noted = self.noted.lock();
        let waited = at.saturating_sub(self.planned.load(Ordering::Relaxed));
        noted.asked += 1;
        if noted.asked == 1 {
            noted.first.saturating_record(waited);
        }
        if noted.asked == self.parts {
            noted.last.saturating_record(waited);
        }
        noted.streams = noted.streams.max(streams);
        drop(noted);
        let (rate, tokens) = (self.rate, self.tokens);
        clock::stream(rate, tokens, format!("Result of part {number}: "), move || {
            self.streams.fetch_sub(1, Ordering::Relaxed);
            self.done.store(machine::nanos(), Ordering::Relaxed);
        })
    }

    /// Handles the request that contains all results.
    fn merge(&self, asked: &str, at: u64) -> Response {
        let results = asked.split(RESULT).skip(1).filter_map(number);
        let in_order = (0..).zip(results).take_while(|(place, part)| part.parse() == Ok(*place)).count() as u64;
        let mut noted = self.noted.lock();
        noted.merged.saturating_record(at.saturating_sub(self.done.load(Ordering::Relaxed)));
        noted.in_order.push(in_order);
        noted.asked = 0;
        plan(&json!({ "command": "finish" }))
    }

    fn propose(&self) -> Response {
        let parts: Vec<_> = (0..self.parts).map(|part| format!("Part {part}.")).collect();
        self.planned.store(machine::nanos(), Ordering::Relaxed);
        plan(&json!({ "command": "create", "title": "Parts", "items": [parts.join("<sep>")] }))
    }
}

fn plan(arguments: &Value) -> Response {
    pieces::stream([pieces::call("plan", arguments), pieces::end("tool_calls")].concat())
}

async fn turn(
    ConnectInfo(arrival): ConnectInfo<Arrival>,
    State(here): State<Arc<Planner>>,
    Json(request): Json<Value>,
) -> Response {
    let last = request["messages"].as_array().and_then(|messages| messages.last()).unwrap_or(&Value::Null);
    let asked = last["content"].as_str().unwrap_or_default();
    if let Some(number) = asked.rsplit_once(TASK).and_then(|(_, rest)| number(rest)) {
        return here.part(number, arrival.at());
    }
    let plans =
        request["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["function"]["name"] == "plan"));
    match (plans, asked.contains(RESULT)) {
        (true, true) => here.merge(asked, arrival.at()),
        (true, false) => here.propose(),
        (false, _) => pieces::stream([pieces::words("All parts are done."), pieces::end("stop")].concat()),
    }
}

/// Returns the digits at the beginning of a text.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}
