//! Why things ended as they did.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why an item ended without being finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbortReason {
    /// Somebody interrupted it.
    Interrupted,
    /// Somebody cancelled the run.
    Cancelled,
    /// Its last attempt failed.
    Failed,
}

/// Why a participant is no longer in the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeaveReason {
    /// They left.
    Left,
    /// Somebody removed them.
    Removed,
}

/// Why a run ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The flow is done.
    Completed,
    /// It holds as many messages as one run may.
    MessageLimit,
    /// It took as many steps as one run may.
    StepLimit,
    /// Whoever was to write its answer called tools in every turn that one task may take.
    TurnLimit,
}

/// What went wrong with an attempt or a run, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepError {
    /// A code from the model layer: `model_rate_limited`, `model_stream_cut` …
    pub code: Arc<str>,
    /// What it means and what to do; no secrets, no upstream bodies.
    pub message: Arc<str>,
}
