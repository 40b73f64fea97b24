//! A node is killed in the middle of a response: the time until viewers on another node see the next text.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use hdrhistogram::Histogram;
use serde_json::json;

use crate::data::{Data, require_own_server};
use crate::report::{Report, latency_histogram};
use crate::server::{Server, newest_run, post, session};
use crate::watching_client::WatchingClient;
use crate::{runs, timing_model};

/// Size of the scenario.
#[derive(Args)]
pub struct Takeover {
    /// Rounds with each of the two groups of settings. In each round, a node is killed.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub rounds: u64,
    /// Nodes, including the one that is killed.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(2..=8))]
    pub nodes: u64,
}

/// Settings for nodes with a fast database nearby: a second without renewal counts as a failure.
const TIGHT: [(&str, &str); 3] =
    [("CLUSTER__LEASE_MS", "1000"), ("CLUSTER__RENEW_MS", "250"), ("CLUSTER__TAKEOVER_MS", "100")];

/// Tokens per second: enough that the next delta always follows soon.
const RATE: u64 = 50;

/// Timeout of the next delta. The response streams for twice as long, so that it does not end by itself.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Executes rounds with the default settings, then with settings for fast failover.
pub async fn measure(load: &Takeover, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "nodes are killed")?;
    let mut report = Report { scenario: "takeover", ..Report::default() };
    let tight = TIGHT.map(|(name, value)| (name, value.to_owned()));
    for (name, settings, max_ms) in
        [("default", &[][..], &mut report.takeover_ms), ("tight", &tight, &mut report.tight_takeover_ms)]
    {
        let histogram = rounds(load, settings).await.with_context(|| format!("with {name} settings"))?;
        *max_ms = Some(histogram.max() as f64 / 1e6);
        report.notes.push(format!(
            "{name}: {} rounds of {} nodes, from the kill to the next delta on another node, ms: p50 {:.0}, max {:.0}",
            load.rounds,
            load.nodes,
            histogram.value_at_quantile(0.5) as f64 / 1e6,
            histogram.max() as f64 / 1e6
        ));
    }
    Ok(report)
}

async fn rounds(load: &Takeover, settings: &[(&'static str, String)]) -> anyhow::Result<Histogram<u64>> {
    let data = Data::shared().await?;
    let token = data.administrator().await?;
    let model = timing_model::serve(RATE, RATE * TIMEOUT.as_secs() * 2).await?;
    let settings = [&model[..], settings].concat();
    let mut others = Vec::new();
    for _ in 1..load.nodes {
        others.push(Server::real(&data, &settings).await?);
    }
    let (_, viewer_address) = others.first().context("no other node")?;
    let mut histogram = latency_histogram();
    for round in 0..load.rounds {
        let (owner, address) = Server::real(&data, &settings).await?;
        let session = session(&address, &token, &format!("Round {round}")).await?;
        let mut viewer = WatchingClient::connect_and_join(viewer_address, &token, &session, None).await?;
        runs::start_run(&address, &token, &session).await?;
        // Each round kills the node at a different moment between two lease renewals.
        let (run_started, pause) = (Instant::now(), Duration::from_millis(1000 + 1000 * round / load.rounds));
        let first = loop {
            let attempt = delta(&mut viewer).await?;
            if run_started.elapsed() >= pause {
                break attempt;
            }
        };
        let killed_at = Instant::now();
        owner.stop().await?;
        while delta(&mut viewer).await? <= first {}
        let nanos = u64::try_from(killed_at.elapsed().as_nanos())?;
        histogram.saturating_record(nanos);
        let run = newest_run(viewer_address, &token, &session).await?;
        let end = json!({ "id": "c_end", "do": "cancel", "data": { "run": run } });
        post(viewer_address, &token, &format!("/api/v1/sessions/{session}/commands"), &end).await?;
    }
    for (server, _) in others {
        server.stop().await?;
    }
    ensure!(histogram.len() == load.rounds, "rounds were lost");
    Ok(histogram)
}

/// Returns the attempt of the next delta.
async fn delta(viewer: &mut WatchingClient) -> anyhow::Result<u64> {
    let delta =
        tokio::time::timeout(TIMEOUT, viewer.wait_for("delta")).await.context("no node continues the run")??;
    delta["attempt"].as_u64().context("a delta of no attempt")
}
