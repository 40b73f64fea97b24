//! Teams created from a topology: the creation of the largest one, many executions at once, and an execution with 2,000
//! agents.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use axum::extract::{ConnectInfo, State};
use axum::response::Response;
use axum::routing::post;
use clap::Args;
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::data::{Data, require_own_server};
use crate::report::{LatencyDistribution, Report, latency_histogram};
use crate::server::{self, Server};
use crate::stamp::{self, Cause};
use crate::timestamped_listener::{self, Arrival};
use crate::{chunks, disk, machine, timing_model};

/// Size of the scenario.
#[derive(Args)]
pub struct Executions {
    /// Number of times to create the largest team, one after the other.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub teams: u64,
    /// Executions, one after the other.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub sequential: u64,
    /// Concurrent executions.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    pub executions: u64,
    /// Executions with 2,000 agents, one after the other.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub rounds: u64,
}

/// Target for the p99 of each of these, in milliseconds.
const CREATION_TARGET_MS: f64 = 5.0;
const DELIVERY_TARGET_MS: f64 = 50.0;
const STEP_TARGET_MS: f64 = 2.0;
const START_TARGET_MS: f64 = 500.0;
/// Time within which the concurrent executions start, and the time that the model takes for each of their responses.
/// The last execution starts before the first one ends.
const START_PERIOD: Duration = Duration::from_secs(15);
const RESPONSE_DELAY: Duration = Duration::from_secs(4);
/// Size of the largest topology.
const NODES: usize = 100;
const AGENTS: usize = 20;

/// Measures with the log in memory, which isolates the server itself, then on disk, where every commit waits for the
/// disk.
pub async fn measure(load: &Executions, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "agents must use the model that sends timestamps")?;
    let mut report = Report { scenario: "executions", ..Report::default() };
    let (memory, disk) = (Data::in_memory()?, Data::sqlite()?);
    rounds(load, &memory, "in memory", &mut report).await?;
    let syncs = disk::measure_syncs(disk.folder.path(), 100, 5).await?;
    report.distributions.push(LatencyDistribution::of("fdatasync of this disk while idle".into(), &syncs, None));
    rounds(load, &disk, "on the disk", &mut report).await?;
    Ok(report)
}

async fn rounds(load: &Executions, data: &Data, place: &str, report: &mut Report) -> anyhow::Result<()> {
    let token = data.administrator().await?;
    let (model, mut settings) = StampingModel::serve().await?;
    settings.extend([
        ("TEAMS__MAX_PER_PARTICIPANT", "100000".to_owned()),
        ("TEAMS__MAX_BYTES_PER_PARTICIPANT", (8_u64 << 30).to_string()),
        ("QUOTAS__SESSION_SETTINGS__MAX_PARALLEL", "4096".to_owned()),
        // One participant acts for many.
        ("QUOTAS__MAX_RUNS", "100000".to_owned()),
        ("QUOTAS__MAX_SESSIONS", "1000000".to_owned()),
        ("HTTP__MAX_CONCURRENT_REQUESTS", "60000".to_owned()),
    ]);
    let (server, address) = Server::real(data, &settings).await?;
    let mut add_latency = |label: &str, histogram: &Histogram<u64>, target| {
        report.distributions.push(LatencyDistribution::of(format!("{label}, log {place}"), histogram, target));
    };

    let largest = team("round_robin", NODES, AGENTS).to_string();
    let (mut creation, mut team_of_2000) = (latency_histogram(), String::new());
    for _ in 0..load.teams {
        let started = Instant::now();
        let team = server::post_text(&address, &token, "/api/v1/teams", &largest).await?;
        creation.saturating_record(nanos(started));
        team_of_2000 = team["team_id"].as_str().context("no team")?.to_owned();
    }
    add_latency("creation of a team of 100 × 20 agents", &creation, Some(CREATION_TARGET_MS));

    let small = server::post(&address, &token, "/api/v1/teams", &team("round_robin", 2, 2)).await?;
    let small = small["team_id"].as_str().context("no team")?.to_owned();
    for _ in 0..load.sequential {
        execute(&address, &token, &small, &mut latency_histogram()).await?;
    }
    add_latency(
        "response of an agent to the next request, one execution at a time",
        &model.take().steps,
        Some(STEP_TARGET_MS),
    );

    model.delay_ms.store(RESPONSE_DELAY.as_millis() as u64, Ordering::Relaxed);
    let (cpu, started) = (machine::cpu_seconds(server.pid)?, Instant::now());
    let mut running = JoinSet::new();
    for at in 0..load.executions {
        let (address, token, small) = (address.clone(), token.clone(), small.clone());
        let start = START_PERIOD.mul_f64(at as f64 / load.executions as f64);
        running.spawn(async move {
            tokio::time::sleep(start).await;
            let mut latencies = latency_histogram();
            execute(&address, &token, &small, &mut latencies).await.map(|()| latencies)
        });
    }
    let mut latencies = latency_histogram();
    for result in running.join_all().await {
        latencies.add(result?)?;
    }
    let (cpu, seconds) = (machine::cpu_seconds(server.pid)? - cpu, started.elapsed().as_secs_f64());
    add_latency(
        &format!("event to viewer, {} executions at once", load.executions),
        &latencies,
        Some(DELIVERY_TARGET_MS),
    );
    model.delay_ms.store(0, Ordering::Relaxed);
    model.take();

    let mut spread = latency_histogram();
    for _ in 0..load.rounds {
        execute(&address, &token, &team_of_2000, &mut latency_histogram()).await?;
        let requests = model.take();
        ensure!(requests.agents == NODES * AGENTS, "{} requests of agents", requests.agents);
        spread.saturating_record(requests.last.saturating_sub(requests.first));
    }
    add_latency("first to last request of 2,000 agents", &spread, Some(START_TARGET_MS));
    report.notes.push(format!(
        "log {place}: {} executions, started within {} s, with {} s for each response of the model, took {seconds:.1} s; the \
         server used {:.0}% of a core, {:.1} ms an execution",
        load.executions,
        START_PERIOD.as_secs(),
        RESPONSE_DELAY.as_secs(),
        cpu / seconds * 100.0,
        cpu * 1e3 / load.executions as f64
    ));
    server.stop().await
}

fn nanos(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Returns a team with parallel nodes.
fn team(strategy: &str, nodes: usize, agents: usize) -> Value {
    let supervisor = |strategy: &str| {
        json!({
            "model_provider": "clock", "model_id": "clock", "system_prompt": "You lead.",
            "coordination_strategy": strategy,
        })
    };
    let agent = |at: usize| {
        json!({
            "agent_id": format!("agent-{at}"), "agent_name": "Agent", "model_provider": "clock", "model_id": "clock",
            "system_prompt": "You are one of the agents.", "user_prompt_template": "{task}",
        })
    };
    let node = |at: usize| {
        json!({
            "node_id": format!("node-{at}"), "node_name": "Node", "node_type": "service",
            "agents": (0..agents).map(agent).collect::<Vec<_>>(), "supervisor_config": supervisor(strategy),
        })
    };
    let nodes: Vec<Value> = (0..nodes).map(node).collect();
    json!({
        "team_name": "Load", "timeout_seconds": 600,
        "topology": {
            "nodes": nodes, "edges": [], "allow_isolated_nodes": true, "global_supervisor": supervisor("parallel"),
        },
    })
}

/// Executes a team, and reads its stream to the end. Records the time from each event, which has a timestamp in
/// milliseconds, to its arrival.
async fn execute(address: &str, token: &str, team: &str, latencies: &mut Histogram<u64>) -> anyhow::Result<()> {
    let mut tcp = TcpStream::connect(address).await?;
    let body = json!({ "input": { "task": "Look." } }).to_string();
    let request = format!(
        "POST /api/v1/teams/{team}/execute HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    tcp.write_all(request.as_bytes()).await?;
    let (mut lines, mut end) = (BufReader::new(tcp).lines(), String::new());
    while let Some(line) = lines.next_line().await? {
        let Some(data) = line.strip_prefix("data: ") else {
            ensure!(!line.contains("error_code"), "an execution was refused: {line}");
            continue;
        };
        let event: Value = serde_json::from_str(data)?;
        let at: roundtable::kernel::Timestamp = serde_json::from_value(event["timestamp"].clone())?;
        latencies.saturating_record(machine::nanos().saturating_sub(at.millis() * 1_000_000));
        end = event["event"].as_str().unwrap_or_default().to_owned();
    }
    ensure!(end == "execution_complete", "an execution ended with {end:?}");
    Ok(())
}

/// A model that responds with the time, immediately or after a delay.
struct StampingModel {
    /// Milliseconds before each response.
    delay_ms: AtomicU64,
    requests: Mutex<Requests>,
}

/// Records of the requests to the model.
struct Requests {
    /// Time from the response that a request is based on to the request.
    steps: Histogram<u64>,
    /// Number of requests from agents, without those from supervisors.
    agents: usize,
    /// Arrival times of the first and the last of these requests, in nanoseconds.
    first: u64,
    last: u64,
}

impl Requests {
    fn new() -> Self {
        Self { steps: latency_histogram(), agents: 0, first: u64::MAX, last: 0 }
    }
}

impl StampingModel {
    /// Serves on a free port until this process ends. Returns the settings of a server that uses the model.
    async fn serve() -> anyhow::Result<(Arc<Self>, Vec<(&'static str, String)>)> {
        let model = Arc::new(Self { delay_ms: AtomicU64::new(0), requests: Mutex::new(Requests::new()) });
        let app = axum::Router::new().route("/v1/chat/completions", post(turn)).with_state(model.clone());
        let address = timestamped_listener::serve(app).await?;
        Ok((model, timing_model::settings(address, "clock").to_vec()))
    }

    /// Records a request that arrived at this time.
    fn record(&self, arrived_at: u64, request: &str) {
        let mut requests = self.requests.lock();
        if let Some((_, at)) = stamp::newest(request) {
            requests.steps.saturating_record(arrived_at.saturating_sub(at));
        }
        if request.contains("You are one of the agents.") {
            requests.agents += 1;
            requests.first = requests.first.min(arrived_at);
            requests.last = requests.last.max(arrived_at);
        }
    }

    /// Returns and clears the records.
    fn take(&self) -> Requests {
        std::mem::replace(&mut *self.requests.lock(), Requests::new())
    }
}

async fn turn(
    ConnectInfo(arrival): ConnectInfo<Arrival>,
    State(model): State<Arc<StampingModel>>,
    request: String,
) -> Response {
    model.record(arrival.at(), &request);
    match model.delay_ms.load(Ordering::Relaxed) {
        0 => {}
        delay => tokio::time::sleep(Duration::from_millis(delay)).await,
    }
    let chunk = chunks::text(&format!("It is {}", Cause::Response.stamp()));
    chunks::stream([&chunk[..], &chunks::end("stop")].concat())
}
