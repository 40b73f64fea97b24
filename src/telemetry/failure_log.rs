//! Warnings about failed requests to models and failed tool calls. Participants see only a code and a short message;
//! these lines add the causes. An outage fails thousands of requests, so similar failures share a line.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::log_streak::LogStreak;

/// Maximum number of kinds of failures that are distinguished. Providers, tools and codes are few.
const MAX_KINDS: usize = 1_000;

/// Operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailedOperation {
    /// Request to a model.
    ModelRequest,
    /// Call of a tool.
    ToolCall,
}

/// Logs a failure in the current span, unless a failure with the same operation, subject and code was logged recently.
/// The subject is the provider or the tool, by its name on this server. `code` is the code that participants see.
pub fn log_failure(operation: FailedOperation, subject: Option<&Arc<str>>, code: &str, causes: Option<&str>) {
    static LOG: Mutex<FailureLog> = Mutex::new(FailureLog(BTreeMap::new()));
    log_in(&LOG, operation, subject, code, causes);
}

/// Operation, subject and code.
type FailureKind = (FailedOperation, Option<Arc<str>>, Box<str>);

struct FailureLog(BTreeMap<FailureKind, LogStreak>);

fn log_in(
    log: &Mutex<FailureLog>,
    operation: FailedOperation,
    subject: Option<&Arc<str>>,
    code: &str,
    causes: Option<&str>,
) {
    // The throttle draws random numbers, which would change the plans of a simulation. A simulation has no log.
    if !tracing::enabled!(tracing::Level::WARN) {
        return;
    }
    let Some(failures) = log.lock().add((operation, subject.cloned(), code.into())) else { return };
    let name = subject.map(|subject| &**subject);
    match operation {
        FailedOperation::ModelRequest => {
            tracing::warn!(error = code, causes, provider = name, failures, "model request failed");
        }
        FailedOperation::ToolCall => {
            tracing::warn!(error = code, causes, tool = name, failures, "tool call failed");
        }
    }
}

impl FailureLog {
    /// Adds a failure. If a log line is due now, returns the number of failures that it represents, otherwise `None`.
    fn add(&mut self, kind: FailureKind) -> Option<u64> {
        if self.0.len() >= MAX_KINDS && !self.0.contains_key(&kind) {
            let oldest = self.0.iter().min_by_key(|(_, streak)| streak.latest).map(|(kind, _)| kind.clone());
            oldest.and_then(|oldest| self.0.remove(&oldest));
        }
        self.0.entry(kind).or_insert_with(LogStreak::new).add()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::advance;

    use super::super::captured_log::CapturedLog;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn similar_failures_share_a_line_and_others_do_not_wait_for_it() {
        let log = Mutex::new(FailureLog(BTreeMap::new()));
        let lines = CapturedLog::json();
        let subject = |name: &str| Some(Arc::<str>::from(name));
        let fail = |name: &str, code: &str| {
            let subject = subject(name);
            log_in(&log, FailedOperation::ModelRequest, subject.as_ref(), code, Some("deep <- outer"));
        };
        fail("one", "model_unavailable");
        let line = lines.only("model request failed");
        assert_eq!((&line["level"], &line["error"]), (&"WARN".into(), &"model_unavailable".into()));
        assert_eq!(
            (&line["causes"], &line["provider"], &line["failures"]),
            (&"deep <- outer".into(), &"one".into(), &1.into())
        );
        for _ in 0..100 {
            fail("one", "model_unavailable");
        }
        assert_eq!(lines.count("\"one\""), 1, "{}", lines.text());
        fail("one", "model_timeout");
        fail("two", "model_unavailable");
        assert_eq!((lines.count("model_timeout"), lines.count("\"two\"")), (1, 1), "{}", lines.text());
        log_in(&log, FailedOperation::ToolCall, subject("one").as_ref(), "model_timeout", None);
        let line = lines.only("tool call failed");
        assert_eq!((&line["tool"], line.get("causes")), (&"one".into(), None));

        advance(Duration::from_secs(60)).await;
        fail("one", "model_unavailable");
        assert_eq!(lines.count("\"failures\":101"), 1, "a new series is logged at once: {}", lines.text());
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_kinds_is_bounded() {
        let mut log = FailureLog(BTreeMap::new());
        for number in 0..2 * MAX_KINDS {
            log.add((FailedOperation::ToolCall, Some(number.to_string().into()), "tool_failed".into()));
            advance(Duration::from_millis(1)).await;
        }
        assert_eq!(log.0.len(), MAX_KINDS);
        let newest = (FailedOperation::ToolCall, Some((2 * MAX_KINDS - 1).to_string().into()), "tool_failed".into());
        assert!(log.0.contains_key(&newest));
    }

    #[test]
    fn without_a_log_nothing_is_counted() {
        let log = Mutex::new(FailureLog(BTreeMap::new()));
        let _none = tracing::subscriber::set_default(tracing::subscriber::NoSubscriber::default());
        log_in(&log, FailedOperation::ToolCall, None, "tool_failed", None);
        assert!(log.lock().0.is_empty());
    }
}
