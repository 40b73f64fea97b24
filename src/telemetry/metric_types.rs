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

type LabelPairs<const N: usize> = [(&'static str, Arc<str>); N];

/// Row of the table of metrics.
#[derive(Debug, Clone)]
pub struct MetricRow {
    pub(super) name: &'static str,
    pub(super) kind: MetricKind,
    pub(super) unit: Option<Unit>,
    /// Names of the labels; each has few values.
    pub labels: &'static [&'static str],
    /// Description of the metric.
    pub help: &'static str,
}

/// Prometheus type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Value that only grows.
    Counter,
    /// Value that goes up and down.
    Gauge,
    /// Numbers of observations up to given sizes.
    Histogram,
}

impl fmt::Display for MetricKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        })
    }
}

impl MetricRow {
    /// Returns the name in queries. For a histogram, `_bucket`, `_sum` and `_count` follow it.
    pub fn full_name(&self) -> String {
        let unit = self.unit.as_ref().map_or_else(String::new, |unit| format!("_{}", unit.as_str()));
        let total = if self.kind == MetricKind::Counter { "_total" } else { "" };
        format!("{PREFIX}_{}{unit}{total}", self.name)
    }

    /// Returns the Prometheus type.
    pub fn kind(&self) -> MetricKind {
        self.kind
    }
}

/// Creates an empty registry for one response.
pub(super) fn registry() -> Registry {
    Registry::with_prefix(PREFIX)
}

/// Type of a metric.
pub(super) trait Metric: Clone {
    const KIND: MetricKind;

    fn new(labels: &'static [&'static str]) -> Self;

    fn register(&self, row: &MetricRow, registry: &mut Registry);
}

macro_rules! register {
    ($self:ident $(. $part:tt)?) => {
        fn register(&$self, row: &MetricRow, registry: &mut Registry) {
            let metric = $self$(.$part)?.clone();
            match row.unit.clone() {
                Some(unit) => registry.register_with_unit(row.name, row.help.trim_end_matches('.'), unit, metric),
                None => registry.register(row.name, row.help.trim_end_matches('.'), metric),
            }
        }
    };
}

impl Metric for Counter {
    const KIND: MetricKind = MetricKind::Counter;

    fn new(_: &'static [&'static str]) -> Self {
        Self::default()
    }

    register! { self }
}

impl Metric for Gauge {
    const KIND: MetricKind = MetricKind::Gauge;

    fn new(_: &'static [&'static str]) -> Self {
        Self::default()
    }

    register! { self }
}

/// Counter per combination of label values.
#[derive(Clone)]
pub struct CounterFamily<const N: usize> {
    labels: &'static [&'static str],
    family: Family<LabelPairs<N>, Counter>,
}

impl<const N: usize> CounterFamily<N> {
    /// Adds 1 for these label values, given in the order of the table.
    pub fn count(&self, values: [&str; N]) {
        self.add(values, 1);
    }

    /// Adds `more` for these label values.
    pub fn add(&self, values: [&str; N], more: u64) {
        self.family.get_or_create(&pairs(self.labels, values)).inc_by(more);
    }
}

impl<const N: usize> Metric for CounterFamily<N> {
    const KIND: MetricKind = MetricKind::Counter;

    fn new(labels: &'static [&'static str]) -> Self {
        Self { labels, family: Family::default() }
    }

    register! { self.family }
}

/// Gauge per combination of label values.
#[derive(Clone)]
pub struct GaugeFamily<const N: usize> {
    labels: &'static [&'static str],
    family: Family<LabelPairs<N>, Gauge>,
}

impl<const N: usize> GaugeFamily<N> {
    /// Sets the value for these label values.
    pub fn set(&self, values: [&str; N], to: i64) {
        self.family.get_or_create(&pairs(self.labels, values)).set(to);
    }
}

impl<const N: usize> Metric for GaugeFamily<N> {
    const KIND: MetricKind = MetricKind::Gauge;

    fn new(labels: &'static [&'static str]) -> Self {
        Self { labels, family: Family::default() }
    }

    register! { self.family }
}

/// Histogram of durations with 16 buckets: the first one ends at `FIRST` microseconds, and each further one ends at
/// twice the previous bound.
#[derive(Clone)]
pub struct DurationHistogram<const FIRST: u64>(Histogram);

impl<const FIRST: u64> DurationHistogram<FIRST> {
    /// Records a duration.
    pub fn took(&self, time: Duration) {
        self.0.observe(time.as_secs_f64());
    }
}

impl<const FIRST: u64> Metric for DurationHistogram<FIRST> {
    const KIND: MetricKind = MetricKind::Histogram;

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
pub struct DurationFamily<const FIRST: u64, const N: usize> {
    labels: &'static [&'static str],
    family: Family<LabelPairs<N>, Histogram>,
}

impl<const FIRST: u64, const N: usize> DurationFamily<FIRST, N> {
    /// Records a duration for these label values.
    pub fn took(&self, values: [&str; N], time: Duration) {
        self.family.get_or_create(&pairs(self.labels, values)).observe(time.as_secs_f64());
    }
}

impl<const FIRST: u64, const N: usize> Metric for DurationFamily<FIRST, N> {
    const KIND: MetricKind = MetricKind::Histogram;

    fn new(labels: &'static [&'static str]) -> Self {
        Self { labels, family: Family::new_with_constructor(durations::<FIRST>) }
    }

    register! { self.family }
}

/// Histogram of numbers, with buckets 1, 2, 4 … 1024.
#[derive(Clone)]
pub struct SizeHistogram(Histogram);

impl SizeHistogram {
    /// Records a number.
    pub fn record_count(&self, many: usize) {
        self.0.observe(many as f64);
    }
}

impl Metric for SizeHistogram {
    const KIND: MetricKind = MetricKind::Histogram;

    fn new(_: &'static [&'static str]) -> Self {
        Self(Histogram::new(exponential_buckets(1.0, 2.0, 11)))
    }

    register! { self.0 }
}

fn pairs<const N: usize>(labels: &'static [&'static str], values: [&str; N]) -> LabelPairs<N> {
    std::array::from_fn(|index| (labels[index], values[index].into()))
}
