//! Many viewers of one session: the cost of a delivery at full speed, and the latency of a steady flow.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use roundtable::feed::frame;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::data::require_own_server;
use crate::report::{Report, latency_histogram, median};
use crate::server::Server;
use crate::watching_client::{WatchingClient, sent_at, seq};
use crate::{bare, machine};

/// Size of the scenario.
#[derive(Args, Clone)]
pub struct Fanout {
    /// Viewers of the session at full speed.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=15_000))]
    pub viewers: u64,
    /// Events per round.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    pub events: u64,
    /// Size of an event as JSON, in bytes.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u64).range(230..=65_536))]
    pub bytes: u64,
    /// Rounds; each measures the bare loop and the server one after the other.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=50))]
    pub rounds: u64,
    /// Viewers of the steady flow.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    pub steady_viewers: u64,
    /// Events per second of the steady flow.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    pub steady_rate: u64,
    /// Duration of the steady flow, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    pub steady_seconds: u64,
}

/// Timeout of a round.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A server at full speed, or the bare loop, with viewers that read continuously.
pub struct FanoutServer {
    server: Server,
    counter: Arc<DeliveryCounter>,
    viewers: u64,
    readers: JoinSet<anyhow::Result<()>>,
}

#[derive(Default)]
struct DeliveryCounter {
    deliveries: AtomicU64,
    target: AtomicU64,
    done: Notify,
}

impl FanoutServer {
    /// Starts a reader for each viewer. If `checked`, each viewer requires a gapless log.
    pub fn new(server: Server, viewers: Vec<WatchingClient>, checked: bool) -> Self {
        let counter = Arc::new(DeliveryCounter { target: AtomicU64::new(u64::MAX), ..DeliveryCounter::default() });
        let count = viewers.len() as u64;
        let mut readers = JoinSet::new();
        for viewer in viewers {
            readers.spawn(count_deliveries(viewer, counter.clone(), checked));
        }
        Self { server, counter, viewers: count, readers }
    }

    /// Runs one round. Returns CPU seconds per million deliveries, and deliveries per second.
    pub async fn run(&mut self, events: u64) -> anyhow::Result<(f64, f64)> {
        let deliveries = events * self.viewers;
        let before = self.counter.deliveries.load(Ordering::Relaxed);
        self.counter.target.store(before + deliveries, Ordering::Relaxed);
        let (cpu, started) = (machine::cpu_seconds(self.server.pid)?, Instant::now());
        self.server.write_line(&events.to_string()).await?;
        tokio::select! {
            all = tokio::time::timeout(TIMEOUT, self.counter.done.notified()) => {
                all.with_context(|| format!("{} of {deliveries} deliveries came", self.counter.deliveries.load(Ordering::Relaxed) - before))?;
            }
            Some(ended) = self.readers.join_next() => ended?.context("a viewer was cut off")?,
        }
        let seconds = started.elapsed().as_secs_f64();
        let cpu = machine::cpu_seconds(self.server.pid)? - cpu;
        ensure!(self.server.read_line().await? == "published", "the server printed something else");
        let millions = deliveries as f64 / 1e6;
        Ok((cpu / millions, deliveries as f64 / seconds))
    }
}

async fn count_deliveries(
    mut viewer: WatchingClient,
    counter: Arc<DeliveryCounter>,
    checked: bool,
) -> anyhow::Result<()> {
    let mut last = viewer.seq;
    loop {
        let (mut delivered, mut gap) = (0, false);
        viewer
            .read(&mut |frame| {
                if !checked {
                    delivered += 1;
                } else if frame::is_event(frame) {
                    delivered += 1;
                    gap |= seq(frame) != Some(last + 1);
                    last += 1;
                }
            })
            .await?;
        ensure!(!gap, "a viewer saw a gap or a repetition before {last}");
        let before = counter.deliveries.fetch_add(delivered, Ordering::Relaxed);
        let target = counter.target.load(Ordering::Relaxed);
        if before < target && before + delivered >= target {
            counter.done.notify_one();
        }
    }
}

/// Measures the server at full speed against the bare loop, then the steady flow.
pub async fn measure(load: &Fanout, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "events are published directly, in a server of our own")?;
    let mut report = Report { scenario: "fanout", ..Report::default() };
    machine::avoid_core(0)?;
    measure_max_rate(load, &mut report).await?;
    measure_steady_flow(load, &mut report).await?;
    Ok(report)
}

async fn measure_max_rate(load: &Fanout, report: &mut Report) -> anyhow::Result<()> {
    let mut bare = bare::start(load).await?;
    let (server, viewers) = start_max_rate_server(load.events * load.rounds, load.bytes, load.viewers).await?;
    let mut max_rate = FanoutServer::new(server, viewers, true);
    let (mut costs, mut bares, mut ratios, mut rates) = (vec![], vec![], vec![], vec![]);
    for _ in 0..load.rounds {
        // Alternate between the two, because the speed of a machine drifts.
        let (bare, _) = bare.run(load.events).await?;
        let (cost, rate) = max_rate.run(load.events).await?;
        report.notes.push(format!("round: {cost:.3} CPU s per million, bare {bare:.3}, ratio {:.2}", cost / bare));
        costs.push(cost);
        bares.push(bare);
        ratios.push(cost / bare);
        rates.push(rate);
    }
    report.deliveries_per_s = median(rates);
    report.cpu_s_per_million = median(costs);
    report.bare_cpu_s_per_million = median(bares);
    report.ratio_to_bare = median(ratios);
    Ok(())
}

/// Measures a steady flow: the latency from the publication of an event to every viewer.
async fn measure_steady_flow(load: &Fanout, report: &mut Report) -> anyhow::Result<()> {
    let (mut server, viewers) = start_max_rate_server(1, load.bytes, load.steady_viewers).await?;
    let histogram = Arc::new(Mutex::new(latency_histogram()));
    let _readers = spawn_readers(viewers, &histogram);
    server.write_line(&format!("steady {} {}", load.steady_rate, load.steady_seconds)).await?;
    ensure!(server.read_line().await? == "published", "the server printed something else");
    wait_for_deliveries(&histogram, load.steady_viewers * load.steady_rate * load.steady_seconds).await?;
    let histogram = histogram.lock().clone();
    report.set_latencies(&histogram);
    report.notes.push(format!(
        "latency: {} viewers, {} events a second for {} s, from publication to the viewer, {} deliveries",
        load.steady_viewers,
        load.steady_rate,
        load.steady_seconds,
        histogram.len()
    ));
    server.stop().await
}

/// Starts a server that publishes at full speed, and connects its viewers.
async fn start_max_rate_server(events: u64, bytes: u64, count: u64) -> anyhow::Result<(Server, Vec<WatchingClient>)> {
    let mut server = Server::start_hidden(
        "serve-max-rate",
        &[("core", 0), ("events", events), ("bytes", bytes), ("viewers", count)],
    )?;
    let line = server.read_line().await?;
    let mut fields = line.split(' ');
    let mut field = || fields.next().context("address, token and session");
    let (address, token, session) = (field()?, field()?, field()?);
    let mut viewers = Vec::new();
    for _ in 0..count {
        viewers.push(WatchingClient::connect_and_join(address, token, session, Some(2)).await?);
    }
    Ok((server, viewers))
}

/// Starts a reader for each viewer, which records the latency of each event that carries its send time.
pub fn spawn_readers(
    viewers: Vec<WatchingClient>,
    histogram: &Arc<Mutex<Histogram<u64>>>,
) -> JoinSet<anyhow::Result<()>> {
    let mut readers = JoinSet::new();
    for mut viewer in viewers {
        let histogram = histogram.clone();
        readers.spawn(async move {
            loop {
                viewer.read(&mut |frame| record_latency(frame, &histogram)).await?;
            }
        });
    }
    readers
}

/// Records the latency of a frame that carries its send time.
pub fn record_latency(frame: &[u8], histogram: &Mutex<Histogram<u64>>) {
    if let Some(sent) = sent_at(frame) {
        histogram.lock().saturating_record(machine::nanos().saturating_sub(sent));
    }
}

/// Waits until this many deliveries are recorded.
pub async fn wait_for_deliveries(histogram: &Mutex<Histogram<u64>>, count: u64) -> anyhow::Result<()> {
    let started = Instant::now();
    while histogram.lock().len() < count {
        ensure!(started.elapsed() < TIMEOUT, "{} of {count} deliveries came", histogram.lock().len());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}
