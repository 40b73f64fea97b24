//! What an operator learns of a model request: how it ended, and how long it took.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Failure, Models};
use crate::telemetry::happened;

/// A model request that is under way. Dropped before its end, it counts as `dropped`.
pub(super) struct Measured {
    labels: [Arc<str>; 2],
    begun: Instant,
    heard: bool,
    over: bool,
}

impl Measured {
    pub(super) fn new(labels: [Arc<str>; 2]) -> Self {
        Self { labels, begun: Instant::now(), heard: false, over: false }
    }

    /// A piece of text came.
    pub(super) fn heard(&mut self) {
        if !std::mem::replace(&mut self.heard, true) {
            happened().first_token.took(self.words(), self.begun.elapsed());
        }
    }

    pub(super) fn ended(mut self, failure: Option<&Failure>) {
        if failure.is_none() {
            happened().turn.took(self.words(), self.begun.elapsed());
        }
        self.count(failure.map_or("ok", |failure| &failure.error.code));
    }

    fn count(&mut self, outcome: &str) {
        self.over = true;
        let [provider, model] = self.words();
        happened().turns.count([provider, model, outcome]);
    }

    fn words(&self) -> [&str; 2] {
        [&self.labels[0], &self.labels[1]]
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        if !self.over {
            self.count("dropped");
        }
    }
}

impl Models {
    /// Provider and model as metrics name them. Teams may name any model; those that the configuration does not list
    /// share a name, so that metrics stay few.
    pub fn labels(&self, provider: &str, model: &str) -> [Arc<str>; 2] {
        let known = self.known(provider, model).unwrap_or_else(|| ("other".into(), "other".into()));
        known.into()
    }
}
