//! Short forms of other scenarios, and bounds that a regression exceeds.
//!
//! Only ratios, counts and sizes have bounds. Times have none, because machines differ and other programs run on them.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use crate::appends::Appends;
use crate::commands::Commands;
use crate::fanout::Fanout;
use crate::idle::Idle;
use crate::reconnect::Reconnect;
use crate::report::Report;
use crate::{appends, commands, fanout, idle, machine, reconnect};

/// Output of the scenario.
#[derive(Args)]
pub struct Bench {
    /// File to write all results to, as JSON.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A measured number, and the largest number that is not a regression.
#[derive(Debug, Serialize)]
pub struct Bound {
    /// Description of the number.
    pub label: &'static str,
    /// Measured number.
    pub measured: f64,
    /// Largest number that passes.
    pub max: f64,
}

/// Returns the bound for an optimized build or, because unoptimized code costs more, the bound for an unoptimized
/// build.
const fn bound(optimized: f64, unoptimized: f64) -> f64 {
    if cfg!(debug_assertions) { unoptimized } else { optimized }
}

/// Viewers that reconnect.
const VIEWERS: u64 = 500;

/// Measures the short forms. The caller fails if a number exceeds its bound.
pub async fn measure(load: &Bench) -> anyhow::Result<Report> {
    let cores = machine::pin(0..machine::cores())?;
    let (mut parts, mut bounds) = (vec![], vec![]);
    let mut check = |part: Report, label, measured: fn(&Report) -> Option<f64>, max| {
        let measured = measured(&part).with_context(|| format!("{} did not measure it: {label}", part.scenario))?;
        bounds.push(Bound { label, measured, max });
        parts.push(part);
        // Some scenarios leave a core to the server.
        machine::release(&cores)
    };

    let (viewers, events, steady_viewers) = (300, 2_000, 50);
    let size = Fanout { viewers, events, bytes: 256, rounds: 3, steady_viewers, steady_rate: 100, steady_seconds: 1 };
    let part = fanout::measure(&size, None).await?;
    check(
        part,
        "CPU of a delivery at full load, compared with a bare loop",
        |part| part.ratio_to_bare,
        bound(3.0, 6.0),
    )?;

    let part = idle::measure(&Idle { viewers: 1_000 }, None).await?;
    check(part, "KiB of an idle viewer", |part| part.kib_per_idle_viewer, 5.0)?;

    let size = Appends { sessions: 64, events: 2, bytes: 400, seconds: 2, rounds: 3, postgres: false };
    let part = appends::measure(&size, None).await?;
    let inverse = |part: &Report| part.ratio_to_bare.map(f64::recip);
    check(part, "time of an append, compared with a bare group commit", inverse, bound(2.0, 5.0))?;

    let part = commands::measure(&Commands { sessions: 1, concurrent: 32, seconds: 2 }, None).await?;
    check(part, "statements per command besides appends, 32 concurrent", |part| part.statements_per_command, 0.5)?;

    let size = Reconnect { viewers: VIEWERS, missed: 100, postgres: false };
    let part = reconnect::measure(&size, None).await?;
    let per_viewer = |part: &Report| part.store_statements.map(|statements| statements / VIEWERS as f64);
    check(part, "statements per viewer that reconnects", per_viewer, 2.5)?;

    let report = Report { scenario: "bench", parts, bounds, ..Report::default() };
    if let Some(file) = &load.out {
        tokio::fs::write(file, serde_json::to_vec_pretty(&report)?).await?;
    }
    Ok(report)
}
