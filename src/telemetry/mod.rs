//! Logs, metrics and traces for operators. Logs go to standard error. Message texts and secrets are never fields of a
//! span or an event. Requests are logged by their route, because paths contain names.

#[cfg(test)]
pub(crate) mod captured_log;
mod error_causes;
mod exposition;
mod failure_log;
mod filter;
pub mod log_spans;
mod log_streak;
mod log_throttle;
mod metric_types;
mod metrics;
mod otlp;
mod settings;
mod slow_operation;
mod span;

use tracing::Metadata;
use tracing_subscriber::filter::{FilterExt, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::{EnvFilter, Layer, Registry, layer::SubscriberExt, util::SubscriberInitExt};

pub use error_causes::{ErrorSource, error_causes};
pub use exposition::Exposition;
pub use failure_log::{FailedOperation, log_failure};
pub use filter::parse_filter;
pub use log_throttle::LogThrottle;
pub use metric_types::{
    CounterFamily, DurationFamily, DurationHistogram, GaugeFamily, MetricKind, MetricRow, SizeHistogram,
};
pub use metrics::{Metrics, Scrape, metrics, render, rows};
pub use otlp::{Exporter, export, is_enabled};
pub use settings::LogSettings;
pub use slow_operation::{OperationKind, OperationTimer};
pub use span::{Attribute, Span, SpanId, Trace};

/// Starts logging to standard error. `RUST_LOG` takes precedence over the setting, and `directives` over both. No
/// filter shows the events of the `silent` libraries. A second call changes only the limit for slow operations.
///
/// # Errors
/// Fails if a filter is invalid.
pub fn init(log: &LogSettings, directives: &[&str], silent: &'static [&'static str]) -> Result<(), String> {
    slow_operation::set_limit(log.slow_operation_ms);
    // Shells and compose files express "not set" with an empty value.
    let filter = match std::env::var_os("RUST_LOG").filter(|text| !text.is_empty()) {
        Some(text) => parse_filter(&text.to_string_lossy()).map_err(|error| format!("RUST_LOG: {error}"))?,
        None => parse_filter(&log.filter).map_err(|error| format!("log.filter: {error}"))?,
    };
    let directives = directives.iter().filter_map(|directive| directive.parse().ok());
    let filter = directives.fold(filter, EnvFilter::add_directive);
    let has_colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let lines = lines(log.json, has_colours, filter, silent, std::io::stderr);
    // Fails only if there is already a subscriber, as in tests that share a process.
    let _ = tracing_subscriber::registry().with(lines).try_init();
    Ok(())
}

/// Returns the layer that writes log lines.
fn lines<W>(
    json: bool,
    colours: bool,
    filter: EnvFilter,
    silent: &'static [&'static str],
    writer: W,
) -> Box<dyn Layer<Registry> + Send + Sync>
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    // Not a directive: a longer target, or a span around the event, would take precedence over it.
    let is_shown = |event: &Metadata<'_>| !silent.contains(&event.target().split("::").next().unwrap_or_default());
    let filter = filter.and(filter_fn(is_shown));
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    if json {
        lines.json().flatten_event(true).with_filter(filter).boxed()
    } else {
        lines.with_ansi(colours).compact().with_filter(filter).boxed()
    }
}
