//! Growth of cost with size: one curve per dimension, each over several orders of magnitude.

mod events;
mod nodes;
mod people;
mod sessions;
mod viewers;

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use hdrhistogram::Histogram;
use rustix::thread::sched_getaffinity;

use crate::data::require_own_server;
use crate::machine;
use crate::messages::{MessagingSetup, RoundCost};
use crate::report::Report;

/// Size of the scenario.
#[derive(Args)]
pub struct Grow {
    /// Dimensions to measure, separated by commas. Default: all.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "DIMENSIONS")]
    only: Vec<Dimension>,
    /// Largest number of viewers of one session. Each uses an open file in the server and one in this program.
    #[arg(long, default_value_t = 9_000, value_parser = clap::value_parser!(u64).range(10..=20_000))]
    max_viewers: u64,
    /// Largest number of live sessions.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    max_sessions: u64,
    /// Largest number of events in a session's log.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1_000..=1_000_000))]
    max_events: u64,
    /// Largest number of nodes.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=6))]
    max_nodes: u64,
    /// Duration of the measurement at each point at which messages are posted, in seconds.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60))]
    seconds: u64,
    /// Folder for one drawing per dimension, `grow-<dimension>.svg`. It must exist.
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,
}

/// A size that grows while everything else stays the same.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dimension {
    /// Viewers of one session.
    Viewers,
    /// Live sessions.
    Sessions,
    /// Events in the log of a session.
    Events,
    /// People in a session.
    People,
    /// Nodes of a cluster.
    Nodes,
}

/// Files that the server reserves for purposes other than connections, and a few more.
const OTHER_FILES: u64 = 1_100;

/// Messages per second at each point, unless the dimension has its own rate.
const RATE: u64 = 100;

/// Seconds for which messages are posted before each measurement, because the first messages cost more.
const WARM_UP_SECONDS: u64 = 1;

/// Measures the chosen dimensions, each point with separate servers and data.
pub async fn measure(load: &Grow, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "each point has a server of its own")?;
    if let Some(folder) = &load.svg {
        ensure!(folder.is_dir(), "{} is not a folder; create it first", folder.display());
    }
    let chosen = |dimension: &Dimension| load.only.is_empty() || load.only.contains(dimension);
    let dimensions: Vec<Dimension> = Dimension::value_variants().iter().copied().filter(chosen).collect();
    let files = dimensions.iter().map(|dimension| match dimension {
        Dimension::Viewers => load.max_viewers,
        Dimension::Sessions => load.max_sessions,
        Dimension::Events | Dimension::People | Dimension::Nodes => 0,
    });
    machine::check_open_files(files.max().unwrap_or_default() + OTHER_FILES)?;
    let all_cores = sched_getaffinity(None)?;
    let mut report = Report { scenario: "grow", ..Report::default() };
    for dimension in dimensions {
        match dimension {
            // The nodes, their PostgreSQL and their Redis share all cores.
            Dimension::Nodes => machine::release(&all_cores)?,
            _ => machine::avoid_core(0)?,
        }
        let curve = match dimension {
            Dimension::Viewers => viewers::measure(load).await,
            Dimension::Sessions => sessions::measure(load).await,
            Dimension::Events => events::measure(load).await,
            Dimension::People => people::measure(load).await,
            Dimension::Nodes => nodes::measure(load).await,
        }?;
        if let Some(folder) = &load.svg {
            let file = folder.join(format!("grow-{}.svg", curve.dimension));
            let written = tokio::fs::write(&file, curve.svg()).await;
            written.with_context(|| format!("cannot write {}", file.display()))?;
        }
        report.curves.push(curve);
    }
    Ok(report)
}

/// Returns two sizes and the powers of ten between them.
fn sizes(min: u64, max: u64) -> impl Iterator<Item = u64> {
    let powers = (0..=7).map(|exponent| 10_u64.pow(exponent)).filter(move |size| (min + 1..max).contains(size));
    std::iter::once(min).chain(powers).chain((max > min).then_some(max))
}

/// Returns the settings of a server with many connections and sessions, all of which stay until the end of a point.
fn settings() -> Vec<(&'static str, String)> {
    let settings = [
        ("ORCHESTRATOR__IDLE_SECONDS", "3600"),
        ("ORCHESTRATOR__MAX_LIVE_SESSIONS", "100000"),
        ("QUOTAS__MAX_SESSIONS", "100000"),
        ("SOCKET__MAX_CONNECTIONS", "100000"),
        // Viewers do not read while others connect. The server would disconnect them because of unanswered pings or
        // undelivered data.
        ("SOCKET__PING_SECONDS", "3600"),
        ("SOCKET__STALL_SECONDS", "3600"),
    ];
    settings.map(|(name, value)| (name, value.to_owned())).to_vec()
}

/// Posts messages at this rate after a warm-up, then stops the servers. Returns the cost and the latencies at the
/// viewers.
async fn measure_steady(
    mut setup: MessagingSetup,
    rate: u64,
    seconds: u64,
) -> anyhow::Result<(RoundCost, Histogram<u64>)> {
    setup.round(rate, WARM_UP_SECONDS).await?;
    setup.clear_latencies();
    let cost = setup.round(rate, seconds).await?.context("no server of our own")?;
    let latencies = setup.histogram.lock().clone();
    setup.stop().await?;
    Ok((cost, latencies))
}
