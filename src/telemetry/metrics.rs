//! All metrics, in one table, from which the table in `docs/operations.md` is generated. Labels have few values each:
//! never the id of a session, run or participant, and only models that the configuration names.

use std::sync::LazyLock;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::metric_types::{
    CounterFamily, DurationFamily, DurationHistogram, GaugeFamily, Metric, MetricRow, SizeHistogram, registry,
};

/// Durations from 0.5 ms to 16 s.
type ShortDuration = DurationHistogram<500>;
/// Durations from 20 ms to 11 minutes.
type MediumDurations<const N: usize> = DurationFamily<20_000, N>;
/// Durations from 1 s to 9 hours.
type LongDurations<const N: usize> = DurationFamily<1_000_000, N>;

macro_rules! unit {
    (-) => {
        None
    };
    ($unit:ident) => {
        Some(Unit::$unit)
    };
}

macro_rules! metrics {
    ($($(#[doc = $doc:literal])+ $table:ident { $(
        #[doc = $help:literal]
        $field:ident: $metric:ty = $name:literal, $unit:tt $(, $label:literal)*;
    )+ })+) => {
        $(
            $(#[doc = $doc])+
            pub struct $table { $(#[doc = $help] pub $field: $metric,)+ }

            impl $table {
                const ROWS: &'static [MetricRow] = &[$(MetricRow {
                    name: $name,
                    kind: <$metric as Metric>::KIND,
                    unit: unit!($unit),
                    labels: &[$($label),*],
                    help: $help.trim_ascii_start(),
                }),+];

                fn register(&self, registry: &mut Registry) {
                    let mut rows = Self::ROWS.iter();
                    $(if let Some(row) = rows.next() { self.$field.register(row, registry); })+
                }
            }

            impl Default for $table {
                fn default() -> Self {
                    Self { $($field: Metric::new(&[$($label),*]),)+ }
                }
            }
        )+

        /// Returns all rows of the table.
        pub fn rows() -> impl Iterator<Item = &'static MetricRow> {
            [$($table::ROWS),+].into_iter().flatten()
        }
    };
}

metrics! {
    /// Values at the moment of a response.
    Scrape {
        /// Start time of the process, in seconds since 1970.
        started: Gauge = "process_start_time", Seconds;
        /// Always 1; the label is the version of the program.
        build: GaugeFamily<1> = "build_info", -, "version";
        /// 1 while the server accepts new work, otherwise 0, as in `/readyz`.
        ready: Gauge = "ready", -;
        /// 1 while the database responds and accepts writes.
        store_up: Gauge = "store_up", -;
        /// 1 while this node holds its lease, or needs none. Without it, the node cannot write to its sessions.
        lease_held: Gauge = "lease_held", -;
        /// 1 while the bus between nodes works, and if the server runs without Redis.
        bus_up: Gauge = "bus_up", -;
        /// 1 while the MCP server can be called.
        mcp_up: GaugeFamily<1> = "mcp_up", -, "server";
        /// Messages published to followers of sessions on other nodes. Requests and replies are not counted.
        bus_published: Counter = "bus_published", -;
        /// Messages, requests and replies that were dropped: they were too large or too many, or the bus was down.
        bus_dropped: Counter = "bus_dropped", -;
        /// Messages from other nodes that were delivered to followers of sessions on this node.
        bus_received: Counter = "bus_received", -;
        /// Number of times that a follower of a session had to read the database because messages might have been lost.
        bus_lost: Counter = "bus_lost", -;
        /// Reconnections to the bus.
        bus_reconnections: Counter = "bus_reconnections", -;
        /// Open WebSocket connections and event streams.
        connections: Gauge = "connections", -;
        /// Bytes sent over WebSocket connections.
        sent: Counter = "sent", Bytes;
        /// Sessions that are live on this node, which writes their logs.
        sessions: Gauge = "live_sessions", -;
        /// Sessions whose latest frames are in memory, because they are live or watched on this node.
        feeds: Gauge = "feeds", -;
    }

    /// Values counted in this process since its start.
    Metrics {
        /// Viewers. Each session that a WebSocket connection or an event stream follows counts as one.
        viewers: Gauge = "viewers", -;
        /// Frames published in feeds, each counted once for all viewers: `event`, `delta`, `signal`.
        frames: CounterFamily<1> = "frames", -, "kind";
        /// Number of times that a viewer started following a session, from a snapshot or from a position in the log.
        replays: Counter = "replays", -;
        /// Pages of logs that were read from the database for viewers. Viewers at the same position share one.
        page_reads: Counter = "page_reads", -;
        /// Number of times that a viewer had to read the database: it was too slow, or the feed discarded its frames.
        overruns: Counter = "feed_overruns", -;

        /// Entries of the audit log by result: `written`, `suppressed` (denials beyond their rate limit), `lost`.
        audit_entries: CounterFamily<1> = "audit_entries", -, "result";

        /// Commands by result: `ok`, or the code of the error.
        commands: CounterFamily<1> = "commands", -, "result";
        /// Time from the arrival of an applied command to its response, including the commit.
        command_time: ShortDuration = "command", Seconds;
        /// Commands, requests, signals and connections over a limit: a setting under `rate_limits`, or `connection`.
        rate_limited: CounterFamily<1> = "rate_limited", -, "limit";

        /// Events written to logs.
        events: Counter = "events", -;
        /// Number of appends in a batch, which share a commit.
        batch: SizeHistogram = "append_batch", -;
        /// Time from the start of a batch to its commit or failure.
        commit: ShortDuration = "commit", Seconds;
        /// Database statements other than appends of events; most are queries.
        store_statements: Counter = "store_statements", -;
        /// Number of times that the database failed or timed out: `append`, or another `statement`.
        store_errors: CounterFamily<1> = "store_errors", -, "operation";

        /// Number of times that this node's lease could not be renewed.
        lease_failures: Counter = "lease_failures", -;
        /// Sessions that were taken over because no live node served them, or claimed again after a failure here.
        taken_over: Counter = "sessions_taken_over", -;
        /// Commands forwarded to the owner of the session: `done`, `refused`, `elsewhere`, `no_reply`.
        forwarded: CounterFamily<1> = "forwarded_commands", -, "outcome";

        /// Model requests by outcome: `ok`, `dropped` (interrupted, cancelled or shut down), or the code of the error.
        turns: CounterFamily<3> = "turns", -, "provider", "model", "outcome";
        /// Time from a model request to the first text of its response.
        first_token: MediumDurations<2> = "turn_first_token", Seconds, "provider", "model";
        /// Time from a model request to the end of its response, for complete responses.
        turn: MediumDurations<2> = "turn", Seconds, "provider", "model";
        /// Retries of failed model requests.
        retries: CounterFamily<1> = "turn_retries", -, "code";
        /// Tokens, `input` and `output`, including estimates.
        tokens: CounterFamily<3> = "tokens", -, "provider", "model", "direction";
        /// Cost in millionths of the currency of the configured prices.
        cost: CounterFamily<2> = "cost_micros", -, "provider", "model";

        /// Tool calls by outcome: `ok`, `dropped` (interrupted, cancelled or shut down), or the code of the error.
        calls: CounterFamily<1> = "tool_calls", -, "outcome";

        /// Runs that ended: `finished`, `failed`, `cancelled`.
        runs: CounterFamily<1> = "runs", -, "outcome";
        /// Time from the opening of a gate to its decision.
        gates: LongDurations<1> = "gate_decided", Seconds, "outcome";
        /// Spans of traces: `sent`, `dropped`.
        spans: CounterFamily<1> = "spans", -, "outcome";
    }
}

/// Returns the metrics that are counted in this process.
pub fn metrics() -> &'static Metrics {
    static METRICS: LazyLock<Metrics> = LazyLock::new(Metrics::default);
    &METRICS
}

/// Renders all metrics in the OpenMetrics text format.
pub fn render(scrape: &Scrape) -> String {
    let mut registry = registry();
    scrape.register(&mut registry);
    metrics().register(&mut registry);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = encode(&mut text, &registry);
    text
}
