//! Joining a session with a long log. With a snapshot, this must be as fast as joining a session with a short one.

use std::time::Instant;

use clap::Args;
use hdrhistogram::Histogram;
use roundtable::kernel::SessionId;
use serde_json::json;

use crate::data::Data;
use crate::max_rate_server;
use crate::report::{Report, latency_histogram};
use crate::server::{Server, loopback, session};
use crate::watching_client::WatchingClient;

/// Size of the scenario.
#[derive(Args)]
pub struct Join {
    /// Events in the session's log.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub events: u64,
    /// Joins, one after the other.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub joins: u64,
}

/// Bytes per event.
const EVENT_BYTES: usize = 400;

/// Measures the time from `join` to `caught_up`, on open connections.
pub async fn measure(load: &Join, target: Option<(String, String)>) -> anyhow::Result<Report> {
    let data = Data::sqlite()?;
    let mut notes = vec![];
    let (server, address, token, session) = match target {
        Some((url, token)) => {
            let address = loopback(&url)?;
            let session = session(&address, &token, "Join").await?;
            notes.push("The session is a new one: a long log can only be written into a server of our own.".into());
            (None, address, token, session)
        }
        None => {
            let session = fill(&data, load.events).await?;
            let token = data.administrator().await?;
            let (server, address) = Server::real(&data, &[]).await?;
            (Some(server), address, token, session)
        }
    };
    let (mut histogram, bytes) = join_repeatedly(&address, &token, &session, 1).await?;
    let first = histogram.max();
    if load.joins > 1 {
        histogram.add(join_repeatedly(&address, &token, &session, load.joins - 1).await?.0)?;
    }
    notes.push(format!(
        "the first join, which reads the store: {:.1} ms; a snapshot of {bytes} bytes",
        first as f64 / 1e6
    ));
    let mut report =
        Report { scenario: "join", join_ms: Some(histogram.max() as f64 / 1e6), notes, ..Report::default() };
    report.set_latencies(&histogram);
    if let Some(server) = server {
        server.stop().await?;
    }
    Ok(report)
}

/// Joins this many times, one after the other, on new connections that have already authenticated. Returns the times
/// from `join` to `caught_up`, and the size of the first snapshot in bytes.
pub async fn join_repeatedly(
    address: &str,
    token: &str,
    session: &str,
    count: u64,
) -> anyhow::Result<(Histogram<u64>, usize)> {
    let (mut histogram, mut bytes) = (latency_histogram(), 0);
    for join in 0..count {
        let mut viewer = WatchingClient::connect(address).await?;
        viewer.send(&json!({ "type": "hello", "token": token })).await?;
        viewer.wait_for("welcome").await?;
        let started = Instant::now();
        viewer.send(&json!({ "type": "join", "session": session })).await?;
        let joined = viewer.wait_for("joined").await?;
        viewer.wait_for("caught_up").await?;
        histogram.saturating_record(started.elapsed().as_nanos() as u64);
        if join == 0 {
            bytes = joined.to_string().len();
        }
    }
    Ok((histogram, bytes))
}

/// Creates a session with a long log, and with the snapshot that the orchestrator would have stored a few events before
/// the end of the log.
pub async fn fill(data: &Data, events: u64) -> anyhow::Result<String> {
    let stores = data.open().await?;
    let (who, _) = max_rate_server::person(&stores, "Historian").await?;
    let session = SessionId(uuid::Uuid::now_v7());
    let mut log = max_rate_server::Log::begin(&stores, session, &who).await?;
    let tail = events.min(499);
    log.fill(events - tail, EVENT_BYTES).await?;
    let snapshot = serde_json::to_vec(&log.state.snapshot())?;
    stores.events.save_snapshot(session, log.state.seq(), snapshot.into()).await?;
    if tail > 0 {
        log.fill(tail, EVENT_BYTES).await?;
    }
    Ok(session.to_string())
}
