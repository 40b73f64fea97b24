//! Two nodes that share one PostgreSQL and one Redis, with runs on the first and viewers on the second.

use std::sync::Arc;

use anyhow::{Context, ensure};
use clap::Args;
use parking_lot::Mutex;

use crate::data::{Data, require_own_server};
use crate::metrics::{self, Metrics};
use crate::report::{Report, latency_histogram};
use crate::runs::{Runs, Streams};
use crate::server::{Server, session};
use crate::watching_client::WatchingClient;
use crate::{fanout, machine, messages, timing_model};

/// Size of the scenario.
#[derive(Args)]
pub struct Cluster {
    /// Runs that stream tokens on the first node.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=200))]
    pub runs: u64,
    /// Tokens per second in each run.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub rate: u64,
    /// Commands per second on the first node, after the runs.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    pub commands: u64,
    /// Viewers of each session on the second node.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=5_000))]
    pub viewers: u64,
    /// Duration of the runs, and then of the commands, in seconds.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=120))]
    pub seconds: u64,
}

/// Measures the latency of tokens, then of commands, at the viewers on the second node.
pub async fn measure(load: &Cluster, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "two nodes are needed")?;
    let data = Data::shared().await?;
    let token = data.administrator().await?;
    let mut settings = timing_model::serve(load.rate, load.rate * load.seconds).await?.to_vec();
    settings.push(metrics::setting());
    let (first, address) = Server::real(&data, &settings).await?;
    let (mut second, viewer_address) = Server::real(&data, &settings).await?;
    let metrics = Metrics::of(&mut second).await?;
    let nodes = [&first, &second];
    let mut report = Report { scenario: "cluster", ..Report::default() };

    let &Cluster { runs, viewers, rate, seconds, .. } = load;
    let streams =
        Streams::prepare(&Runs { runs, viewers, rate, seconds, one_core: false }, [&address, &viewer_address], &token)
            .await?;
    let before = cpu(nodes)?;
    let (histogram, elapsed) = streams.run().await?;
    let cores = (cpu(nodes)? - before) / elapsed;
    report.set_latencies(&histogram);
    report.deliveries_per_s = Some(histogram.len() as f64 / elapsed);
    report.notes.push(format!(
        "tokens: {runs} runs at {rate} tokens a second on the first node, {viewers} viewers of each on the second, {seconds} s, \
         from the model's sending to the viewer; the nodes used {:.0}% of a core",
        cores * 100.0
    ));

    let session = session(&address, &token, "Commands").await?;
    let (remote, local) = (Arc::new(Mutex::new(latency_histogram())), Arc::new(Mutex::new(latency_histogram())));
    let mut remote_readers =
        fanout::spawn_readers(WatchingClient::connect_many(&viewer_address, &token, &session, viewers).await?, &remote);
    let mut local_readers =
        fanout::spawn_readers(WatchingClient::connect_many(&address, &token, &session, 1).await?, &local);
    let speaker = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
    tokio::select! {
        posted = messages::post_messages(speaker, &session, 0, load.commands, seconds) => drop(posted?),
        Some(ended) = remote_readers.join_next() => ended?.context("a viewer was cut off")?,
        Some(ended) = local_readers.join_next() => ended?.context("a viewer was cut off")?,
    }
    fanout::wait_for_deliveries(&remote, viewers * load.commands * seconds).await?;
    fanout::wait_for_deliveries(&local, load.commands * seconds).await?;
    let at = |histogram: &Mutex<hdrhistogram::Histogram<u64>>, quantile| {
        histogram.lock().value_at_quantile(quantile) as f64 / 1e6
    };
    report.command_p50_ms = Some(at(&remote, 0.5));
    report.command_p99_ms = Some(at(&remote, 0.99));
    report.notes.push(format!(
        "commands: {} a second on the first node for {seconds} s, {viewers} viewers on the second, from the command with its \
         commit to the viewer, ms: p50 {:.1}, p99 {:.1}; to a viewer on the first node: p50 {:.1}, p99 {:.1}",
        load.commands,
        at(&remote, 0.5),
        at(&remote, 0.99),
        at(&local, 0.5),
        at(&local, 0.99)
    ));
    let snapshot = metrics.read().await?;
    ensure!(snapshot.number("roundtable_live_sessions")? == 0, "the second node had a session of its own");
    let lost = snapshot.number("roundtable_bus_lost_total")?;
    report.notes.push(format!(
        "reads of the second node after possibly lost messages: {lost}, one of them when it opened the session"
    ));
    first.stop().await?;
    second.stop().await?;
    Ok(report)
}

fn cpu(nodes: [&Server; 2]) -> anyhow::Result<f64> {
    nodes.iter().map(|node| machine::cpu_seconds(node.pid)).sum()
}
