//! Model port: the interface through which the orchestrator calls models.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Completion, Models, Title, TurnError, TurnRequest};
use crate::kernel::{TurnBound, Usage};

/// Models for the turns of agents. Implemented by the configured [`Models`], and by scripts that need no model.
#[async_trait]
pub trait ModelPort: Send + Sync + 'static {
    /// Makes one attempt at a turn; `on_text` receives each fragment of the text as it arrives. Dropping the future
    /// ends the attempt at once.
    async fn turn(
        &self,
        request: TurnRequest,
        on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Completion, TurnError>;

    /// Estimates the usage of an attempt that was stopped after it had written `text`; `None` if it cannot be
    /// estimated.
    async fn estimate(&self, request: TurnRequest, text: &str) -> Option<Usage>;

    /// Returns a title for a conversation that begins with this text, and the usage of the request, which is at most
    /// `bound`.
    async fn title(&self, text: &str, bound: Option<TurnBound>) -> Title {
        let _ = (text, bound);
        Title::default()
    }

    /// Returns the delay after `failures` failed attempts, in milliseconds: at least `retry_after_ms`, up to the
    /// configured maximum.
    fn backoff(&self, failures: u32, retry_after_ms: Option<u64>) -> u64;

    /// Returns the provider and model labels of a [`Usage::model`] for metrics. The number of different labels is
    /// small.
    fn labels(&self, model: &str) -> [Arc<str>; 2] {
        let _ = model;
        ["other".into(), "other".into()]
    }
}

#[async_trait]
impl ModelPort for Models {
    async fn turn(
        &self,
        request: TurnRequest,
        on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Completion, TurnError> {
        Self::turn(self, request, on_text).await
    }

    async fn estimate(&self, request: TurnRequest, text: &str) -> Option<Usage> {
        Self::estimate(self, request, text).await
    }

    async fn title(&self, text: &str, bound: Option<TurnBound>) -> Title {
        Self::title(self, text, bound).await
    }

    fn backoff(&self, failures: u32, retry_after_ms: Option<u64>) -> u64 {
        Self::backoff(self, failures, retry_after_ms)
    }

    fn labels(&self, model: &str) -> [Arc<str>; 2] {
        let (provider, model) = model.split_once('/').unwrap_or(("", model));
        Self::labels(self, provider, model)
    }
}
