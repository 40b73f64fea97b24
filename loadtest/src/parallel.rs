//! One run with a step of many parts. Each part is executed by an agent that streams in parallel with the others.

use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::Args;
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use roundtable::feed::frame;
use tokio::task::JoinSet;
use tokio::time::{Duration, Instant};

use crate::data::{Data, require_own_server};
use crate::planner::Planner;
use crate::report::{LatencyDistribution, Report, latency_histogram};
use crate::server::{Server, team_session};
use crate::watching_client::{WatchingClient, seq};
use crate::{disk, machine, runs};

/// Size of the scenario.
#[derive(Args)]
pub struct Parallel {
    /// Parts of the plan item, each executed by one agent.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=64))]
    pub parts: u64,
    /// Tokens per second in each part.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub rate: u64,
    /// Seconds that each part streams.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=120))]
    pub seconds: u64,
    /// Viewers of the run.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub viewers: u64,
    /// Runs, one after the other.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub rounds: u64,
}

/// Target for the latency of a delta, in milliseconds.
const TARGET: f64 = 5.0;

/// Maximum duration of a run, in addition to its streams.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Measures with the log in memory, which isolates the server itself, then on disk, where every commit waits for the
/// disk.
pub async fn measure(load: &Parallel, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "agents must use the model that plans and sends timestamps")?;
    let mut report = Report { scenario: "parallel", ..Report::default() };
    let (memory, disk) = (Data::in_memory()?, Data::sqlite()?);
    rounds(load, &memory, "in memory", &mut report).await?;
    let syncs = disk::measure_syncs(disk.folder.path(), 100, load.seconds).await?;
    report.distributions.push(LatencyDistribution::of("fdatasync of this disk while idle".into(), &syncs, None));
    rounds(load, &disk, "on the disk", &mut report).await?;
    Ok(report)
}

/// Executes runs in separate sessions. Measures how soon all parts are requested and the latency of their text, and
/// checks that all viewers and the planner see the same results in the right order.
async fn rounds(load: &Parallel, data: &Data, place: &str, report: &mut Report) -> anyhow::Result<()> {
    let token = data.administrator().await?;
    let (planner, settings) = Planner::serve(load).await?;
    let (server, address) = Server::real(data, &settings).await?;
    let deltas = Arc::new(Mutex::new(latency_histogram()));
    let (cpu, started) = (machine::cpu_seconds(server.pid)?, Instant::now());
    for _ in 0..load.rounds {
        let session = team_session(&address, &token, "solver-en").await?;
        let mut viewers = JoinSet::new();
        for viewer in WatchingClient::connect_many(&address, &token, &session, load.viewers).await? {
            viewers.spawn(watch(viewer, deltas.clone()));
        }
        runs::start_run(&address, &token, &session).await?;
        let all = tokio::time::timeout(TIMEOUT + Duration::from_secs(load.seconds), viewers.join_all()).await;
        let seen = all.context("a run does not end")?.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
        ensure!(seen.windows(2).all(|pair| pair[0] == pair[1]), "viewers saw different events");
    }
    let (cpu, seconds) = (machine::cpu_seconds(server.pid)? - cpu, started.elapsed().as_secs_f64());
    let record = std::mem::take(&mut *planner.record.lock());
    ensure!(record.streams == load.parts, "{} of {} parts streamed at once", record.streams, load.parts);
    ensure!(record.in_order == vec![load.parts; load.rounds as usize], "results in order: {:?}", record.in_order);
    let deltas = std::mem::replace(&mut *deltas.lock(), latency_histogram());
    for (label, histogram, target) in [
        ("model to viewer", &deltas, Some(TARGET)),
        ("plan to the first part's request", &record.first, None),
        ("plan to the last part's request", &record.last, None),
        ("last part's end to the planner's request", &record.merged, None),
    ] {
        report.distributions.push(LatencyDistribution::of(format!("{label}, log {place}"), histogram, target));
    }
    report.notes.push(format!(
        "log {place}: {} runs of {} parts in parallel, each {} tokens a second for {} s, {} viewers; results in the order \
         of the plan, all viewers saw the same events; the server used {:.0}% of a core, {:.0} µs a delivery",
        load.rounds,
        load.parts,
        load.rate,
        load.seconds,
        load.viewers,
        cpu / seconds * 100.0,
        cpu * 1e6 / deltas.len() as f64
    ));
    server.stop().await
}

/// Follows a run to its end. Returns its events, byte for byte.
async fn watch(mut viewer: WatchingClient, deltas: Arc<Mutex<Histogram<u64>>>) -> anyhow::Result<Vec<u8>> {
    let (mut events, mut last, mut gap, mut is_over) = (vec![], None, false, false);
    while !is_over {
        let on_frame = |text: &[u8]| {
            runs::record_token_latencies(text, &deltas);
            if frame::is_event(text) {
                let seq = seq(text);
                gap |= last.is_some() && seq != last.map(|last: u64| last + 1);
                last = seq;
                is_over |= text.windows(RUN_FINISHED.len()).any(|part| part == RUN_FINISHED);
                events.extend_from_slice(text);
            }
        };
        viewer.read(&mut { on_frame }).await?;
        ensure!(!gap, "a gap or a repetition before {last:?}");
    }
    Ok(events)
}

/// Field of the event that ends a run successfully.
const RUN_FINISHED: &[u8] = br#""event":"run.finished""#;
