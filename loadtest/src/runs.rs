//! Many concurrent runs, each with a few viewers.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use serde_json::json;
use tokio::task::JoinSet;

use crate::data::{Data, require_own_server};
use crate::report::{Report, latency_histogram};
use crate::server::{Cores, Server, post, session};
use crate::watching_client::{WatchingClient, sent_at};
use crate::{machine, timing_model};

/// Size of the scenario.
#[derive(Args)]
pub struct Runs {
    /// Concurrent runs, each in a separate session.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    pub runs: u64,
    /// Viewers per run.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    pub viewers: u64,
    /// Tokens per second in each run.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub rate: u64,
    /// Seconds that each run streams.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=120))]
    pub seconds: u64,
    /// Run the server on one core, which nothing else uses.
    #[arg(long)]
    pub one_core: bool,
}

/// Number of viewers per run that record latencies. Others only read, so that a measurement on two cores measures the
/// server.
const MEASURED_VIEWERS: u64 = 20;

/// Streams tokens with their send time in each run. The first [`MEASURED_VIEWERS`] viewers of a run record the latency
/// of each token.
pub async fn measure(load: &Runs, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "the server must use the model that sends timestamps")?;
    let model = timing_model::serve(load.rate, load.rate * load.seconds).await?;
    let data = Data::sqlite()?;
    let token = data.administrator().await?;
    let cores = if load.one_core { Cores::First } else { Cores::All };
    if load.one_core {
        machine::avoid_core(0)?;
    }
    let (server, address) = Server::real_on(cores, &data, &model).await?;
    let streams = Streams::prepare(load, [&address, &address], &token).await?;
    let cpu = machine::cpu_seconds(server.pid)?;
    let (histogram, seconds) = streams.run().await?;
    let cpu = machine::cpu_seconds(server.pid)? - cpu;
    let mut report = Report { scenario: "runs", ..Report::default() };
    report.set_latencies(&histogram);
    let tokens = histogram.len() / load.viewers.min(MEASURED_VIEWERS);
    let deliveries = (tokens * load.viewers) as f64;
    report.deliveries_per_s = Some(deliveries / seconds);
    report.cpu_s_per_million = Some(cpu / (deliveries / 1e6));
    report.cpu_us_per_token = Some(cpu * 1e6 / tokens as f64);
    let rate = load.runs * load.viewers * load.rate;
    report.notes.push(format!(
        "{} runs at {} tokens a second with {} viewers each ({rate} deliveries a second), from the model's sending to \
         the viewer; the server used {:.0}% of a core",
        load.runs,
        load.rate,
        load.viewers,
        cpu / seconds * 100.0
    ));
    server.stop().await?;
    Ok(report)
}

/// Sessions with their viewers, before their runs start.
pub struct Streams<'a> {
    address: &'a str,
    token: &'a str,
    seconds: u64,
    sessions: Vec<String>,
    histogram: Arc<Mutex<Histogram<u64>>>,
    readers: JoinSet<anyhow::Result<()>>,
}

impl<'a> Streams<'a> {
    /// Creates the sessions. Runs use the first of these addresses, viewers the second.
    pub async fn prepare(load: &Runs, [address, viewer_address]: [&'a str; 2], token: &'a str) -> anyhow::Result<Self> {
        let (histogram, mut readers) = (Arc::new(Mutex::new(latency_histogram())), JoinSet::new());
        let mut sessions = Vec::new();
        for run in 0..load.runs {
            let session = session(address, token, &format!("Run {run}")).await?;
            let viewers = WatchingClient::connect_many(viewer_address, token, &session, load.viewers).await?;
            for (number, mut viewer) in viewers.into_iter().enumerate() {
                let (histogram, is_measured) = (histogram.clone(), (number as u64) < MEASURED_VIEWERS);
                readers.spawn(async move {
                    loop {
                        match is_measured {
                            true => viewer.read(&mut |frame| record_token_latencies(frame, &histogram)).await?,
                            false => viewer.discard().await?,
                        }
                    }
                });
            }
            sessions.push(session);
        }
        Ok(Self { address, token, seconds: load.seconds, sessions, histogram, readers })
    }

    /// Lets all runs stream until the first response would end. Returns the latency of each token, and the elapsed
    /// seconds.
    pub async fn run(mut self) -> anyhow::Result<(Histogram<u64>, f64)> {
        let started = std::time::Instant::now();
        for session in &self.sessions {
            start_run(self.address, self.token, session).await?;
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(self.seconds)) => {}
            Some(ended) = self.readers.join_next() => ended?.context("a viewer was cut off")?,
        }
        let seconds = started.elapsed().as_secs_f64();
        let histogram = self.histogram.lock().clone();
        Ok((histogram, seconds))
    }
}

/// Asks the agents of a session for the time. The response is a stream of timestamps.
pub async fn start_run(address: &str, token: &str, session: &str) -> anyhow::Result<()> {
    let path = format!("/api/v1/sessions/{session}/commands");
    let command = json!({ "id": "c_start", "do": "say", "data": { "text": "What time is it? @all" } });
    post(address, token, &path, &command).await?;
    Ok(())
}

/// Records the latencies of the tokens in a delta, of which there can be several. The event that completes a message is
/// ignored, because it repeats all send times.
pub fn record_token_latencies(frame: &[u8], histogram: &Mutex<Histogram<u64>>) {
    if frame.starts_with(b"{\"type\":\"delta\"")
        && let Some(sent) = sent_at(frame)
    {
        // Each send time is enclosed in two `@` signs. The first token of a delta waited longest; its latency counts
        // for all.
        let tokens = frame.iter().filter(|byte| **byte == b'@').count() as u64 / 2;
        histogram.lock().saturating_record_n(machine::nanos().saturating_sub(sent), tokens);
    }
}
