//! Results of a scenario.

use std::fmt::{self, Display, Formatter};
use std::io::Write;

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::bench::Bound;
use crate::sizing::InstallationSize;

use crate::curve::Curve;

/// Results of a scenario. Values that it does not measure are absent.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    pub scenario: &'static str,
    pub deliveries_per_s: Option<f64>,
    pub cpu_s_per_million: Option<f64>,
    pub bare_cpu_s_per_million: Option<f64>,
    pub ratio_to_bare: Option<f64>,
    pub reference_cpu_s_per_million: Option<f64>,
    pub ratio_to_reference: Option<f64>,
    pub cpu_us_per_token: Option<f64>,
    pub p50_ms: Option<f64>,
    pub p99_ms: Option<f64>,
    pub p999_ms: Option<f64>,
    pub kib_per_idle_viewer: Option<f64>,
    pub resident_mib: Option<f64>,
    pub join_ms: Option<f64>,
    pub store_statements: Option<f64>,
    pub statements_per_command: Option<f64>,
    pub command_p50_ms: Option<f64>,
    pub command_p99_ms: Option<f64>,
    pub takeover_ms: Option<f64>,
    pub tight_takeover_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installation: Option<InstallationSize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distributions: Vec<LatencyDistribution>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
    /// Reports of other scenarios.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Report>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Bound>,
    /// Additional information for people.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Distribution of a duration.
#[derive(Debug, Serialize)]
pub struct LatencyDistribution {
    /// Start and end of the measured duration.
    pub label: String,
    pub count: u64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub p999_ms: f64,
    pub max_ms: f64,
    /// Target for `p99_ms`, if there is one.
    pub target_ms: Option<f64>,
}

impl LatencyDistribution {
    /// Converts a histogram of nanoseconds.
    pub fn of(label: String, histogram: &Histogram<u64>, target_ms: Option<f64>) -> Self {
        let at = |quantile| histogram.value_at_quantile(quantile) as f64 / 1e6;
        let (p50_ms, p99_ms, p999_ms, max_ms) = (at(0.5), at(0.99), at(0.999), at(1.0));
        Self { label, count: histogram.len(), p50_ms, p99_ms, p999_ms, max_ms, target_ms }
    }
}

impl Display for LatencyDistribution {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { label, count, p50_ms, p99_ms, p999_ms, max_ms, target_ms } = self;
        write!(
            f,
            "{label:<57} p50 {p50_ms:>7.2}  p99 {p99_ms:>7.2}  p99.9 {p999_ms:>7.2}  max {max_ms:>7.2} ms of {count}"
        )?;
        match target_ms {
            Some(target) if p99_ms < target => write!(f, "; p99 is under {target}, as it should be"),
            Some(target) => write!(f, "; p99 should be under {target}"),
            None => Ok(()),
        }
    }
}

/// Returns a histogram of nanoseconds, from a microsecond to a minute.
pub fn latency_histogram() -> Histogram<u64> {
    // The bounds are constants that the histogram accepts.
    Histogram::new_with_bounds(1_000, 60_000_000_000, 3).unwrap_or_else(|_| unreachable!())
}

impl Report {
    /// Sets the percentiles from a histogram of nanoseconds.
    pub fn set_latencies(&mut self, histogram: &Histogram<u64>) {
        let at = |quantile| (!histogram.is_empty()).then(|| histogram.value_at_quantile(quantile) as f64 / 1e6);
        (self.p50_ms, self.p99_ms, self.p999_ms) = (at(0.5), at(0.99), at(0.999));
    }

    /// Fails if a number exceeds its bound.
    pub fn check(&self) -> anyhow::Result<()> {
        for Bound { label, measured, max } in &self.bounds {
            anyhow::ensure!(measured <= max, "{label}: {measured:.2}, more than {max}");
        }
        Ok(())
    }

    /// Prints the results for people, or as one JSON object.
    pub fn print(&self, json: bool) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        if json {
            writeln!(out, "{}", serde_json::to_string(self)?)?;
            return Ok(());
        }
        writeln!(out, "{}", self.scenario)?;
        let lines = [
            ("deliveries a second", self.deliveries_per_s),
            ("CPU seconds per million deliveries", self.cpu_s_per_million),
            ("the same of the bare loop", self.bare_cpu_s_per_million),
            ("ratio to bare", self.ratio_to_bare),
            ("the same of the other server", self.reference_cpu_s_per_million),
            ("ratio to the other server", self.ratio_to_reference),
            ("CPU per token of a model, µs", self.cpu_us_per_token),
            ("latency p50, ms", self.p50_ms),
            ("latency p99, ms", self.p99_ms),
            ("latency p99.9, ms", self.p999_ms),
            ("KiB per idle viewer", self.kib_per_idle_viewer),
            ("resident memory of the server, MiB", self.resident_mib),
            ("slowest join, ms", self.join_ms),
            ("database statements", self.store_statements),
            ("statements per command besides appends", self.statements_per_command),
            ("from the command, p50, ms", self.command_p50_ms),
            ("from the command, p99, ms", self.command_p99_ms),
            ("slowest takeover, default, ms", self.takeover_ms),
            ("slowest takeover, tight, ms", self.tight_takeover_ms),
        ];
        for (name, value) in lines {
            if let Some(value) = value {
                writeln!(out, "  {name:<36} {value:>14.3}")?;
            }
        }
        for Bound { label, measured, max } in &self.bounds {
            writeln!(out, "  {label:<60} {measured:>8.2}, at most {max}")?;
        }
        self.distributions.iter().try_for_each(|distribution| writeln!(out, "  {distribution}"))?;
        self.curves.iter().try_for_each(|curve| writeln!(out, "{curve}"))?;
        self.notes.iter().try_for_each(|note| writeln!(out, "  {note}"))?;
        Ok(())
    }
}

/// Returns the median.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
