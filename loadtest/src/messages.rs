//! Messages of one participant at a steady rate to many viewers: cost and latency from the command to the viewers, with
//! the commit in between. Optionally compared with a server that only publishes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use roundtable::feed::frame;
use serde_json::json;
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::data::Data;
use crate::report::{LatencyStage, Report, latencies, median};
use crate::server::{Cores, Server, loopback, session};
use crate::watching_client::WatchingClient;
use crate::{fanout, machine};

/// Size of the scenario.
#[derive(Args)]
pub struct Messages {
    /// Viewers of the session.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=9_000))]
    viewers: u64,
    /// Messages per second, one after the other.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    rate: u64,
    /// Seconds of each round.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    seconds: u64,
    /// Rounds; each measures the server and, with `--bun`, the other server.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=50))]
    rounds: u64,
    /// Bun (`npm install bun`), which then runs a server that only publishes every message, for comparison.
    #[arg(long, value_name = "PROGRAM")]
    bun: Option<PathBuf>,
}

/// Time in which everything sent must have arrived.
const PATIENCE: Duration = Duration::from_secs(60);

/// The server that only publishes, as a program for Bun.
const PUBLISHER: &str = include_str!("publisher.js");

/// Measures the server on one core, or the running server without its cost.
pub async fn measure(load: &Messages, target: Option<(String, String)>) -> anyhow::Result<Report> {
    machine::enough_files(load.viewers * 2 + 200)?;
    let mut report = Report { scenario: "messages", ..Report::default() };
    let data = Data::sqlite()?;
    let (server, address, token) = match target {
        Some((url, token)) => (None, loopback(&url)?, token),
        None => {
            machine::keep_off(0)?;
            let token = data.administrator().await?;
            let (server, address) = Server::real_on(Cores::First, &data, &[]).await?;
            (Some(server), address, token)
        }
    };
    let session = session(&address, &token, "Messages").await?;
    let viewers = WatchingClient::many(&address, &token, &session, load.viewers).await?;
    let speaker = WatchingClient::joined(&address, &token, &session, None).await?;
    let mut ours = Side::new(server, viewers, speaker, session);
    let mut other = match &load.bun {
        Some(bun) => Some(publisher(bun, &data, load.viewers).await?),
        None => None,
    };
    let (mut ratios, mut costs, mut others) = (vec![], vec![], vec![]);
    for _ in 0..load.rounds {
        // Alternate between the two, because the speed of a machine drifts.
        let cost = ours.round(load).await?;
        costs.extend(cost);
        if let Some(other) = &mut other {
            let theirs = other.round(load).await?;
            others.extend(theirs);
            ratios.extend(cost.zip(theirs).map(|(ours, theirs)| ours / theirs));
        }
    }
    report.latencies(&ours.histogram.lock());
    report.cpu_s_per_million = median(costs);
    report.yardstick_cpu_s_per_million = median(others);
    report.ratio_to_yardstick = median(ratios);
    if let Some(other) = other {
        let label = "Bun, from the message to the viewer, without a commit".to_owned();
        report.stages.push(LatencyStage::of(label, &other.histogram.lock(), None));
        other.stop().await?;
    }
    report.notes.push(format!(
        "{} viewers, {} messages a second, {:.1} events of a message at each viewer; the session's log is on disk",
        load.viewers,
        load.rate,
        ours.deliveries.load(Ordering::Relaxed) as f64 / (load.rounds * load.rate * load.seconds * load.viewers) as f64
    ));
    ours.stop().await?;
    Ok(report)
}

/// Starts the server that only publishes, on the same core, with its viewers.
async fn publisher(bun: &PathBuf, data: &Data, viewers: u64) -> anyhow::Result<Side> {
    let script = data.folder.path().join("publisher.js");
    tokio::fs::write(&script, PUBLISHER).await?;
    let mut command = Command::new(bun);
    command.arg(&script);
    let mut server = Server::start(command, Cores::First).context("cannot start Bun")?;
    let address = server.line().await?;
    let mut connected = vec![];
    for _ in 0..viewers {
        connected.push(WatchingClient::connect(&address).await?);
    }
    let speaker = WatchingClient::connect(&address).await?;
    Ok(Side::new(Some(server), connected, speaker, String::new()))
}

/// A server with its viewers, which read continuously, and a participant who posts.
struct Side {
    server: Option<Server>,
    speaker: Option<WatchingClient>,
    session: String,
    /// Latencies of the messages at all viewers.
    histogram: Arc<Mutex<Histogram<u64>>>,
    /// Text frames that viewers received.
    deliveries: Arc<AtomicU64>,
    readers: JoinSet<anyhow::Result<()>>,
    messages: u64,
}

impl Side {
    fn new(server: Option<Server>, viewers: Vec<WatchingClient>, speaker: WatchingClient, session: String) -> Self {
        let (histogram, deliveries) = (Arc::new(Mutex::new(latencies())), Arc::new(AtomicU64::new(0)));
        let mut readers = JoinSet::new();
        for mut viewer in viewers {
            let (histogram, deliveries) = (histogram.clone(), deliveries.clone());
            readers.spawn(async move {
                loop {
                    let mut count = 0;
                    let seen = &mut |text: &[u8]| {
                        if frame::is_event(text) {
                            count += 1;
                            fanout::note(text, &histogram);
                        }
                    };
                    viewer.read(seen).await?;
                    deliveries.fetch_add(count, Ordering::Relaxed);
                }
            });
        }
        Self { server, speaker: Some(speaker), session, histogram, deliveries, readers, messages: 0 }
    }

    /// Runs one round. Returns the server's CPU seconds per million deliveries, unless it was running before.
    async fn round(&mut self, load: &Messages) -> anyhow::Result<Option<f64>> {
        let cpu = |server: &Option<Server>| server.as_ref().map(|server| machine::cpu_seconds(server.pid)).transpose();
        let (cpu_before, before) = (cpu(&self.server)?, self.deliveries.load(Ordering::Relaxed));
        let speaker = self.speaker.take().context("the participant has left")?;
        tokio::select! {
            said = say(speaker, &self.session, self.messages, load.rate, load.seconds) => {
                self.speaker = Some(said?);
            }
            Some(ended) = self.readers.join_next() => ended?.context("a viewer was cut off")?,
        }
        self.messages += load.rate * load.seconds;
        self.arrived(load.viewers).await?;
        let cpu = cpu(&self.server)?.zip(cpu_before).map(|(after, before)| after - before);
        let deliveries = self.deliveries.load(Ordering::Relaxed) - before;
        Ok(cpu.map(|cpu| cpu / (deliveries as f64 / 1e6)))
    }

    /// Waits until every message has arrived at every viewer.
    async fn arrived(&self, viewers: u64) -> anyhow::Result<()> {
        fanout::settle(&self.histogram, self.messages * viewers).await
    }

    async fn stop(self) -> anyhow::Result<()> {
        match self.server {
            Some(server) => server.stop().await,
            None => Ok(()),
        }
    }
}

/// Posts messages with their send time at a steady rate, until all are acknowledged. `first` is the number of the first
/// one, which makes the ids of the commands unique.
pub async fn say(
    mut speaker: WatchingClient,
    session: &str,
    first: u64,
    rate: u64,
    seconds: u64,
) -> anyhow::Result<WatchingClient> {
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / rate as f64));
    for index in first..first + rate * seconds {
        ticks.tick().await;
        // Address people, so that the message does not go to a model.
        let data = json!({ "text": format!("@{}@ {}", machine::nanos(), "x".repeat(40)), "to": ["people"] });
        let command =
            json!({ "type": "command", "id": format!("c_{index}"), "session": session, "do": "say", "data": data });
        speaker.send(&command).await?;
    }
    for _ in 0..rate * seconds {
        tokio::time::timeout(PATIENCE, speaker.until("ack")).await.context("no answer to a command")??;
    }
    Ok(speaker)
}
