//! The sorts of metrics, over prometheus-client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// What every name begins with.
const PREFIX: &str = "roundtable";

type Labels<const N: usize> = [(&'static str, Arc<str>); N];

/// A line of the table of metrics.
#[derive(Debug, Clone)]
pub struct Row {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) unit: Option<Unit>,
    /// What it is split by; each has few values.
    pub labels: &'static [&'static str],
    /// What it says.
    pub help: &'static str,
}

/// What a metric is to Prometheus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// How many observations were at most so large.
    Histogram,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        })
    }
}

impl Row {
    /// Its name in queries. A histogram's is what `_bucket`, `_sum` and `_count` follow.
    pub fn full_name(&self) -> String {
        let unit = self.unit.as_ref().map_or_else(String::new, |unit| format!("_{}", unit.as_str()));
        let total = if self.kind == Kind::Counter { "_total" } else { "" };
        format!("{PREFIX}_{}{unit}{total}", self.name)
    }

    /// What it is to Prometheus.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

/// An empty registry for one answer.
pub(super) fn registry() -> Registry {
    Registry::with_prefix(PREFIX)
}

/// A sort of metric.
pub(super) trait Metric: Clone {
    const KIND: Kind;

    fn new(labels: &'static [&'static str]) -> Self;

    fn register(&self, row: &Row, registry: &mut Registry);
}

macro_rules! register {
    ($self:ident $(. $part:tt)?) => {
        fn register(&$self, row: &Row, registry: &mut Registry) {
            let metric = $self$(.$part)?.clone();
            match row.unit.clone() {
                Some(unit) => registry.register_with_unit(row.name, row.help.trim_end_matches('.'), unit, metric),
                None => registry.register(row.name, row.help.trim_end_matches('.'), metric),
            }
        }
    };
}

impl Metric for Counter {
    const KIND: Kind = Kind::Counter;

    fn new(_: &'static [&'static str]) -> Self {
        Self::default()
    }

    register! { self }
}

impl Metric for Gauge {
    const KIND: Kind = Kind::Gauge;

    fn new(_: &'static [&'static str]) -> Self {
        Self::default()
    }

    register! { self }
}

/// A counter for every combination of its labels' values.
#[derive(Clone)]
pub struct Counters<const N: usize> {
    labels: &'static [&'static str],
    family: Family<Labels<N>, Counter>,
}

impl<const N: usize> Counters<N> {
    /// One more with these values of the labels, in the table's order.
    pub fn count(&self, values: [&str; N]) {
        self.add(values, 1);
    }

    /// So many more.
    pub fn add(&self, values: [&str; N], more: u64) {
        self.family.get_or_create(&pairs(self.labels, values)).inc_by(more);
    }
}

impl<const N: usize> Metric for Counters<N> {
    const KIND: Kind = Kind::Counter;

    fn new(labels: &'static [&'static str]) -> Self {
        Self { labels, family: Family::default() }
    }

    register! { self.family }
}

/// A gauge for every combination of its labels' values.
#[derive(Clone)]
pub struct Gauges<const N: usize> {
    labels: &'static [&'static str],
    family: Family<Labels<N>, Gauge>,
}

impl<const N: usize> Gauges<N> {
    /// It is this with these values of the labels.
    pub fn set(&self, values: [&str; N], to: i64) {
        self.family.get_or_create(&pairs(self.labels, values)).set(to);
    }
}

impl<const N: usize> Metric for Gauges<N> {
    const KIND: Kind = Kind::Gauge;

    fn new(labels: &'static [&'static str]) -> Self {
        Self { labels, family: Family::default() }
    }

    register! { self.family }
}

/// Durations: the first bucket ends at `FIRST` microseconds, each further one of sixteen at the double.
#[derive(Clone)]
pub struct Time<const FIRST: u64>(Histogram);

impl<const FIRST: u64> Time<FIRST> {
    /// It took so long.
    pub fn took(&self, time: Duration) {
        self.0.observe(time.as_secs_f64());
    }
}

impl<const FIRST: u64> Metric for Time<FIRST> {
    const KIND: Kind = Kind::Histogram;

    fn new(_: &'static [&'static str]) -> Self {
        Self(durations::<FIRST>())
    }

    register! { self.0 }
}

fn durations<const FIRST: u64>() -> Histogram {
    Histogram::new(exponential_buckets(FIRST as f64 / 1e6, 2.0, 16))
}

/// The same for every combination of its labels' values.
#[derive(Clone)]
pub struct Times<const FIRST: u64, const N: usize> {
    labels: &'static [&'static str],
    family: Family<Labels<N>, Histogram>,
}

impl<const FIRST: u64, const N: usize> Times<FIRST, N> {
    /// It took so long.
    pub fn took(&self, values: [&str; N], time: Duration) {
        self.family.get_or_create(&pairs(self.labels, values)).observe(time.as_secs_f64());
    }
}

impl<const FIRST: u64, const N: usize> Metric for Times<FIRST, N> {
    const KIND: Kind = Kind::Histogram;

    fn new(labels: &'static [&'static str]) -> Self {
        Self { labels, family: Family::new_with_constructor(durations::<FIRST>) }
    }

    register! { self.family }
}

/// Numbers of things: 1, 2, 4 … 1024.
#[derive(Clone)]
pub struct Sizes(Histogram);

impl Sizes {
    /// There were so many.
    pub fn were(&self, many: usize) {
        self.0.observe(many as f64);
    }
}

impl Metric for Sizes {
    const KIND: Kind = Kind::Histogram;

    fn new(_: &'static [&'static str]) -> Self {
        Self(Histogram::new(exponential_buckets(1.0, 2.0, 11)))
    }

    register! { self.0 }
}

fn pairs<const N: usize>(labels: &'static [&'static str], values: [&str; N]) -> Labels<N> {
    std::array::from_fn(|index| (labels[index], values[index].into()))
}
