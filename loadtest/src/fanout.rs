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

use crate::data::own;
use crate::report::{Report, latencies, median};
use crate::server::Server;
use crate::watching_client::{WatchingClient, sent_at, seq};
use crate::{bare, machine};

/// Size of the scenario.
#[derive(Args, Clone)]
pub struct Fanout {
    /// Viewers of the session at full speed.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=15_000))]
    pub viewers: u64,
    /// Events of one round.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    pub events: u64,
    /// Bytes of an event, as JSON.
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
    /// Seconds of the steady flow.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    pub steady_seconds: u64,
}

/// Timeout of a round.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server at full speed, or the bare loop, with viewers that read continuously.
pub struct Round {
    server: Server,
    counted: Arc<Counted>,
    viewers: u64,
    readers: JoinSet<anyhow::Result<()>>,
}

#[derive(Default)]
struct Counted {
    deliveries: AtomicU64,
    due: AtomicU64,
    done: Notify,
}

impl Round {
    /// Connects the viewers. If `checked`, each viewer requires a gapless log.
    pub fn new(server: Server, viewers: Vec<WatchingClient>, checked: bool) -> Self {
        let counted = Arc::new(Counted { due: AtomicU64::new(u64::MAX), ..Counted::default() });
        let count = viewers.len() as u64;
        let mut readers = JoinSet::new();
        for viewer in viewers {
            readers.spawn(follow(viewer, counted.clone(), checked));
        }
        Self { server, counted, viewers: count, readers }
    }

    /// Runs one round. Returns CPU seconds per million deliveries, and deliveries per second.
    pub async fn run(&mut self, events: u64) -> anyhow::Result<(f64, f64)> {
        let deliveries = events * self.viewers;
        let before = self.counted.deliveries.load(Ordering::Relaxed);
        self.counted.due.store(before + deliveries, Ordering::Relaxed);
        let (cpu, begun) = (machine::cpu_seconds(self.server.pid)?, Instant::now());
        self.server.tell(&events.to_string()).await?;
        tokio::select! {
            all = tokio::time::timeout(PATIENCE, self.counted.done.notified()) => {
                all.with_context(|| format!("{} of {deliveries} deliveries came", self.counted.deliveries.load(Ordering::Relaxed) - before))?;
            }
            Some(ended) = self.readers.join_next() => ended?.context("a viewer was cut off")?,
        }
        let seconds = begun.elapsed().as_secs_f64();
        let cpu = machine::cpu_seconds(self.server.pid)? - cpu;
        ensure!(self.server.line().await? == "published", "the server says something else");
        let millions = deliveries as f64 / 1e6;
        Ok((cpu / millions, deliveries as f64 / seconds))
    }
}

async fn follow(mut viewer: WatchingClient, counted: Arc<Counted>, checked: bool) -> anyhow::Result<()> {
    let mut last = viewer.seq;
    loop {
        let (mut fresh, mut gap) = (0, false);
        viewer
            .read(&mut |frame| {
                if !checked {
                    fresh += 1;
                } else if frame::is_event(frame) {
                    fresh += 1;
                    gap |= seq(frame) != Some(last + 1);
                    last += 1;
                }
            })
            .await?;
        ensure!(!gap, "a viewer saw a gap or a repetition before {last}");
        let before = counted.deliveries.fetch_add(fresh, Ordering::Relaxed);
        let due = counted.due.load(Ordering::Relaxed);
        if before < due && before + fresh >= due {
            counted.done.notify_one();
        }
    }
}

/// Measures the server at full speed against the bare loop, then the steady flow.
pub async fn measure(load: &Fanout, target: Option<(String, String)>) -> anyhow::Result<Report> {
    own(target.as_ref(), "events are published directly, in a server of our own")?;
    let mut report = Report { scenario: "fanout", ..Report::default() };
    machine::keep_off(0)?;
    under_storm(load, &mut report).await?;
    published(load, &mut report).await?;
    Ok(report)
}

async fn under_storm(load: &Fanout, report: &mut Report) -> anyhow::Result<()> {
    let mut bare = bare::start(load).await?;
    let (server, viewers) = storm_server(load.events * load.rounds, load.bytes, load.viewers).await?;
    let mut storm = Round::new(server, viewers, true);
    let (mut costs, mut bares, mut ratios, mut rates) = (vec![], vec![], vec![], vec![]);
    for _ in 0..load.rounds {
        // Alternate between the two, because the speed of a machine drifts.
        let (bare, _) = bare.run(load.events).await?;
        let (cost, rate) = storm.run(load.events).await?;
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
async fn published(load: &Fanout, report: &mut Report) -> anyhow::Result<()> {
    let (mut server, viewers) = storm_server(1, load.bytes, load.steady_viewers).await?;
    let histogram = Arc::new(Mutex::new(latencies()));
    let _readers = listen(viewers, &histogram);
    server.tell(&format!("steady {} {}", load.steady_rate, load.steady_seconds)).await?;
    ensure!(server.line().await? == "published", "the server says something else");
    settle(&histogram, load.steady_viewers * load.steady_rate * load.steady_seconds).await?;
    let histogram = histogram.lock().clone();
    report.latencies(&histogram);
    report.notes.push(format!(
        "latency: {} viewers, {} events a second for {} s, from publication to the viewer, {} deliveries",
        load.steady_viewers,
        load.steady_rate,
        load.steady_seconds,
        histogram.len()
    ));
    server.stop().await
}

/// Starts a server for full speed, with its viewers.
async fn storm_server(events: u64, bytes: u64, count: u64) -> anyhow::Result<(Server, Vec<WatchingClient>)> {
    let mut server =
        Server::own("serve-storm", &[("core", 0), ("events", events), ("bytes", bytes), ("viewers", count)])?;
    let line = server.line().await?;
    let mut words = line.split(' ');
    let mut word = || words.next().context("address, token and session");
    let (address, token, session) = (word()?, word()?, word()?);
    let mut viewers = Vec::new();
    for _ in 0..count {
        viewers.push(WatchingClient::joined(address, token, session, Some(2)).await?);
    }
    Ok((server, viewers))
}

/// Lets viewers read, and records the latency of each event that carries its send time.
pub fn listen(viewers: Vec<WatchingClient>, histogram: &Arc<Mutex<Histogram<u64>>>) -> JoinSet<anyhow::Result<()>> {
    let mut readers = JoinSet::new();
    for mut viewer in viewers {
        let histogram = histogram.clone();
        readers.spawn(async move {
            loop {
                viewer.read(&mut |frame| note(frame, &histogram)).await?;
            }
        });
    }
    readers
}

/// Records the latency of a frame that carries its send time.
pub fn note(frame: &[u8], histogram: &Mutex<Histogram<u64>>) {
    if let Some(sent) = sent_at(frame) {
        histogram.lock().saturating_record(machine::nanos().saturating_sub(sent));
    }
}

/// Waits until this many deliveries are recorded.
pub async fn settle(histogram: &Mutex<Histogram<u64>>, wanted: u64) -> anyhow::Result<()> {
    let begun = Instant::now();
    while histogram.lock().len() < wanted {
        ensure!(begun.elapsed() < PATIENCE, "{} of {wanted} deliveries came", histogram.lock().len());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}
