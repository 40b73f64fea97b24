//! A person who works with a run of their own while others abuse the server, and measures what they feel of it.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::process::server::Server;
use crate::process::viewer::{Seen, Viewer, event};

/// Runs that the bystander interrupts while the abuse goes on.
const ROUNDS: usize = 8;
/// Fragments of the model's answer to see before the next act, at 60 a second: this paces the rounds.
const FRAGMENTS: usize = 20;

/// A person with a run of their own on a server.
pub struct Bystander {
    /// The server that is abused.
    pub server: Server,
    /// The bystander's session.
    pub session: String,
    viewer: Viewer,
    seen: Seen,
    sent: usize,
    /// What the bystander says to people while a run writes.
    words: String,
}

/// A server with these settings in its environment, whose model writes for as long as nobody stops it.
pub async fn server(settings: &[(&'static str, &str)]) -> Server {
    let mut environment = vec![("ROUNDTABLE_DEMO__TOKENS", "5000"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];
    environment.extend(settings);
    Server::start(&environment).await
}

/// A token of somebody else, by role: `bot`, `guest`, `member` or `admin`.
pub async fn token(server: &Server, name: &str, role: &str) -> String {
    server.command(&["token", "create", "--name", name, "--role", role]).await
}

/// What a bystander felt.
#[derive(Debug)]
pub struct Felt {
    /// From a message to its acknowledgement.
    pub commands: Vec<Duration>,
    /// From an interrupt to `control.effective`.
    pub interrupts: Vec<Duration>,
    /// Bytes by which the server's peak of resident memory grew.
    pub memory_bytes: u64,
}

impl Bystander {
    /// A server with these settings in its environment, and somebody who works on it.
    pub async fn start(settings: &[(&'static str, &str)]) -> Self {
        Self::on(server(settings).await).await
    }

    /// Somebody who works on a server that others use already. Until they are there nobody answers its pings for them.
    pub async fn on(server: Server) -> Self {
        let session = server.create().await;
        let mut viewer = server.viewer().await;
        viewer.join(&session, 0).await;
        let mut seen = Seen::default();
        viewer.until(&mut seen, |frame| frame["type"] == "caught_up").await.expect("joins");
        Self { server, session, viewer, seen, sent: 0, words: "@people it goes on".into() }
    }

    /// A token of somebody else, by role: `bot`, `guest`, `member` or `admin`.
    pub async fn token(&self, name: &str, role: &str) -> String {
        token(&self.server, name, role).await
    }

    /// From now on the bystander's words have so many bytes.
    pub fn says_at_length(&mut self, bytes: usize) {
        self.words = format!("{:.<bytes$}", "@people it goes on ");
    }

    /// Work on, as long as a few rounds take, while the abuse goes on; it ends with them.
    pub async fn endure(&mut self, abuse: impl Future<Output = ()> + Send + 'static) -> Felt {
        // One round before the abuse, so that nothing is measured that only the first round costs.
        self.round().await;
        let before = self.peak_bytes().await;
        let abuse = tokio::spawn(abuse);
        let (mut commands, mut interrupts) = (vec![], vec![]);
        for _ in 0..ROUNDS {
            let (command, interrupt) = self.round().await;
            commands.push(command);
            interrupts.push(interrupt);
        }
        if abuse.is_finished() {
            abuse.await.expect("the abuse itself works");
        } else {
            abuse.abort();
        }
        Felt { commands, interrupts, memory_bytes: self.peak_bytes().await.saturating_sub(before) }
    }

    /// Start a run or go on with it, speak while it writes, and interrupt it.
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

    /// Bytes that the server had resident at most until now.
    async fn peak_bytes(&self) -> u64 {
        let status = tokio::fs::read_to_string(format!("/proc/{}/status", self.server.id())).await.expect("runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
    }
}

/// Factor by which an unoptimised server on a shared machine may exceed the bounds. They hold for release builds; an abuse
/// that is not held off costs others seconds, so the factor hides none.
const SLACK: u32 = if cfg!(debug_assertions) { 4 } else { 1 };

impl Felt {
    /// Check the bounds; the server may have grown by `memory_bytes`.
    pub fn is_bearable(&self, memory_bytes: u64) {
        within("commands", &self.commands, SLACK * Duration::from_millis(100));
        within("interrupts", &self.interrupts, SLACK * Duration::from_millis(50));
        let grown = self.memory_bytes;
        assert!(grown <= memory_bytes, "the server grew by {grown} bytes, more than {memory_bytes}: {self:?}");
    }
}

fn within(what: &str, times: &[Duration], bound: Duration) {
    let mut sorted = times.to_vec();
    sorted.sort();
    let median = sorted[sorted.len() / 2];
    assert!(median < bound, "{what} took {median:?} in the median, more than {bound:?}: {sorted:?}");
    let slowest = sorted[sorted.len() - 1];
    assert!(slowest < SLACK * Duration::from_secs(1), "the slowest of the {what} took {slowest:?}: {sorted:?}");
}
