//! Messages from one participant to many viewers at a steady rate: cost and latency from the command to the viewers,
//! including the commit. Optionally compared with a server that only publishes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use roundtable::feed::frame;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::data::Data;
use crate::report::{LatencyDistribution, Report, latency_histogram, median};
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
    /// Duration of each round, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=300))]
    seconds: u64,
    /// Rounds; each measures the server and, with `--bun`, the other server.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=50))]
    rounds: u64,
    /// Path of Bun (`npm install bun`). Bun then runs a server that only publishes every message, for comparison.
    #[arg(long, value_name = "PROGRAM")]
    bun: Option<PathBuf>,
}

/// Timeout of the acknowledgement of a command.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The server that only publishes, as a program for Bun.
const PUBLISHER: &str = include_str!("publisher.js");

/// Measures a server on one core, or a running server, whose cost is not measured.
pub async fn measure(load: &Messages, target: Option<(String, String)>) -> anyhow::Result<Report> {
    machine::check_open_files(load.viewers * 2 + 200)?;
    let mut report = Report { scenario: "messages", ..Report::default() };
    let data = Data::sqlite()?;
    let (servers, address, token) = match target {
        Some((url, token)) => (vec![], loopback(&url)?, token),
        None => {
            machine::avoid_core(0)?;
            let token = data.administrator().await?;
            let (server, address) = Server::real_on(Cores::First, &data, &[]).await?;
            (vec![server], address, token)
        }
    };
    let session = session(&address, &token, "Messages").await?;
    let viewers = WatchingClient::connect_many(&address, &token, &session, load.viewers).await?;
    let speaker = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
    let mut roundtable = MessagingSetup::new(servers, viewers, speaker, session);
    let mut reference = match &load.bun {
        Some(bun) => Some(publisher(bun, &data, load.viewers).await?),
        None => None,
    };
    let (mut ratios, mut costs, mut reference_costs) = (vec![], vec![], vec![]);
    for _ in 0..load.rounds {
        // Alternate between the two, because the speed of a machine drifts.
        let cost = roundtable.round(load.rate, load.seconds).await?.map(RoundCost::us_per_delivery);
        costs.extend(cost);
        if let Some(reference) = &mut reference {
            let reference_cost = reference.round(load.rate, load.seconds).await?.map(RoundCost::us_per_delivery);
            reference_costs.extend(reference_cost);
            ratios.extend(cost.zip(reference_cost).map(|(cost, reference)| cost / reference));
        }
    }
    report.set_latencies(&roundtable.histogram.lock());
    // Microseconds per delivery are the same number as seconds per million deliveries.
    report.cpu_s_per_million = median(costs);
    report.reference_cpu_s_per_million = median(reference_costs);
    report.ratio_to_reference = median(ratios);
    if let Some(reference) = reference {
        let label = "Bun, from the message to the viewer, without a commit".to_owned();
        report.distributions.push(LatencyDistribution::of(label, &reference.histogram.lock(), None));
        reference.stop().await?;
    }
    report.notes.push(format!(
        "{} viewers, {} messages a second, {:.1} events of a message at each viewer; the session's log is on disk",
        load.viewers,
        load.rate,
        roundtable.deliveries.load(Ordering::Relaxed) as f64
            / (load.rounds * load.rate * load.seconds * load.viewers) as f64
    ));
    roundtable.stop().await?;
    Ok(report)
}

/// Starts the server that only publishes, on the same core, and connects its viewers.
async fn publisher(bun: &PathBuf, data: &Data, viewers: u64) -> anyhow::Result<MessagingSetup> {
    let script = data.folder.path().join("publisher.js");
    tokio::fs::write(&script, PUBLISHER).await?;
    let mut command = Command::new(bun);
    command.arg(&script);
    let mut server = Server::start(command, Cores::First).context("cannot start Bun")?;
    let address = server.read_line().await?;
    let mut connected = vec![];
    for _ in 0..viewers {
        connected.push(WatchingClient::connect(&address).await?);
    }
    let speaker = WatchingClient::connect(&address).await?;
    Ok(MessagingSetup::new(vec![server], connected, speaker, String::new()))
}

/// CPU time of the servers in one round.
#[derive(Clone, Copy)]
pub struct RoundCost {
    cpu_seconds: f64,
    messages: u64,
    deliveries: u64,
}

impl RoundCost {
    /// Returns the microseconds per event that a viewer received.
    pub fn us_per_delivery(self) -> f64 {
        self.cpu_seconds * 1e6 / self.deliveries as f64
    }

    /// Returns the microseconds per message.
    pub fn us_per_message(self) -> f64 {
        self.cpu_seconds * 1e6 / self.messages as f64
    }
}

/// Servers with the viewers of a session, which read continuously, and a participant who posts.
pub struct MessagingSetup {
    /// Measured servers. Empty if the server was already running.
    servers: Vec<Server>,
    speaker: Option<WatchingClient>,
    session: String,
    viewers: u64,
    /// Latencies of the messages at all viewers.
    pub histogram: Arc<Mutex<Histogram<u64>>>,
    /// Expected number of latencies once every message has arrived.
    expected: u64,
    /// Number of events that viewers received.
    deliveries: Arc<AtomicU64>,
    readers: JoinSet<anyhow::Result<()>>,
    messages: u64,
}

impl MessagingSetup {
    /// Starts a reader for each viewer.
    pub fn new(servers: Vec<Server>, viewers: Vec<WatchingClient>, speaker: WatchingClient, session: String) -> Self {
        let (histogram, deliveries) = (Arc::new(Mutex::new(latency_histogram())), Arc::new(AtomicU64::new(0)));
        let (count, mut readers) = (viewers.len() as u64, JoinSet::new());
        for mut viewer in viewers {
            let (histogram, deliveries) = (histogram.clone(), deliveries.clone());
            readers.spawn(async move {
                loop {
                    let mut count = 0;
                    let on_frame = &mut |text: &[u8]| {
                        if frame::is_event(text) {
                            count += 1;
                            fanout::record_latency(text, &histogram);
                        }
                    };
                    viewer.read(on_frame).await?;
                    deliveries.fetch_add(count, Ordering::Relaxed);
                }
            });
        }
        let speaker = Some(speaker);
        Self { servers, speaker, session, viewers: count, histogram, expected: 0, deliveries, readers, messages: 0 }
    }

    /// Posts messages for this many seconds, and waits until all have arrived at all viewers. Returns the cost, unless
    /// the server was already running.
    pub async fn round(&mut self, rate: u64, seconds: u64) -> anyhow::Result<Option<RoundCost>> {
        let (cpu_before, before) = (self.cpu_seconds()?, self.deliveries.load(Ordering::Relaxed));
        let speaker = self.speaker.take().context("the speaker has left")?;
        tokio::select! {
            posted = post_messages(speaker, &self.session, self.messages, rate, seconds) => {
                self.speaker = Some(posted?);
            }
            Some(ended) = self.readers.join_next() => ended?.context("a viewer was cut off")?,
        }
        let messages = rate * seconds;
        self.messages += messages;
        self.expected += messages * self.viewers;
        fanout::wait_for_deliveries(&self.histogram, self.expected).await?;
        let deliveries = self.deliveries.load(Ordering::Relaxed) - before;
        let cpu = self.cpu_seconds()?.zip(cpu_before).map(|(after, before)| after - before);
        Ok(cpu.map(|cpu_seconds| RoundCost { cpu_seconds, messages, deliveries }))
    }

    /// Discards the latencies of the rounds so far.
    pub fn clear_latencies(&mut self) {
        self.histogram.lock().reset();
        self.expected = 0;
    }

    fn cpu_seconds(&self) -> anyhow::Result<Option<f64>> {
        let seconds: f64 =
            self.servers.iter().map(|server| machine::cpu_seconds(server.pid)).sum::<anyhow::Result<_>>()?;
        Ok((!self.servers.is_empty()).then_some(seconds))
    }

    /// Kills the servers.
    pub async fn stop(self) -> anyhow::Result<()> {
        for server in self.servers {
            server.stop().await?;
        }
        Ok(())
    }
}

/// Posts messages with their send time at a steady rate, and waits until all are acknowledged. `first` is the number of
/// the first message; the numbers make the ids of the commands unique.
pub async fn post_messages(
    mut speaker: WatchingClient,
    session: &str,
    first: u64,
    rate: u64,
    seconds: u64,
) -> anyhow::Result<WatchingClient> {
    let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / rate as f64));
    for index in first..first + rate * seconds {
        ticks.tick().await;
        speaker.send(&command(session, index)).await?;
    }
    for _ in 0..rate * seconds {
        tokio::time::timeout(TIMEOUT, speaker.wait_for("ack")).await.context("no response to a command")??;
    }
    Ok(speaker)
}

/// Returns the command for a message with its send time. `index` makes the id of the command unique.
pub fn command(session: &str, index: u64) -> Value {
    // Address people, so that the message does not go to a model.
    let data = json!({ "text": format!("@{}@ {}", machine::nanos(), "x".repeat(40)), "to": ["people"] });
    json!({ "type": "command", "id": format!("c_{index}"), "session": session, "do": "say", "data": data })
}
