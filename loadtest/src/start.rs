//! Start of the server: the time from the start of the process to the first successful `/readyz`, and the size of the
//! program.

use std::time::Instant;

use clap::Args;

use crate::data::{Data, require_own_server};
use crate::machine;
use crate::report::{LatencyDistribution, Report, latency_histogram};
use crate::server::{Server, request};

/// Size of the scenario.
#[derive(Args)]
pub struct Start {
    /// Number of starts in each of the two measurements.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    starts: u64,
}

/// Measures starts with a new database, then starts with an existing one.
pub async fn measure(load: &Start, target: Option<(String, String)>) -> anyhow::Result<Report> {
    require_own_server(target.as_ref(), "a running server does not start")?;
    let mut report = Report { scenario: "start", ..Report::default() };
    let (mut new_database, mut existing_database) = (latency_histogram(), latency_histogram());
    let mut memory_kib: f64 = 0.0;
    for _ in 0..load.starts {
        let data = Data::sqlite()?;
        for histogram in [&mut new_database, &mut existing_database] {
            let started = Instant::now();
            let (server, address) = Server::real(&data, &[]).await?;
            request("GET", &address, "", "/readyz", "").await?;
            histogram.saturating_record(u64::try_from(started.elapsed().as_nanos())?);
            memory_kib = memory_kib.max(machine::resident_kib(server.pid)?);
            server.stop().await?;
        }
    }
    report.distributions.push(LatencyDistribution::of(
        "from the process to ready, new database".into(),
        &new_database,
        None,
    ));
    report.distributions.push(LatencyDistribution::of(
        "from the process to ready, existing database, after a kill".into(),
        &existing_database,
        None,
    ));
    report.resident_mib = Some(memory_kib / 1024.0);
    let bytes = std::fs::metadata(Server::program()?)?.len();
    report.notes.push(format!("size of the program: {:.1} MB", bytes as f64 / 1e6));
    Ok(report)
}
