//! Response of a model.

use std::sync::Arc;

use super::ToolCall;
use crate::kernel::Usage;

/// A complete response. A partial one is a [`super::TurnError`].
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Text of the response: exactly the streamed fragments, joined.
    pub text: String,
    /// Tool calls of the response.
    pub tool_calls: Vec<ToolCall>,
    /// Reasoning before the response, if the provider returns it.
    pub reasoning: Option<String>,
    /// Tokens and cost.
    pub usage: Usage,
    /// Reason that the response ended.
    pub finish: StopReason,
}

/// Reason that a response ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The model finished.
    Stop,
    /// The response reached its token limit.
    Length,
    /// The model is waiting for tool results.
    ToolCalls,
    /// Any other reason, exactly as the provider wrote it.
    Other(Arc<str>),
}

impl StopReason {
    pub(super) fn parse(word: &str) -> Self {
        match word {
            "stop" | "end_turn" | "stop_sequence" | "eos" => Self::Stop,
            "length" | "max_tokens" | "model_context_window_exceeded" => Self::Length,
            "tool_calls" | "function_call" | "tool_use" => Self::ToolCalls,
            other => Self::Other(other.into()),
        }
    }
}
