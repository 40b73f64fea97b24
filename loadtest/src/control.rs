//! Latency of an interrupt while others flood the server: from the request to the end of the model's stream, and to the
//! effect at another viewer.
//!
//! The others are participants who write as fast as their sockets accept data or, with `--bot-per-second`, one bot that
//! sends that many messages per second.

use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use axum::routing::post as route;
use bytes::Bytes;
use clap::Args;
use roundtable::kernel::ActorKind;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use crate::data::{Data, require_own_server};
use crate::flood::Flood;
use crate::max_rate_server::{participant, person};
use crate::report::{LatencyDistribution, Report, latency_histogram};
use crate::server::{Server, session};
use crate::watching_client::WatchingClient;
use crate::{machine, timestamped_listener, timing_model};

/// Size of the scenario.
#[derive(Args)]
pub struct Control {
    /// Interrupts in each of the three conditions.
    #[arg(long, default_value_t = 220, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    pub interrupts: u64,
    /// Tokens per second from the model.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub rate: u64,
    /// Disable connection limits, for comparison.
    #[arg(long)]
    pub unbounded: bool,
    /// Also measure while one bot sends this many messages per second to the session, for example 10000.
    #[arg(long, value_name = "MESSAGES", value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    pub bot_per_second: Option<u64>,
}

/// Target for the p99 of an interrupt, in milliseconds.
const TARGET: f64 = 50.0;
/// Deltas to receive before an interrupt.
const DELTAS: usize = 3;
/// Tokens in a response: more than any round waits for.
const TOKENS: u64 = 1_000_000;
/// Flooders in other sessions.
const FLOODERS: usize = 20;
/// Pause between two rounds, which keeps a participant within their rate limit.
const PAUSE: Duration = Duration::from_millis(250);
/// Timeout of a round.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Load during a condition.
#[derive(Clone, Copy)]
enum BackgroundLoad {
    /// This many flooders: a single one in the same session, several in separate sessions.
    Flooders(usize),
    /// One bot in the same session that sends this many messages per second.
    Bot(u64),
}

/// Measures the server on one core: idle, with one flooder in the same session, with twenty in other sessions, and
/// optionally with a bot.
pub async fn measure(load: &Control, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "agents must use the model that records when its stream is closed")?;
    let (model, closed) = model(load.rate).await?;
    let data = Data::sqlite()?;
    let token = data.administrator().await?;
    let before = machine::pin([0])?;
    let started = Server::real(&data, &settings(load, model)).await;
    machine::release(&before)?;
    let (server, address) = started?;
    machine::avoid_core(0)?;
    let mut clients = ControlClients::open(&address, &token, closed).await?;
    let mut report = Report { scenario: "control", ..Report::default() };
    let conditions = [
        ("idle".to_owned(), BackgroundLoad::Flooders(0)),
        ("one flooder in the session".to_owned(), BackgroundLoad::Flooders(1)),
        ("twenty in other sessions".to_owned(), BackgroundLoad::Flooders(FLOODERS)),
    ];
    let bot =
        load.bot_per_second.map(|rate| (format!("a bot with {rate} messages a second"), BackgroundLoad::Bot(rate)));
    for (label, background) in conditions.into_iter().chain(bot) {
        let flood = start_background(&data, &address, &clients.session, background).await?;
        let (started, cpu) = (Instant::now(), machine::cpu_seconds(server.pid)?);
        let (mut streams, mut effects) = (latency_histogram(), latency_histogram());
        for _ in 0..load.interrupts {
            let round = tokio::time::timeout(TIMEOUT, clients.interrupt()).await;
            let (stream, effect) = round.context("a round does not end")??;
            streams.saturating_record(stream);
            effects.saturating_record(effect);
        }
        let ((frames, connections), seconds) = (flood.counts(), started.elapsed().as_secs_f64());
        let cpu = machine::cpu_seconds(server.pid)? - cpu;
        report.distributions.push(LatencyDistribution::of(
            format!("{label}: interrupt to end of stream"),
            &streams,
            Some(TARGET),
        ));
        report.distributions.push(LatencyDistribution::of(
            format!("{label}: interrupt to effect at another viewer"),
            &effects,
            Some(TARGET),
        ));
        report.notes.push(format!(
            "{label}: {:.0} frames a second into {connections} connections of flooders; the server used {:.0}% of its core",
            frames as f64 / seconds,
            cpu / seconds * 100.0
        ));
    }
    server.stop().await?;
    Ok(report)
}

/// Starts the load of a condition.
async fn start_background(
    data: &Data,
    address: &str,
    measured: &str,
    background: BackgroundLoad,
) -> anyhow::Result<Flood> {
    let stores = data.open().await?;
    let count = match background {
        BackgroundLoad::Flooders(count) => count,
        BackgroundLoad::Bot(rate) => {
            let (_, token) = participant(&stores, "Bot", ActorKind::Bot).await?;
            return Ok(Flood::start_bot(address, token, measured.to_owned(), rate));
        }
    };
    let mut targets = vec![];
    for index in 0..count {
        let (_, token) = person(&stores, &format!("Flooder {index}")).await?;
        let other = session(address, &token, "Flooded").await?;
        targets.push((token, if count == 1 { measured.to_owned() } else { other }));
    }
    Ok(Flood::start(address, targets))
}

/// Returns the settings of the server, with the default limits for flooders or without limits.
fn settings(load: &Control, model: [(&'static str, String); 4]) -> Vec<(&'static str, String)> {
    let mut settings = model.to_vec();
    if load.unbounded {
        settings.extend(
            [("SOCKET__BYTE_RATE_LIMIT__BURST", "1000000000"), ("SOCKET__BYTE_RATE_LIMIT__PER_SECOND", "1000000000")]
                .map(|(name, value)| (name, value.to_owned())),
        );
        settings.push(("SOCKET__MAX_REFUSED_FRAMES", "1000000000".to_owned()));
    } else {
        let defaults = roundtable::socket::SocketSettings::default();
        settings.push(("SOCKET__FRAME_RATE_LIMIT__BURST", defaults.frame_rate_limit.burst.to_string()));
        settings.push(("SOCKET__FRAME_RATE_LIMIT__PER_SECOND", defaults.frame_rate_limit.per_second.to_string()));
    }
    settings.push(("RATE_LIMITS__CHAT__BURST", "20".to_owned()));
    settings.push(("RATE_LIMITS__CHAT__PER_SECOND", "5".to_owned()));
    settings
}

/// Starts a model whose streams continue until they are closed. Returns the settings for the model, and a receiver of
/// the times at which streams close.
async fn model(rate: u64) -> anyhow::Result<([(&'static str, String); 4], UnboundedReceiver<u64>)> {
    let (sender, closed) = unbounded_channel();
    let respond = move |_: Bytes| {
        let recorder = CloseRecorder(sender.clone());
        async move { timing_model::stream(rate, TOKENS, String::new(), move || drop(recorder)) }
    };
    let app = axum::Router::new().route("/v1/chat/completions", route(respond));
    Ok((timing_model::settings(timestamped_listener::serve(app).await?, "clock"), closed))
}

/// Records the time at which it is dropped.
struct CloseRecorder(UnboundedSender<u64>);

impl Drop for CloseRecorder {
    fn drop(&mut self) {
        let _ = self.0.send(machine::nanos());
    }
}

/// The participant who interrupts, and another viewer of the session.
struct ControlClients {
    session: String,
    controller: WatchingClient,
    run: String,
    sent: u64,
    closed: UnboundedReceiver<u64>,
    effects: UnboundedReceiver<u64>,
    other: JoinHandle<anyhow::Result<()>>,
}

impl ControlClients {
    async fn open(address: &str, token: &str, closed: UnboundedReceiver<u64>) -> anyhow::Result<Self> {
        let session = session(address, token, "Stopped").await?;
        let controller = WatchingClient::connect_and_join(address, token, &session, None).await?;
        let mut other = WatchingClient::connect_and_join(address, token, &session, None).await?;
        let (sender, effects) = unbounded_channel();
        let other = tokio::spawn(async move {
            loop {
                let mut has_effect = false;
                other.read(&mut |frame| has_effect |= is_effect(frame)).await?;
                if has_effect {
                    sender.send(machine::nanos())?;
                }
            }
        });
        Ok(Self { session, controller, run: String::new(), sent: 0, closed, effects, other })
    }

    /// Lets the agent write, then interrupts it. Returns the nanoseconds until the end of its stream and until the
    /// effect at the other viewer.
    async fn interrupt(&mut self) -> anyhow::Result<(u64, u64)> {
        ensure!(!self.other.is_finished(), "the other viewer was cut off");
        tokio::time::sleep(PAUSE).await;
        self.resume_writing().await?;
        let mut deltas = 0;
        while deltas < DELTAS {
            let frame = self.next().await?;
            deltas += usize::from(frame["type"] == "delta");
            // At its message limit, a run ends instead of starting a turn, and the next message starts another run.
            if frame["event"] == "run.finished" {
                self.resume_writing().await?;
            }
        }
        let requested_at = machine::nanos();
        self.command("interrupt", json!({ "run": self.run })).await?;
        let (closed, effect) = tokio::join!(self.closed.recv(), self.effects.recv());
        let (closed, effect) = (closed.context("no model")?, effect.context("no other viewer")?);
        // At its message limit, the run can also end instead of asking the question.
        while !matches!(self.next().await?["event"].as_str(), Some("gate.opened" | "run.finished")) {}
        Ok((closed.saturating_sub(requested_at), effect.saturating_sub(requested_at)))
    }

    async fn resume_writing(&mut self) -> anyhow::Result<()> {
        self.command("say", json!({ "text": "write on", "to": ["all"] })).await
    }

    async fn command(&mut self, name: &str, data: Value) -> anyhow::Result<()> {
        self.sent += 1;
        let id = format!("c_{}", self.sent);
        let frame = json!({ "type": "command", "id": id, "session": self.session, "do": name, "data": data });
        self.controller.send(&frame).await
    }

    async fn next(&mut self) -> anyhow::Result<Value> {
        let frame = self.controller.next().await?;
        match (frame["type"].as_str(), frame["event"].as_str()) {
            (Some("error"), _) => bail!("rejected: {frame}"),
            (_, Some("run.started")) => self.run = frame["run"].as_str().context("no run")?.to_owned(),
            _ => {}
        }
        Ok(frame)
    }
}

fn is_effect(frame: &[u8]) -> bool {
    const EVENT: &[u8] = b"\"event\":\"control.effective\"";
    frame.windows(EVENT.len()).any(|window| window == EVENT)
}
