//! All viewers reconnect at once, as after the replacement of a node or a network failure: the time until all are
//! served, and the load on the database.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use roundtable::feed::frame;
use serde_json::json;
use tokio::task::JoinSet;

use crate::data::{Data, require_own_server};
use crate::metrics::{self, Metrics};
use crate::report::{Report, latency_histogram};
use crate::server::Server;
use crate::watching_client::{WatchingClient, seq};
use crate::{join, machine};

/// Size of the scenario.
#[derive(Args)]
pub struct Reconnect {
    /// Viewers of the session.
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=15_000))]
    pub viewers: u64,
    /// Events that each viewer has missed.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    pub missed: u64,
    /// Start PostgreSQL and use it instead of SQLite.
    #[arg(long)]
    pub postgres: bool,
}

/// Time that a viewer waits to join. A connection that does not fit into the server's accept queue looks like a slow
/// one.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Number of failed connections after which a viewer makes its last attempt.
const MAX_CLOSED: u64 = 5;

/// Measures the time from the disconnection of all viewers until each has received all missed events.
pub async fn measure(load: &Reconnect, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "a long log can only be written into a server of our own")?;
    machine::check_open_files(load.viewers * 2 + 200)?;
    let data = if load.postgres { Data::postgres().await? } else { Data::sqlite()? };
    let session = join::fill(&data, load.missed + 1000).await?;
    let token = data.administrator().await?;
    let (mut server, address) = Server::real(&data, &[metrics::setting()]).await?;
    let metrics = Metrics::of(&mut server).await?;
    let mut viewers = vec![];
    for _ in 0..load.viewers {
        let mut viewer = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
        let caught_up = viewer.wait_for("caught_up").await?;
        viewer.seq = caught_up["through"].as_u64().context("no seq")?;
        viewers.push(viewer);
    }
    let stale = viewers.first().map_or(0, |viewer| viewer.seq).saturating_sub(load.missed);
    let before = metrics.read().await?;
    drop(viewers);
    let started = Instant::now();
    let mut reconnecting = JoinSet::new();
    for _ in 0..load.viewers {
        let (address, token, session, missed) = (address.clone(), token.clone(), session.clone(), load.missed);
        reconnecting.spawn(async move {
            reconnect(&address, &token, &session, stale, missed).await.map(|result| (result, started.elapsed()))
        });
    }
    let (mut histogram, mut reconnected, mut retries) = (latency_histogram(), vec![], 0);
    while let Some(result) = reconnecting.join_next().await {
        let ((viewer, viewer_retries), elapsed) = result?.context("a viewer was not served")?;
        histogram.saturating_record(u64::try_from(elapsed.as_nanos())?);
        retries += viewer_retries;
        // Viewers stay connected, as people do.
        reconnected.push(viewer);
    }
    let seconds = started.elapsed().as_secs_f64();
    let after = metrics.read().await?;
    let increase = |name| anyhow::Ok(after.number(name)? - before.number(name)?);
    let statements = increase("roundtable_store_statements_total")?;
    let mut report = Report {
        scenario: "reconnect",
        join_ms: Some(seconds * 1e3),
        store_statements: Some(statements as f64),
        ..Report::default()
    };
    report.set_latencies(&histogram);
    report.notes.push(format!(
        "{} viewers reconnected at once, {} events behind, on {}: all served after {seconds:.2} s; retries at the server's request: {retries}",
        load.viewers,
        load.missed,
        if load.postgres { "PostgreSQL" } else { "SQLite" }
    ));
    report.notes.push(format!(
        "database statements: {statements}, {} of them for pages of the log, for {} replays",
        increase("roundtable_page_reads_total")?,
        increase("roundtable_replays_total")?
    ));
    server.stop().await?;
    Ok(report)
}

/// Connects, joins with an old seq, and waits for all missed events, each once and in order. Also returns the number of
/// retries.
async fn reconnect(
    address: &str,
    token: &str,
    session: &str,
    stale: u64,
    missed: u64,
) -> anyhow::Result<(WatchingClient, u64)> {
    let mut closed = 0;
    let (mut viewer, retries) = loop {
        let joined = tokio::time::timeout(TIMEOUT, join_at(address, token, session, stale)).await;
        match joined.map_err(anyhow::Error::from).flatten() {
            // Retry, like a client whose socket is closed or silent.
            Err(_) if closed < MAX_CLOSED => closed += 1,
            joined => break joined?,
        }
    };
    let (mut last, mut gap, mut caught_up) = (stale, false, false);
    while !caught_up {
        let on_frame = |frame: &[u8]| {
            if frame::is_event(frame) {
                gap |= seq(frame) != Some(last + 1);
                last += 1;
            }
            caught_up |= frame.starts_with(b"{\"type\":\"caught_up\"");
        };
        viewer.read(&mut { on_frame }).await?;
        ensure!(!gap, "a gap or a repetition before {last}");
    }
    ensure!(last >= stale + missed, "only {} of {missed} missed events came", last - stale);
    Ok((viewer, retries + closed))
}

async fn join_at(address: &str, token: &str, session: &str, stale: u64) -> anyhow::Result<(WatchingClient, u64)> {
    let mut viewer = WatchingClient::connect(address).await?;
    let hello = viewer.send_with_retry(&json!({ "type": "hello", "token": token }), "welcome").await?;
    let join = json!({ "type": "join", "session": session, "after": stale });
    let retries = hello + viewer.send_with_retry(&join, "joined").await?;
    Ok((viewer, retries))
}
