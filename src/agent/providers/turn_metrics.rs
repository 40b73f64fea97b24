//! Metrics of model requests: outcome and duration.

use std::sync::Arc;

use tokio::time::Instant;

use crate::agent::{Models, TurnError};
use crate::telemetry::metrics;

/// A model request in progress. If it is dropped before it ends, it counts as `dropped`.
pub(super) struct TurnMetrics {
    labels: [Arc<str>; 2],
    started: Instant,
    has_text: bool,
    over: bool,
}

impl TurnMetrics {
    pub(super) fn new(labels: [Arc<str>; 2]) -> Self {
        Self { labels, started: Instant::now(), has_text: false, over: false }
    }

    /// Records that a fragment of text was received. The first fragment ends the measurement of the time to first
    /// token.
    pub(super) fn text_received(&mut self) {
        if !std::mem::replace(&mut self.has_text, true) {
            metrics().first_token.took(self.labels(), self.started.elapsed());
        }
    }

    pub(super) fn ended(mut self, failure: Option<&TurnError>) {
        if failure.is_none() {
            metrics().turn.took(self.labels(), self.started.elapsed());
        }
        self.count(failure.map_or("ok", |failure| &failure.error.code));
    }

    fn count(&mut self, outcome: &str) {
        self.over = true;
        let [provider, model] = self.labels();
        metrics().turns.count([provider, model, outcome]);
    }

    fn labels(&self) -> [&str; 2] {
        [&self.labels[0], &self.labels[1]]
    }
}

impl Drop for TurnMetrics {
    fn drop(&mut self) {
        if !self.over {
            self.count("dropped");
        }
    }
}

impl Models {
    /// Returns the provider and model labels for metrics. All models that the configuration does not list share one
    /// label. Otherwise, teams could create any number of time series, because they can name any model.
    pub fn labels(&self, provider: &str, model: &str) -> [Arc<str>; 2] {
        let known = self.known(provider, model).unwrap_or_else(|| ("other".into(), "other".into()));
        known.into()
    }
}
