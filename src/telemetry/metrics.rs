//! Every metric, in one table: `docs/operations.md` is written from it. Labels have few values each: never a session's, a
//! run's or a participant's id, and of models only those that the configuration names.

use std::sync::LazyLock;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::metric::{Counters, Gauges, Metric, Row, Sizes, Time, Times, registry};

/// From half a millisecond to 16 seconds.
type Quick = Time<500>;
/// From 20 milliseconds to eleven minutes.
type Slow<const N: usize> = Times<20_000, N>;
/// From a second to nine hours.
type Patient<const N: usize> = Times<1_000_000, N>;

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
        $field:ident: $sort:ty = $name:literal, $unit:tt $(, $label:literal)*;
    )+ })+) => {
        $(
            $(#[doc = $doc])+
            pub struct $table { $(#[doc = $help] pub $field: $sort,)+ }

            impl $table {
                const ROWS: &'static [Row] = &[$(Row {
                    name: $name,
                    kind: <$sort as Metric>::KIND,
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

        /// The whole table.
        pub fn rows() -> impl Iterator<Item = &'static Row> {
            [$($table::ROWS),+].into_iter().flatten()
        }
    };
}

metrics! {
    /// How things stand at the moment of an answer.
    Scrape {
        /// When the process started, in seconds since 1970.
        started: Gauge = "process_start_time", Seconds;
        /// Always 1; the label says which version runs.
        build: Gauges<1> = "build_info", -, "version";
        /// 1 while the server takes new work, 0 while it must not be sent any: as `/readyz` says.
        ready: Gauge = "ready", -;
        /// 1 while the database answers, and takes what is written.
        store_up: Gauge = "store_up", -;
        /// 1 while this node's lease lasts, or it needs none: without it nothing of its sessions is written.
        lease_held: Gauge = "lease_held", -;
        /// 1 while the bus between nodes works.
        bus_up: Gauge = "bus_up", -;
        /// 1 while the MCP server can be called.
        mcp_up: Gauges<1> = "mcp_up", -, "server";
        /// News that went out to other nodes.
        bus_published: Counter = "bus_published", -;
        /// News, questions and answers for other nodes that could not go out: too large, too many, or the bus was down.
        bus_dropped: Counter = "bus_dropped", -;
        /// News of other nodes that was put before somebody here.
        bus_heard: Counter = "bus_heard", -;
        /// Times that what the bus had lost had to be read from the database.
        bus_lost: Counter = "bus_lost", -;
        /// Connections to the bus that had to be made again.
        bus_reconnections: Counter = "bus_reconnections", -;
        /// Open WebSocket connections and event streams.
        connections: Gauge = "connections", -;
        /// Bytes that WebSocket connections took.
        sent: Counter = "sent", Bytes;
        /// Sessions that are live on this node: those whose log it writes.
        sessions: Gauge = "live_sessions", -;
        /// Sessions whose latest frames are in memory, because they are live here or somebody here watches them.
        feeds: Gauge = "feeds", -;
    }

    /// What has happened in this process since it started.
    Happened {
        /// Viewers: each session that a WebSocket connection or an event stream follows counts.
        viewers: Gauge = "viewers", -;
        /// Frames shown in feeds, each once however many watch: `event`, `delta`, `signal`.
        frames: Counters<1> = "frames", -, "sort";
        /// Times that a viewer began to follow a session, and read what it had missed from the database.
        replays: Counter = "replays", -;
        /// Pages of logs that were read from the database for viewers; those who come to the same place share one.
        page_reads: Counter = "page_reads", -;
        /// Times that a viewer was too slow for the feed's memory, and went on from the database.
        fallouts: Counter = "feed_fallouts", -;

        /// Entries of the audit log, by what became of them: `written`, `suppressed` (refusals beyond their rate limit), `lost`.
        audit_entries: Counters<1> = "audit_entries", -, "result";

        /// Commands answered, by the answer: `ok`, or the code of the refusal.
        commands: Counters<1> = "commands", -, "result";
        /// From taking a command to its answer, where it was applied; its commit is in it.
        command_time: Quick = "command", Seconds;
        /// Refused because somebody was too fast, or has too many connections: the limit is a name under `pace`, or `connection`.
        rate_limited: Counters<1> = "rate_limited", -, "limit";

        /// Events written to logs.
        events: Counter = "events", -;
        /// Appends that shared a commit.
        batch: Sizes = "append_batch", -;
        /// From a batch's start to its commit, or to giving up.
        commit: Quick = "commit", Seconds;
        /// Statements put to the database beside the appends of events: questions most of all.
        store_statements: Counter = "store_statements", -;
        /// Times that the database did not answer, in time or at all: `append`, or another `statement`.
        store_errors: Counters<1> = "store_errors", -, "of";

        /// Times that this node's lease could not be renewed.
        lease_failures: Counter = "lease_failures", -;
        /// Sessions taken up that no living node served, after a start and after failures of this node too.
        taken_over: Counter = "sessions_taken_over", -;
        /// Commands brought to the node that has the session: `done`, `refused`, `elsewhere`, `no_answer`.
        forwarded: Counters<1> = "forwarded_commands", -, "outcome";

        /// Model requests, by `ok`, `dropped` (interrupted, cancelled, or the server stopped) or the code of the failure.
        turns: Counters<3> = "turns", -, "provider", "model", "outcome";
        /// From a model request to the first words of its answer.
        first_token: Slow<2> = "turn_first_token", Seconds, "provider", "model";
        /// From a model request to the end of its answer, where it came to an end.
        turn: Slow<2> = "turn", Seconds, "provider", "model";
        /// Failed model requests that are tried again.
        retries: Counters<1> = "turn_retries", -, "code";
        /// Tokens, `input` and `output`; estimates count as well.
        tokens: Counters<3> = "tokens", -, "provider", "model", "direction";
        /// Millionths of the currency that the configured prices are in.
        cost: Counters<2> = "cost_micros", -, "provider", "model";

        /// Runs that ended: `finished`, `failed`, `cancelled`.
        runs: Counters<1> = "runs", -, "outcome";
        /// From a gate's opening to its decision.
        gates: Patient<1> = "gate_decided", Seconds, "outcome";
        /// Spans of traces: `sent`, `dropped`.
        spans: Counters<1> = "spans", -, "outcome";
    }
}

/// What has happened in this process.
pub fn happened() -> &'static Happened {
    static HAPPENED: LazyLock<Happened> = LazyLock::new(Happened::default);
    &HAPPENED
}

/// What Prometheus reads, in the OpenMetrics text format.
pub fn render(scrape: &Scrape) -> String {
    let mut registry = registry();
    scrape.register(&mut registry);
    happened().register(&mut registry);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = encode(&mut text, &registry);
    text
}
