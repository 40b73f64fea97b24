//! Timestamps in texts. A request to a model contains the stamps of all earlier texts; the newest one names the cause
//! of the request and its time.

use crate::machine;

/// Cause of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A message from a participant.
    Message,
    /// A tool call by a model.
    ToolCall,
    /// A tool result.
    ToolResult,
    /// A response from an agent.
    Response,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 4] = [Self::Message, Self::ToolCall, Self::ToolResult, Self::Response];

    /// Returns a stamp of the current time.
    pub fn stamp(self) -> String {
        format!("@{}@{}", machine::nanos(), self.name())
    }

    /// Returns a label with the start and the end of the duration that begins with this cause.
    pub fn label(self) -> &'static str {
        match self {
            Self::Message => "command to model",
            Self::ToolCall => "call to tool",
            Self::ToolResult => "tool's result to model",
            Self::Response => "response to next agent's model",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Response => "response",
        }
    }
}

/// Returns the newest stamp of a text.
pub fn newest(text: &str) -> Option<(Cause, u64)> {
    let parts: Vec<&str> = text.split('@').collect();
    let stamps = parts.windows(2).filter_map(|pair| {
        let cause = Cause::ALL.into_iter().find(|cause| pair[1].starts_with(cause.name()))?;
        Some((cause, pair[0].parse().ok()?))
    });
    stamps.max_by_key(|(_, at)| *at)
}
