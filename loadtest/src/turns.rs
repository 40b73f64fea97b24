//! Time that the server adds to a turn: from the turn's cause to the first byte of the request to the model.

use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::data::{Data, require_own_server};
use crate::disk;
use crate::instant_model::InstantModel;
use crate::machine;
use crate::report::{LatencyDistribution, Report};
use crate::server::{Server, team_session};
use crate::stamp::Cause;
use crate::watching_client::WatchingClient;

/// Size of the scenario.
#[derive(Args)]
pub struct Turns {
    /// Sessions, each with one run at a time.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    pub sessions: u64,
    /// Runs per second in all sessions together, each with four turns and a tool call.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub rate: u64,
    /// Duration of the measurement with the log in memory, and again with the log on disk, in seconds.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=120))]
    pub seconds: u64,
    /// KiB of earlier messages in each session.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1_024))]
    pub history: u64,
    /// Name of the model, which determines how tokens are counted if the history might not fit.
    #[arg(long, default_value = "clock")]
    pub model: String,
}

/// Appends in one run: the message, two steps of a call and its result, three responses.
const APPENDS: u64 = 7;

/// Target for the time that the server adds, in milliseconds.
const TARGET: f64 = 5.0;

/// Maximum size of each earlier message, in bytes.
const MESSAGE_BYTES: u64 = 16 << 10;

/// Timeout of a run.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Measures with the log in memory, which isolates the server itself, then on disk, where every commit waits for the
/// disk.
pub async fn measure(load: &Turns, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "agents must use the model that records the time of each request")?;
    let mut report = Report { scenario: "turns", ..Report::default() };
    let (memory, disk) = (Data::in_memory()?, Data::sqlite()?);
    round(load, &memory, "in memory", Some(TARGET), &mut report).await?;
    let syncs = disk::measure_syncs(disk.folder.path(), load.rate * APPENDS, load.seconds).await?;
    report.distributions.push(LatencyDistribution::of("fdatasync of this disk while idle".into(), &syncs, None));
    round(load, &disk, "on the disk", None, &mut report).await?;
    Ok(report)
}

async fn round(load: &Turns, data: &Data, place: &str, target: Option<f64>, report: &mut Report) -> anyhow::Result<()> {
    let token = data.administrator().await?;
    let (instant_model, settings) = InstantModel::serve(&load.model).await?;
    let (server, address) = Server::real(data, &settings).await?;
    instant_model.tools_listed.notified().await;
    let mut speakers = JoinSet::new();
    for _ in 0..load.sessions {
        let session = team_session(&address, &token, "workflow-en").await?;
        let viewer = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
        speakers.spawn(prepare(Speaker { viewer, session, posted: 0 }, load.history << 10));
    }
    let mut speakers = speakers.join_all().await.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    // The first runs start in all sessions at once, so they are not measured.
    instant_model.take().for_each(drop);
    let (cpu, started) = (machine::cpu_seconds(server.pid)?, Instant::now());
    let interval = Duration::from_secs_f64(load.sessions as f64 / load.rate as f64);
    let mut runs = JoinSet::new();
    for (index, speaker) in speakers.drain(..).enumerate() {
        let first = started + interval.mul_f64(index as f64 / load.sessions as f64);
        runs.spawn(run_on_schedule(speaker, first, interval, started + Duration::from_secs(load.seconds)));
    }
    let runs = runs.join_all().await.into_iter().sum::<anyhow::Result<u64>>()?;
    let (cpu, seconds) = (machine::cpu_seconds(server.pid)? - cpu, started.elapsed().as_secs_f64());
    for (cause, histogram) in instant_model.take() {
        report.distributions.push(LatencyDistribution::of(
            format!("{}, log {place}", cause.label()),
            &histogram,
            target,
        ));
    }
    report.notes.push(format!(
        "log {place}: {} sessions with {} KiB of earlier messages, {:.1} runs a second ({} were requested) of four turns and a \
         call each, model {}; the server used {:.1} ms of CPU a turn",
        load.sessions,
        load.history,
        runs as f64 / seconds,
        load.rate,
        load.model,
        cpu * 1e3 / (runs * 4) as f64
    ));
    server.stop().await
}

/// A participant in a separate session.
struct Speaker {
    viewer: WatchingClient,
    session: String,
    posted: u64,
}

impl Speaker {
    /// Posts a message, and waits until its run has ended.
    async fn run(&mut self, text: &str) -> anyhow::Result<()> {
        self.posted += 1;
        let data = json!({ "text": format!("{text} {}", Cause::Message.stamp()), "to": ["all"] });
        let id = format!("c_{}", self.posted);
        let command = json!({ "type": "command", "id": id, "session": self.session, "do": "say", "data": data });
        self.viewer.send(&command).await?;
        let run_end = async {
            loop {
                let event = self.viewer.wait_for("event").await?;
                ensure!(event["event"] != "run.failed", "a run failed: {event}");
                if event["event"] == "run.finished" {
                    return Ok(());
                }
            }
        };
        tokio::time::timeout(TIMEOUT, run_end).await.context("a run does not end")?
    }
}

/// Executes runs that are not measured: they fill the history and open the connections to the model.
async fn prepare(mut speaker: Speaker, history: u64) -> anyhow::Result<Speaker> {
    for at in (0..=history).step_by(MESSAGE_BYTES as usize) {
        let bytes = usize::try_from((history - at).min(MESSAGE_BYTES))?;
        speaker.run(&"What was said before counts. ".repeat(bytes / 29)).await?;
    }
    Ok(speaker)
}

/// Executes one run after another at the scheduled times, until `end`. Returns the number of runs.
async fn run_on_schedule(
    mut speaker: Speaker,
    first: Instant,
    interval: Duration,
    end: Instant,
) -> anyhow::Result<u64> {
    let (mut next, mut runs) = (first, 0);
    while next < end {
        tokio::time::sleep_until(next).await;
        speaker.run("What time is it?").await?;
        // If a run took longer than the interval, do not catch up.
        next = (next + interval).max(Instant::now());
        runs += 1;
    }
    Ok(runs)
}
