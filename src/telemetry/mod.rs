//! Logs, metrics and traces for operators. Logs go to standard error. Message texts and secrets are never fields of a
//! span or an event. Requests are logged by their route, so that ids in paths are not logged either.

mod exposition;
mod log_throttle;
mod metric_types;
mod metrics;
mod otlp;
mod settings;
mod span;

use tracing_subscriber::{EnvFilter, Layer, Registry, layer::SubscriberExt, util::SubscriberInitExt};

pub use exposition::Exposition;
pub use log_throttle::LogThrottle;
pub use metric_types::{
    CounterFamily, DurationFamily, DurationHistogram, GaugeFamily, MetricKind, MetricRow, SizeHistogram,
};
pub use metrics::{Metrics, Scrape, metrics, render, rows};
pub use otlp::{Exporter, export, is_enabled};
pub use settings::LogSettings;
pub use span::{Attribute, Span, SpanId, Trace};

/// Starts logging to standard error. `RUST_LOG` has precedence over the setting, and `directives` over both. A second
/// call has no effect.
pub fn init(log: &LogSettings, directives: &[&str]) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(&log.filter));
    let directives = directives.iter().filter_map(|directive| directive.parse().ok());
    let filter = directives.fold(filter, EnvFilter::add_directive);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let layer: Box<dyn Layer<Registry> + Send + Sync> = if log.json {
        lines.json().flatten_event(true).with_filter(filter).boxed()
    } else {
        let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
        lines.with_ansi(colours).with_target(false).compact().with_filter(filter).boxed()
    };
    // Fails only if there is already a subscriber, as in tests that share a process.
    let _ = tracing_subscriber::registry().with(layer).try_init();
}
