//! Cost of a message and memory of a session as a function of the number of live sessions.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::{Grow, WARM_UP_SECONDS, settings, sizes};
use crate::curve::{Curve, Series};
use crate::data::Data;
use crate::metrics::{self, Metrics};
use crate::report::latency_histogram;
use crate::server::{Cores, Server, session};
use crate::watching_client::WatchingClient;
use crate::{fanout, idle, machine, messages};

/// Messages per second, spread over all sessions.
const RATE: u64 = 200;

/// Minimum number of sessions for a measurement of their memory. With fewer, the server's own memory dominates.
const MIN_SESSIONS: u64 = 100;

/// Measures each number of sessions with one server on one core.
pub async fn measure(load: &Grow) -> anyhow::Result<Curve> {
    let mut cpu = Series::new("CPU", "µs per message");
    let mut memory = Series::new("memory", "KiB per session");
    let mut first_kib = None;
    for count in sizes(1, load.max_sessions) {
        let (us, kib) = measure_point(count, load.seconds).await?;
        cpu.push(count, us);
        // Subtract the memory of the server with one session, which is mostly the server's own.
        let first_kib = *first_kib.get_or_insert(kib);
        if count >= MIN_SESSIONS {
            memory.push(count, (kib - first_kib) / (count - 1) as f64);
        }
    }
    Ok(Curve {
        dimension: "sessions",
        title: "Cost of a message, and memory",
        sizes: "live sessions, one viewer each, 200 messages a second in all",
        series: vec![cpu, memory],
    })
}

/// Returns the CPU time per message in microseconds, and the resident memory of the server in KiB.
async fn measure_point(count: u64, seconds: u64) -> anyhow::Result<(f64, f64)> {
    let data = Data::sqlite()?;
    let token = data.administrator().await?;
    let mut settings = settings();
    settings.push(metrics::setting());
    let (mut server, address) = Server::real_on(Cores::First, &data, &settings).await?;
    let metrics = Metrics::of(&mut server).await?;
    let mut speakers = Speakers::new();
    for number in 0..count {
        let session = session(&address, &token, &format!("Session {number}")).await?;
        let client = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
        speakers.add(client, session);
    }
    speakers.post_messages(RATE * WARM_UP_SECONDS).await?;
    let live = metrics.read().await?.number("roundtable_live_sessions")?;
    ensure!(live == count, "{live} of {count} sessions are live");
    let cpu = machine::cpu_seconds(server.pid)?;
    let measured = RATE * seconds;
    speakers.post_messages(measured).await?;
    let cpu = machine::cpu_seconds(server.pid)? - cpu;
    let kib = idle::settled_memory_kib(server.pid).await?;
    server.stop().await?;
    Ok((cpu * 1e6 / measured as f64, kib))
}

/// Viewers of different sessions that also post messages.
struct Speakers {
    /// Session of each viewer, with the channel for the viewer's commands.
    sessions: Vec<(String, mpsc::UnboundedSender<Value>)>,
    clients: JoinSet<anyhow::Result<()>>,
    /// Latencies of the messages.
    histogram: Arc<Mutex<Histogram<u64>>>,
    messages: u64,
}

impl Speakers {
    fn new() -> Self {
        let histogram = Arc::new(Mutex::new(latency_histogram()));
        Self { sessions: vec![], clients: JoinSet::new(), histogram, messages: 0 }
    }

    fn add(&mut self, client: WatchingClient, session: String) {
        let (sender, commands) = mpsc::unbounded_channel();
        self.clients.spawn(participate(client, commands, self.histogram.clone()));
        self.sessions.push((session, sender));
    }

    /// Posts this many messages at a steady rate, each in the next session, and waits until all have arrived.
    async fn post_messages(&mut self, count: u64) -> anyhow::Result<()> {
        let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / RATE as f64));
        for _ in 0..count {
            tokio::select! {
                _ = ticks.tick() => {}
                Some(ended) = self.clients.join_next() => ended?.context("a viewer was cut off")?,
            }
            let (session, commands) = &self.sessions[self.messages as usize % self.sessions.len()];
            commands.send(messages::command(session, self.messages)).context("a viewer was cut off")?;
            self.messages += 1;
        }
        fanout::wait_for_deliveries(&self.histogram, self.messages).await
    }
}

/// Sends commands and records the latency of the messages until the program ends.
async fn participate(
    mut client: WatchingClient,
    mut commands: mpsc::UnboundedReceiver<Value>,
    histogram: Arc<Mutex<Histogram<u64>>>,
) -> anyhow::Result<()> {
    let mut on_frame = |frame: &[u8]| fanout::record_latency(frame, &histogram);
    loop {
        // Nothing is lost if the other branch completes first: `read` waits only before it reads, or while it responds
        // to pings, and no pings arrive within the interval in `settings`.
        tokio::select! {
            Some(command) = commands.recv() => client.send(&command).await?,
            read = client.read(&mut on_frame) => read?,
        }
    }
}
