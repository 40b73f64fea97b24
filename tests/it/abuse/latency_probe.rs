//! A person who works on a run of their own while others abuse the server, and measures the impact.

use std::convert::Infallible;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::counters::{AbuseCounter, AbuseCounts};
use crate::process::server::ServerProcess;
use crate::process::viewer::{SocketViewer, ViewerState, event};

/// Runs that the probe interrupts during the abuse. A release build runs enough of them for a high percentile.
const ROUNDS: usize = if cfg!(debug_assertions) { 5 } else { 40 };
/// Percentage of the rounds that must meet the bounds: the median for an unoptimized server on a shared machine, nearly
/// all rounds for an optimized one.
const PERCENTILE: usize = if cfg!(debug_assertions) { 50 } else { 95 };
/// Fragments of the model's response to wait for before the next act, at 60 per second. They pace the rounds: an
/// optimized server completes a round so quickly that the probe would otherwise exceed the rate limit for messages.
const FRAGMENTS: usize = if cfg!(debug_assertions) { 20 } else { 32 };

/// Maximum time until the first act of the abuse. An act can be the end of a program that ran until its timeout, and
/// even on a fast machine a model takes seconds to write the program.
const FIRST_ACT_TIMEOUT: Duration = Duration::from_secs(90);

/// A person who takes no part in the abuse and works on a run of their own, with measured latencies.
pub struct LatencyProbe {
    /// The server under abuse.
    pub server: ServerProcess,
    /// The probe's session.
    pub session: String,
    viewer: SocketViewer,
    seen: ViewerState,
    sent: usize,
    /// Text that the probe sends to people while an agent of the run writes.
    text: String,
}

/// Starts a server with these settings in its environment. By default, the demo model writes text responses of 5000
/// tokens, so that the probe can interrupt it.
pub async fn server(settings: &[(&'static str, &str)]) -> ServerProcess {
    let mut environment = vec![("ROUNDTABLE_DEMO__RESPONSE_TOKENS", "5000"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    environment.extend(settings);
    ServerProcess::start(&environment).await
}

/// Creates a token for another participant with this role: `bot`, `guest`, `member` or `admin`.
pub async fn token(server: &ServerProcess, name: &str, role: &str) -> String {
    server.command(&["token", "create", "--name", name, "--role", role]).await
}

/// Times and memory that a probe measured.
#[derive(Debug)]
pub struct Measurement {
    /// Times from a message to its acknowledgement.
    pub commands: Vec<Duration>,
    /// Times from an interrupt to `control.effective`.
    pub interrupts: Vec<Duration>,
    /// Growth of the server's peak resident memory, in bytes.
    pub memory_bytes: u64,
    /// Acts of the abuse in the same period.
    pub counts: AbuseCounts,
}

impl LatencyProbe {
    /// Starts a server with these settings in its environment, and a probe that works on it.
    pub async fn start(settings: &[(&'static str, &str)]) -> Self {
        Self::on(server(settings).await).await
    }

    /// Starts a probe on a server that is already in use. Prepare the abuse before this call, because nothing would
    /// answer the server's pings on the probe's connection during long preparations.
    pub async fn on(server: ServerProcess) -> Self {
        let session = server.create().await;
        let mut viewer = server.viewer().await;
        viewer.join(&session, 0).await;
        let mut seen = ViewerState::default();
        viewer.wait_for(&mut seen, |frame| frame["type"] == "caught_up").await.expect("joins");
        Self { server, session, viewer, seen, sent: 0, text: "@people it goes on".into() }
    }

    /// Creates a token for another participant with this role: `bot`, `guest`, `member` or `admin`.
    pub async fn token(&self, name: &str, role: &str) -> String {
        token(&self.server, name, role).await
    }

    /// Sets the size of the probe's messages, in bytes.
    pub fn set_message_bytes(&mut self, bytes: usize) {
        self.text = format!("{:.<bytes$}", "@people it goes on ");
    }

    /// Measures several rounds without any abuse.
    pub async fn measure(&mut self) -> Measurement {
        // Run one round first, so that one-time costs are not measured.
        self.round().await;
        self.rounds(&AbuseCounter::default()).await
    }

    /// Measures several rounds during the abuse. The abuse never ends by itself. The rounds begin after its first act,
    /// so that the test fails if the abuse does nothing.
    pub async fn measure_during<A>(&mut self, abuse: impl FnOnce(AbuseCounter) -> A) -> Measurement
    where
        A: Future<Output = Infallible> + Send + 'static,
    {
        self.measure_once_started(|acts| acts.accepted > 0, abuse).await
    }

    /// Measures several rounds during an abuse that a limit rejects. The rounds begin after the first rejection,
    /// because on a slow machine they could otherwise end while the limit still admits everything.
    pub async fn measure_during_refusals<A>(&mut self, abuse: impl FnOnce(AbuseCounter) -> A) -> Measurement
    where
        A: Future<Output = Infallible> + Send + 'static,
    {
        self.measure_once_started(|acts| acts.rejected > 0, abuse).await
    }

    async fn measure_once_started<A>(
        &mut self,
        started: fn(&AbuseCounts) -> bool,
        abuse: impl FnOnce(AbuseCounter) -> A,
    ) -> Measurement
    where
        A: Future<Output = Infallible> + Send + 'static,
    {
        self.round().await;
        let counter = AbuseCounter::default();
        let mut abuse = tokio::spawn(abuse(counter.clone()));
        let measurement = async {
            timeout(FIRST_ACT_TIMEOUT, counter.wait_for(started)).await.expect("the abuse begins in time");
            self.rounds(&counter).await
        };
        tokio::select! {
            biased;
            ended = &mut abuse => match ended {
                Ok(never) => match never {},
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
            measurement = measurement => {
                abuse.abort();
                measurement
            }
        }
    }

    async fn rounds(&mut self, counter: &AbuseCounter) -> Measurement {
        let before = self.peak_bytes().await;
        let (mut commands, mut interrupts) = (vec![], vec![]);
        for _ in 0..ROUNDS {
            let (command, interrupt) = self.round().await;
            commands.push(command);
            interrupts.push(interrupt);
        }
        let memory_bytes = self.peak_bytes().await.saturating_sub(before);
        Measurement { commands, interrupts, memory_bytes, counts: counter.counts() }
    }

    /// Starts or continues a run, sends a message while an agent writes, and interrupts the run.
    async fn round(&mut self) -> (Duration, Duration) {
        self.command("say", json!({ "text": "write on" })).await;
        for _ in 0..FRAGMENTS {
            self.wait_for("a fragment", |frame| frame["type"] == "delta").await;
        }
        let pressed = Instant::now();
        let id = self.command("say", json!({ "text": self.text })).await;
        self.wait_for("an acknowledgement", |frame| frame["type"] == "ack" && frame["id"] == *id).await;
        let command = pressed.elapsed();
        let pressed = Instant::now();
        self.command("interrupt", json!({ "run": self.seen.run() })).await;
        self.wait_for("the stop", event("control.effective")).await;
        let interrupt = pressed.elapsed();
        self.wait_for("the question what now", event("gate.opened")).await;
        (command, interrupt)
    }

    async fn command(&mut self, name: &str, data: serde_json::Value) -> String {
        self.sent += 1;
        let id = format!("c{}", self.sent);
        self.viewer.command(&self.session, &id, name, data).await;
        id
    }

    async fn wait_for(&mut self, what: &str, wanted: impl Fn(&serde_json::Value) -> bool) {
        let frame = self.viewer.wait_for(&mut self.seen, |frame| frame["type"] == "error" || wanted(frame)).await;
        let frame = frame.unwrap_or_else(|| panic!("the probe lost the connection before {what}"));
        assert!(frame["type"] != "error", "the probe waited for {what} and got {frame}");
    }

    /// Returns the peak resident memory of the server so far, in bytes.
    async fn peak_bytes(&self) -> u64 {
        let status = tokio::fs::read_to_string(format!("/proc/{}/status", self.server.id())).await.expect("runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
    }
}

/// Factor by which an unoptimized server on a shared machine may exceed the bounds. Abuse that is not contained delays
/// others by seconds, so the factor does not hide it. In a release build the bounds apply unchanged.
const SLACK: u32 = if cfg!(debug_assertions) { 4 } else { 1 };

impl Measurement {
    /// Returns the number of rounds of the probe.
    pub fn rounds(&self) -> u64 {
        self.commands.len() as u64
    }

    /// Checks the bounds. The server may have grown by up to `memory_bytes`.
    pub fn assert_within_limits(&self, memory_bytes: u64) {
        let (commands, interrupts) = (LatencySamples::of(&self.commands), LatencySamples::of(&self.interrupts));
        // Print a row of the table in docs/performance.md, for `make test-abuse PROFILE=release`.
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        eprintln!("| `{test}` | {commands} | {interrupts} | {} KiB | {} |", self.memory_bytes >> 10, self.counts);
        commands.assert_within("commands", SLACK * Duration::from_millis(100));
        interrupts.assert_within("interrupts", SLACK * Duration::from_millis(50));
        let grown = self.memory_bytes;
        assert!(grown <= memory_bytes, "the server grew by {grown} bytes, more than {memory_bytes}: {self:?}");
    }

    /// Checks that limits rejected some of the abuse.
    pub fn assert_rejected(&self) {
        assert!(self.counts.rejected > 0, "no limit refused any of it: {}", self.counts);
    }

    /// Checks that the server closed some of the abusive connections.
    pub fn assert_closed(&self) {
        assert!(self.counts.closed > 0, "no connection was closed: {}", self.counts);
    }
}

/// Times in ascending order.
struct LatencySamples(Vec<Duration>);

impl LatencySamples {
    fn of(times: &[Duration]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort();
        Self(sorted)
    }

    /// Returns the time that this percentage of all times does not exceed.
    fn percentile(&self, percent: usize) -> Duration {
        self.0[(self.0.len() * percent).div_ceil(100) - 1]
    }

    fn assert_within(&self, what: &str, bound: Duration) {
        let time = self.percentile(PERCENTILE);
        assert!(time < bound, "{PERCENTILE} % of the {what} took up to {time:?}, more than {bound:?}: {:?}", self.0);
        let slowest = self.percentile(100);
        assert!(slowest < SLACK * Duration::from_secs(1), "the slowest of the {what} took {slowest:?}: {:?}", self.0);
    }
}

impl std::fmt::Display for LatencySamples {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [median, high, slowest] = [50, 95, 100].map(|percent| self.percentile(percent));
        write!(f, "{median:.1?}, {high:.1?}, {slowest:.1?}")
    }
}
