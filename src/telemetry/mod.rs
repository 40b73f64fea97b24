//! Logs, metrics and traces for operators. Logs go to standard error. Message texts and secrets are never fields of a
//! span or an event. Requests are logged by their route, so that ids in paths are not logged either.

mod exposition;
mod metric;
mod metrics;
mod otlp;
mod span;
mod trouble;

use tracing_subscriber::{EnvFilter, Layer, Registry, layer::SubscriberExt, util::SubscriberInitExt};

pub use exposition::Exposition;
pub use metric::{Counters, Gauges, Kind, Row, Sizes, Time, Times};
pub use metrics::{Happened, Scrape, happened, render, rows};
pub use otlp::{Exporter, export, traced};
pub use span::{Attribute, Span, SpanId, Trace};
pub use trouble::Trouble;

use crate::agent;
use crate::config::Log;
use crate::store;
use crate::tool::mcp;

/// Starts logging to standard error. `RUST_LOG` has precedence over the setting. A second call has no effect.
pub fn init(log: &Log) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(&log.filter));
    let silent = [agent::LOG_DIRECTIVE, mcp::LOG_DIRECTIVE, store::LOG_DIRECTIVE]
        .into_iter()
        .filter_map(|directive| directive.parse().ok());
    let filter = silent.fold(filter, EnvFilter::add_directive);
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
