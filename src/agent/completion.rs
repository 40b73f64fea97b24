//! What a model answered.

use std::sync::Arc;

use super::ToolCall;
use crate::kernel::Usage;

/// A whole answer; a partial one is a [`super::Failure`].
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Its words: exactly the fragments that were handed out, joined.
    pub text: String,
    /// The tools that it calls.
    pub tool_calls: Vec<ToolCall>,
    /// What it thought before it answered, where the provider shows it.
    pub reasoning: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// Why it ended.
    pub finish: Finish,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// It may not be longer.
    Length,
    /// It waits for tools.
    ToolCalls,
    /// A word that only this provider knows.
    Other(Arc<str>),
}

impl Finish {
    pub(super) fn parse(word: &str) -> Self {
        match word {
            "stop" | "end_turn" | "stop_sequence" | "eos" => Self::Stop,
            "length" | "max_tokens" | "model_context_window_exceeded" => Self::Length,
            "tool_calls" | "function_call" | "tool_use" => Self::ToolCalls,
            other => Self::Other(other.into()),
        }
    }
}
