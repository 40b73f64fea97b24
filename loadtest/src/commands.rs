//! Concurrent commands from many people, in one session or in many: the number of acknowledgements per second.

use std::time::{Duration, Instant};

use clap::Args;
use hdrhistogram::Histogram;
use serde_json::json;
use tokio::task::JoinSet;

use crate::data::{Data, require_own_server};
use crate::metrics::{self, Metrics};
use crate::report::{LatencyDistribution, Report, latency_histogram};
use crate::server::{Server, session};
use crate::watching_client::WatchingClient;
use crate::{disk, machine};

/// Size of the scenario.
#[derive(Args)]
pub struct Commands {
    /// Sessions that commands are sent to.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=2_000))]
    pub sessions: u64,
    /// Connections per session, each with one unacknowledged command at a time.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=256))]
    pub concurrent: u64,
    /// Duration of each of the two measurements, in seconds.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=120))]
    pub seconds: u64,
}

/// Measures with the log in memory, which isolates the server itself, then on disk, where every commit waits for the
/// disk.
pub async fn measure(load: &Commands, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "the log is measured in memory and on disk")?;
    machine::check_open_files(load.sessions * load.concurrent + 100)?;
    let mut report = Report { scenario: "commands", ..Report::default() };
    round(load, &Data::in_memory()?, "in memory", &mut report).await?;
    let disk = Data::sqlite()?;
    round(load, &disk, "on disk", &mut report).await?;
    let syncs = disk::measure_syncs(disk.folder.path(), 100, 5).await?;
    report.distributions.push(LatencyDistribution::of("fdatasync of this disk while idle".into(), &syncs, None));
    Ok(report)
}

async fn round(load: &Commands, data: &Data, place: &str, report: &mut Report) -> anyhow::Result<()> {
    let token = data.administrator().await?;
    let settings = [("SOCKET__MAX_CONNECTIONS", "100000".to_owned()), metrics::setting()];
    let (mut server, address) = Server::real(data, &settings).await?;
    let metrics = Metrics::of(&mut server).await?;
    let mut senders = vec![];
    for number in 0..load.sessions {
        let session = session(&address, &token, &format!("Commands {number}")).await?;
        for _ in 0..load.concurrent {
            let mut client = WatchingClient::connect_and_join(&address, &token, &session, None).await?;
            client.wait_for("caught_up").await?;
            senders.push((client, session.clone()));
        }
    }
    let statements = metrics.read().await?.number("roundtable_store_statements_total")?;
    let (cpu, started) = (machine::cpu_seconds(server.pid)?, Instant::now());
    let end = started + Duration::from_secs(load.seconds);
    let mut sending = JoinSet::new();
    for (sender, (client, session)) in senders.into_iter().enumerate() {
        sending.spawn(send(sender, client, session, end));
    }
    let mut acknowledged = latency_histogram();
    for sent in sending.join_all().await {
        acknowledged.add(sent?)?;
    }
    let (cpu, seconds) = (machine::cpu_seconds(server.pid)? - cpu, started.elapsed().as_secs_f64());
    let (sessions, concurrent) = (load.sessions, load.concurrent);
    let label = format!("{sessions} sessions, {concurrent} concurrent commands in each, log {place}");
    report.distributions.push(LatencyDistribution::of(label, &acknowledged, None));
    let count = acknowledged.len() as f64;
    let statements = metrics.read().await?.number("roundtable_store_statements_total")? - statements;
    report.statements_per_command = Some(statements as f64 / count);
    report.notes.push(format!(
        "log {place}: {:.0} commands a second are acknowledged; the server used {:.0}% of a core, {:.0} µs a command",
        count / seconds,
        cpu / seconds * 100.0,
        cpu * 1e6 / count
    ));
    server.stop().await
}

/// Sends one command after another until `end`. Returns the times until their acknowledgements.
async fn send(
    sender: usize,
    mut client: WatchingClient,
    session: String,
    end: Instant,
) -> anyhow::Result<Histogram<u64>> {
    let mut times = latency_histogram();
    while Instant::now() < end {
        let id = format!("c_{sender}_{}", times.len());
        let data = json!({ "text": "@people how do we go on with this?" });
        let started = Instant::now();
        client.send(&json!({ "type": "command", "id": id, "session": session, "do": "say", "data": data })).await?;
        client.wait_for_ack().await?;
        times.saturating_record(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
    Ok(times)
}
