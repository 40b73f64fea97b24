//! Types of metrics, built on prometheus-client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// Prefix of all names.
const PREFIX: &str = "roundtable";

type Labels<const N: usize> = [(&'static str, Arc<str>); N];

/// Row of the table of metrics.
#[derive(Debug, Clone)]
pub struct Row {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) unit: Option<Unit>,
    /// Names of the labels; each has few values.
    pub labels: &'static [&'static str],
    /// Description of the metric.
    pub help: &'static str,
}

/// Prometheus type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Value that only grows.
    Counter,
    /// Value that goes up and down.
    Gauge,
    /// Numbers of observations up to given sizes.
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
    /// Returns the name in queries. For a histogram, `_bucket`, `_sum` and `_count` follow it.
    pub fn full_name(&self) -> String {
        let unit = self.unit.as_ref().map_or_else(String::new, |unit| format!("_{}", unit.as_str()));
        let total = if self.kind == Kind::Counter { "_total" } else { "" };
        format!("{PREFIX}_{}{unit}{total}", self.name)
    }

    /// Returns the Prometheus type.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

/// Creates an empty registry for one response.
pub(super) fn registry() -> Registry {
    Registry::with_prefix(PREFIX)
}

/// Type of a metric.
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

/// Counter per combination of label values.
#[derive(Clone)]
pub struct Counters<const N: usize> {
    labels: &'static [&'static str],
    family: Family<Labels<N>, Counter>,
}

impl<const N: usize> Counters<N> {
    /// Adds 1 for these label values, given in the order of the table.
    pub fn count(&self, values: [&str; N]) {
        self.add(values, 1);
    }

    /// Adds `more` for these label values.
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

/// Gauge per combination of label values.
#[derive(Clone)]
pub struct Gauges<const N: usize> {
    labels: &'static [&'static str],
    family: Family<Labels<N>, Gauge>,
}

impl<const N: usize> Gauges<N> {
    /// Sets the value for these label values.
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

/// Histogram of durations with 16 buckets: the first one ends at `FIRST` microseconds, each further one at the double.
#[derive(Clone)]
pub struct Time<const FIRST: u64>(Histogram);

impl<const FIRST: u64> Time<FIRST> {
    /// Records a duration.
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

/// Histogram of durations per combination of label values.
#[derive(Clone)]
pub struct Times<const FIRST: u64, const N: usize> {
    labels: &'static [&'static str],
    family: Family<Labels<N>, Histogram>,
}

impl<const FIRST: u64, const N: usize> Times<FIRST, N> {
    /// Records a duration for these label values.
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

/// Histogram of numbers, with buckets 1, 2, 4 … 1024.
#[derive(Clone)]
pub struct Sizes(Histogram);

impl Sizes {
    /// Records a number.
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
