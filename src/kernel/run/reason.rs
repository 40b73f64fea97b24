//! Reasons for the end of messages and runs.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reason why a message ended before it was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AbortReason {
    /// A participant interrupted it.
    Interrupted,
    /// A participant cancelled the run.
    Cancelled,
    /// The last attempt failed.
    Failed,
    /// The run reached its time limit.
    TimedOut,
}

/// Reason why a run ended successfully.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The flow is complete.
    Completed,
    /// The run reached `max_messages_per_run`.
    MessageLimit,
    /// The run reached `max_steps_per_run`.
    StepLimit,
    /// The agent that was to write the result called tools in every turn of its task.
    TurnLimit,
    /// The budget of the session was spent, and people did not raise it.
    Budget,
}

/// Error of an attempt, a call or a run, for people to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptError {
    /// Machine-readable code. Examples: `model_rate_limited`, `model_stream_cut`.
    pub code: Arc<str>,
    /// Explanation and remedy. Contains no secrets and no response bodies of providers.
    pub message: Arc<str>,
}
