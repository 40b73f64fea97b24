//! Error in a tool call.

use std::error::Error;
use std::sync::Arc;

use crate::kernel::AttemptError;
use crate::telemetry::{ErrorSource, FailedOperation, error_causes, log_failure};

/// Error in a tool call.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// Code from a small set, such as `tool_failed`, `tool_timed_out`, `tool_unavailable`, `arguments_invalid`,
    /// `not_found` or `outside`.
    pub code: &'static str,
    /// Message for the agent and for people: the problem, then what to do. It contains nothing secret.
    pub message: String,
    /// Tool that was called, if the toolbox found it.
    pub tool: Option<Arc<str>>,
    /// Cause, for the operator's log.
    #[source]
    pub source: Option<ErrorSource>,
}

impl ToolError {
    /// Returns an error with this code and message.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), tool: None, source: None }
    }

    /// Adds the cause. Do not add a parser's error, because it can quote the input.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into().into());
        self
    }

    /// Logs the failure with its causes if it concerns the operator. The message is not logged, because it can contain
    /// text from the tool.
    pub fn log(&self) {
        if self.concerns_operator() {
            let causes = error_causes(self);
            log_failure(FailedOperation::ToolCall, self.tool.as_ref(), self.code, causes.as_deref());
        }
    }

    /// Returns whether an operator can do something about the failure. Otherwise, the agent made a mistake, such as
    /// invalid arguments, or the rules or quotas do not allow the call.
    fn concerns_operator(&self) -> bool {
        self.code.starts_with("tool_")
    }
}

/// Compares the code and the message, which are all that people and agents see. Causes cannot be compared.
impl PartialEq for ToolError {
    fn eq(&self, other: &Self) -> bool {
        (self.code, &self.message) == (other.code, &other.message)
    }
}

impl Eq for ToolError {}

impl From<ToolError> for AttemptError {
    fn from(error: ToolError) -> Self {
        Self { code: error.code.into(), message: error.message.into() }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::telemetry::captured_log::CapturedLog;

    fn error(code: &'static str, tool: &str) -> ToolError {
        let cause = io::Error::from_raw_os_error(5);
        let error = ToolError::new(code, "`planted.txt` cannot be read").caused_by(cause);
        ToolError { tool: Some(tool.into()), ..error }
    }

    #[test]
    fn a_failed_call_is_logged_with_its_causes_and_without_its_message() {
        let lines = CapturedLog::json();
        error("tool_failed", "logged_tool").log();
        let line = lines.only("tool call failed");
        assert_eq!((&line["level"], &line["error"]), (&"WARN".into(), &"tool_failed".into()));
        assert_eq!(line["tool"], "logged_tool");
        assert!(line["causes"].as_str().is_some_and(|causes| causes.contains("os error 5")), "{line}");
        assert!(!lines.text().contains("planted"), "{}", lines.text());
    }

    #[test]
    fn mistakes_of_agents_are_not_logged() {
        let lines = CapturedLog::json();
        for code in ["arguments_invalid", "not_found", "outside", "quota_exceeded", "denied"] {
            error(code, "unlogged_tool").log();
        }
        assert_eq!(lines.text(), "");
    }

    #[test]
    fn people_see_no_causes() {
        let seen = serde_json::to_string(&AttemptError::from(error("tool_failed", "tool"))).expect("JSON");
        assert_eq!(seen, r#"{"code":"tool_failed","message":"`planted.txt` cannot be read"}"#);
    }
}
