//! A person who works on a run of their own while others abuse the server, and measures the impact.

use std::convert::Infallible;
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::tally::{Acts, Tally};
use crate::process::server::ServerProcess;
use crate::process::viewer::{Seen, SocketViewer, event};
use crate::server::soon;

/// Runs that the bystander interrupts during the abuse. A release build runs enough of them for a high percentile.
const ROUNDS: usize = if cfg!(debug_assertions) { 5 } else { 40 };
/// Percentage of the rounds that must meet the bounds: the median for an unoptimised server on a shared machine, nearly
/// all rounds for an optimised one.
const PERCENTILE: usize = if cfg!(debug_assertions) { 50 } else { 95 };
/// Fragments of the model's answer to wait for before the next act, at 60 per second; this paces the rounds. An
/// optimised server completes a round so quickly that the bystander would otherwise exceed the rate limit for messages.
const FRAGMENTS: usize = if cfg!(debug_assertions) { 20 } else { 32 };

/// A person with a run of their own on a server.
pub struct Bystander {
    /// The server under abuse.
    pub server: ServerProcess,
    /// The bystander's session.
    pub session: String,
    viewer: SocketViewer,
    seen: Seen,
    sent: usize,
    /// Text that the bystander sends to people while a run writes.
    words: String,
}

/// A server with these settings in its environment, whose model writes until it is stopped.
pub async fn server(settings: &[(&'static str, &str)]) -> ServerProcess {
    let mut environment = vec![("ROUNDTABLE_DEMO__RESPONSE_TOKENS", "5000"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    environment.extend(settings);
    ServerProcess::start(&environment).await
}

/// A token for another participant with this role: `bot`, `guest`, `member` or `admin`.
pub async fn token(server: &ServerProcess, name: &str, role: &str) -> String {
    server.command(&["token", "create", "--name", name, "--role", role]).await
}

/// Times and memory that a bystander measured.
#[derive(Debug)]
pub struct Measurement {
    /// From a message to its acknowledgement.
    pub commands: Vec<Duration>,
    /// From an interrupt to `control.effective`.
    pub interrupts: Vec<Duration>,
    /// Bytes by which the server's peak of resident memory grew.
    pub memory_bytes: u64,
    /// Acts of the abuse in the same period.
    pub acts: Acts,
}

impl Bystander {
    /// A server with these settings in its environment, and a bystander who works on it.
    pub async fn start(settings: &[(&'static str, &str)]) -> Self {
        Self::on(server(settings).await).await
    }

    /// A bystander on a server that others already use. Until the bystander connects, nothing answers the server's
    /// pings for them.
    pub async fn on(server: ServerProcess) -> Self {
        let session = server.create().await;
        let mut viewer = server.viewer().await;
        viewer.join(&session, 0).await;
        let mut seen = Seen::default();
        viewer.until(&mut seen, |frame| frame["type"] == "caught_up").await.expect("joins");
        Self { server, session, viewer, seen, sent: 0, words: "@people it goes on".into() }
    }

    /// A token for another participant with this role: `bot`, `guest`, `member` or `admin`.
    pub async fn token(&self, name: &str, role: &str) -> String {
        token(&self.server, name, role).await
    }

    /// Sets the size of the bystander's messages, in bytes.
    pub fn says_at_length(&mut self, bytes: usize) {
        self.words = format!("{:.<bytes$}", "@people it goes on ");
    }

    /// Works for several rounds without any abuse.
    pub async fn work(&mut self) -> Measurement {
        // Run one round first, so that one-time costs are not measured.
        self.round().await;
        self.rounds(&Tally::default()).await
    }

    /// Works for several rounds during the abuse. The abuse never ends by itself, and the rounds begin after its first
    /// act, so that an abuse that does nothing is noticed.
    pub async fn endure<A>(&mut self, abuse: impl FnOnce(Tally) -> A) -> Measurement
    where
        A: Future<Output = Infallible> + Send + 'static,
    {
        self.endure_once(|acts| acts.taken > 0, abuse).await
    }

    /// Works for several rounds during an abuse that a limit refuses. The rounds begin after the first refusal, because
    /// on a slow machine they could otherwise end while the limit still admits everything.
    pub async fn endure_refused<A>(&mut self, abuse: impl FnOnce(Tally) -> A) -> Measurement
    where
        A: Future<Output = Infallible> + Send + 'static,
    {
        self.endure_once(|acts| acts.refused > 0, abuse).await
    }

    async fn endure_once<A>(&mut self, begun: fn(&Acts) -> bool, abuse: impl FnOnce(Tally) -> A) -> Measurement
    where
        A: Future<Output = Infallible> + Send + 'static,
    {
        self.round().await;
        let tally = Tally::default();
        let mut abuse = tokio::spawn(abuse(tally.clone()));
        let felt = async {
            soon(tally.until(begun)).await;
            self.rounds(&tally).await
        };
        tokio::select! {
            biased;
            ended = &mut abuse => match ended {
                Ok(never) => match never {},
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
            felt = felt => {
                abuse.abort();
                felt
            }
        }
    }

    async fn rounds(&mut self, tally: &Tally) -> Measurement {
        let before = self.peak_bytes().await;
        let (mut commands, mut interrupts) = (vec![], vec![]);
        for _ in 0..ROUNDS {
            let (command, interrupt) = self.round().await;
            commands.push(command);
            interrupts.push(interrupt);
        }
        let memory_bytes = self.peak_bytes().await.saturating_sub(before);
        Measurement { commands, interrupts, memory_bytes, acts: tally.acts() }
    }

    /// Starts or continues a run, sends a message while it writes, and interrupts it.
    async fn round(&mut self) -> (Duration, Duration) {
        self.command("say", json!({ "text": "write on" })).await;
        for _ in 0..FRAGMENTS {
            self.until("a fragment", |frame| frame["type"] == "delta").await;
        }
        let pressed = Instant::now();
        let id = self.command("say", json!({ "text": self.words })).await;
        self.until("an acknowledgement", |frame| frame["type"] == "ack" && frame["id"] == *id).await;
        let command = pressed.elapsed();
        let pressed = Instant::now();
        self.command("interrupt", json!({ "run": self.seen.run() })).await;
        self.until("the stop", event("control.effective")).await;
        let interrupt = pressed.elapsed();
        self.until("the question what now", event("gate.opened")).await;
        (command, interrupt)
    }

    async fn command(&mut self, name: &str, data: serde_json::Value) -> String {
        self.sent += 1;
        let id = format!("c{}", self.sent);
        self.viewer.command(&self.session, &id, name, data).await;
        id
    }

    async fn until(&mut self, what: &str, wanted: impl Fn(&serde_json::Value) -> bool) {
        let frame = self.viewer.until(&mut self.seen, |frame| frame["type"] == "error" || wanted(frame)).await;
        let frame = frame.unwrap_or_else(|| panic!("the bystander lost the connection before {what}"));
        assert!(frame["type"] != "error", "the bystander waited for {what} and got {frame}");
    }

    /// Peak resident memory of the server so far, in bytes.
    async fn peak_bytes(&self) -> u64 {
        let status = tokio::fs::read_to_string(format!("/proc/{}/status", self.server.id())).await.expect("runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
    }
}

/// Factor by which an unoptimised server on a shared machine may exceed the bounds. Abuse that is not contained costs
/// others seconds, so the factor does not hide it. In a release build the bounds apply unchanged.
const SLACK: u32 = if cfg!(debug_assertions) { 4 } else { 1 };

impl Measurement {
    /// Number of rounds that the bystander worked.
    pub fn rounds(&self) -> u64 {
        self.commands.len() as u64
    }

    /// Checks the bounds. The server may have grown by up to `memory_bytes`.
    pub fn is_bearable(&self, memory_bytes: u64) {
        let (commands, interrupts) = (Times::of(&self.commands), Times::of(&self.interrupts));
        // A row of the table in docs/performance.md: `make test-abuse PROFILE=release` shows it.
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        eprintln!("| `{test}` | {commands} | {interrupts} | {} KiB | {} |", self.memory_bytes >> 10, self.acts);
        commands.within("commands", SLACK * Duration::from_millis(100));
        interrupts.within("interrupts", SLACK * Duration::from_millis(50));
        let grown = self.memory_bytes;
        assert!(grown <= memory_bytes, "the server grew by {grown} bytes, more than {memory_bytes}: {self:?}");
    }

    /// Checks that limits refused some of the abuse.
    pub fn was_refused(&self) {
        assert!(self.acts.refused > 0, "no limit refused any of it: {}", self.acts);
    }

    /// Checks that the server closed some of the abusive connections.
    pub fn was_closed(&self) {
        assert!(self.acts.closed > 0, "no connection was closed: {}", self.acts);
    }
}

/// Times in ascending order.
struct Times(Vec<Duration>);

impl Times {
    fn of(times: &[Duration]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort();
        Self(sorted)
    }

    /// The time that this percentage of all times does not exceed.
    fn percentile(&self, percent: usize) -> Duration {
        self.0[(self.0.len() * percent).div_ceil(100) - 1]
    }

    fn within(&self, what: &str, bound: Duration) {
        let time = self.percentile(PERCENTILE);
        assert!(time < bound, "{PERCENTILE} % of the {what} took up to {time:?}, more than {bound:?}: {:?}", self.0);
        let slowest = self.percentile(100);
        assert!(slowest < SLACK * Duration::from_secs(1), "the slowest of the {what} took {slowest:?}: {:?}", self.0);
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [median, high, slowest] = [50, 95, 100].map(|percent| self.percentile(percent));
        write!(f, "{median:.1?}, {high:.1?}, {slowest:.1?}")
    }
}
