//! What the orchestrator needs of whatever thinks.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Completion, Failure, Models, Title, TurnRequest};
use crate::kernel::Usage;

/// What takes the turns of agents: the configured [`Models`], or a script where no model is wanted.
#[async_trait]
pub trait Mind: Send + Sync + 'static {
    /// One attempt at a turn; `on_text` gets each fragment of the answer's text as it comes. Dropping the future ends the
    /// attempt at once.
    async fn turn(
        &self,
        request: TurnRequest,
        on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Completion, Failure>;

    /// What an attempt cost that did not come to its end after it had written `text`.
    async fn estimate(&self, request: TurnRequest, text: &str) -> Option<Usage>;

    /// A title for a conversation that begins with these words, and what it cost.
    async fn title(&self, words: &str) -> Title {
        let _ = words;
        Title::default()
    }

    /// Milliseconds to wait after `failures` failed attempts, never less than was asked for.
    fn backoff(&self, failures: u32, retry_after_ms: Option<u64>) -> u64;

    /// A model of [`Usage::model`] as metrics name it, provider and model: one of few names.
    fn labels(&self, model: &str) -> [Arc<str>; 2] {
        let _ = model;
        ["other".into(), "other".into()]
    }
}

#[async_trait]
impl Mind for Models {
    async fn turn(
        &self,
        request: TurnRequest,
        on_text: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Completion, Failure> {
        Self::turn(self, request, on_text).await
    }

    async fn estimate(&self, request: TurnRequest, text: &str) -> Option<Usage> {
        Self::estimate(self, request, text).await
    }

    async fn title(&self, words: &str) -> Title {
        Self::title(self, words).await
    }

    fn backoff(&self, failures: u32, retry_after_ms: Option<u64>) -> u64 {
        Self::backoff(self, failures, retry_after_ms)
    }

    fn labels(&self, model: &str) -> [Arc<str>; 2] {
        let (provider, model) = model.split_once('/').unwrap_or(("", model));
        Self::labels(self, provider, model)
    }
}
