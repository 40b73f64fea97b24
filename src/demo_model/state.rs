//! State of the demo model: counters, held streams and the newest requests.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use super::{DemoSettings, Mistake};

/// Counters of requests and streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct DemoCounters {
    /// Number of chat-completion requests.
    pub requests: u64,
    /// Number of streams that are currently open.
    pub open: u64,
    /// Number of streams that are currently held.
    pub held: u64,
    /// Number of streams that were completed.
    pub completed: u64,
    /// Number of streams that their clients dropped.
    pub dropped: u64,
    /// Number of responses with an injected fault or mistake.
    pub faults: u64,
}

/// A logged request.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedRequest {
    /// Name of the model, with its options.
    pub model: String,
    /// Messages of the request.
    pub messages: Vec<Value>,
}

impl LoggedRequest {
    /// Maximum number of logged requests.
    pub const KEPT: usize = 200;
    /// Maximum size of the logged requests, in bytes; the oldest are dropped first.
    pub const MAX_BYTES: usize = 8 * 1024 * 1024;

    fn bytes(&self) -> usize {
        self.messages.iter().map(|message| message["content"].as_str().map_or(0, str::len) + 64).sum()
    }

    /// Returns the system prompt, if there is one.
    pub fn system(&self) -> Option<&str> {
        self.messages.iter().find(|message| message["role"] == "system").and_then(|message| message["content"].as_str())
    }

    /// Returns the text of the last message.
    pub fn last_text(&self) -> Option<&str> {
        self.messages.last().and_then(|message| message["content"].as_str())
    }
}

/// Maximum number of fault counts, which are kept per model name and mistake. When this number is reached, all counts
/// are reset.
const MAX_FAULT_MODELS: usize = 10_000;

/// The newest requests, with their total size in bytes.
#[derive(Debug, Default)]
struct RequestLog {
    newest: VecDeque<Arc<LoggedRequest>>,
    bytes: usize,
}

impl RequestLog {
    fn push(&mut self, logged: LoggedRequest) {
        self.bytes += logged.bytes();
        self.newest.push_back(Arc::new(logged));
        while self.newest.len() > LoggedRequest::KEPT
            || (self.bytes > LoggedRequest::MAX_BYTES && self.newest.len() > 1)
        {
            self.bytes -= self.newest.pop_front().map_or(0, |oldest| oldest.bytes());
        }
    }
}

#[derive(Debug)]
pub(super) struct DemoState {
    pub(super) settings: DemoSettings,
    counters: watch::Sender<DemoCounters>,
    released: watch::Sender<u64>,
    faults: Mutex<HashMap<String, u32>>,
    log: Mutex<RequestLog>,
}

impl DemoState {
    pub(super) fn new(settings: DemoSettings) -> Self {
        Self {
            settings,
            counters: watch::Sender::new(DemoCounters::default()),
            released: watch::Sender::new(0),
            faults: Mutex::default(),
            log: Mutex::default(),
        }
    }

    pub(super) fn counters(&self) -> watch::Receiver<DemoCounters> {
        self.counters.subscribe()
    }

    pub(super) fn now(&self) -> DemoCounters {
        *self.counters.borrow()
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut DemoCounters)) {
        self.counters.send_modify(change);
    }

    pub(super) fn release(&self) {
        self.released.send_modify(|times| *times += 1);
    }

    /// Waits until the held streams are released.
    pub(super) async fn hold(self: Arc<Self>) {
        let mut released = self.released.subscribe();
        self.count(|counters| counters.held += 1);
        let _held = HoldGuard(self.clone());
        // The state owns the sender, so only a release ends the wait.
        let _ = released.changed().await;
    }

    /// Returns whether to inject the fault into the response to this request, and counts the injected faults.
    pub(super) fn goes_wrong(&self, model: &str, settings: &DemoSettings) -> bool {
        if settings.fault.is_none() {
            return false;
        }
        self.count_fault(model.to_owned(), settings.fault_times)
    }

    /// Returns whether to make the mistake in the response to this request, and counts the mistakes.
    pub(super) fn takes_mistake(&self, model: &str, mistake: Mistake, times: u32) -> bool {
        self.count_fault(format!("{model} {mistake:?}"), times)
    }

    /// Counts a fault, and returns whether it occurs this time: always if `times_to_fail` is 0, otherwise the first
    /// `times_to_fail` times.
    fn count_fault(&self, what: String, times_to_fail: u32) -> bool {
        if times_to_fail > 0 {
            let mut faults = self.faults.lock();
            if faults.len() >= MAX_FAULT_MODELS {
                faults.clear();
            }
            let times = faults.entry(what).or_default();
            if *times >= times_to_fail {
                return false;
            }
            *times += 1;
        }
        self.count(|counters| counters.faults += 1);
        true
    }

    pub(super) fn log(&self, logged: LoggedRequest) {
        self.log.lock().push(logged);
        // Count after logging. Otherwise, a test that waits for the count might not find the request.
        self.count(|counters| counters.requests += 1);
    }

    pub(super) fn requests(&self) -> Vec<Arc<LoggedRequest>> {
        self.log.lock().newest.iter().cloned().collect()
    }
}

struct HoldGuard(Arc<DemoState>);

impl Drop for HoldGuard {
    fn drop(&mut self) {
        self.0.count(|counters| counters.held -= 1);
    }
}

/// An open stream. Its end is counted, regardless of how it ends.
#[derive(Debug)]
pub(super) struct OpenStream {
    state: Arc<DemoState>,
    completed: bool,
}

impl OpenStream {
    pub(super) fn new(state: Arc<DemoState>) -> Self {
        state.count(|counters| counters.open += 1);
        Self { state, completed: false }
    }

    /// Marks the stream as completed: it was written to the end, or ended by a fault.
    pub(super) fn complete(&mut self) {
        self.completed = true;
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let completed = self.completed;
        self.state.count(|counters| {
            counters.open -= 1;
            match completed {
                true => counters.completed += 1,
                false => counters.dropped += 1,
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_log_is_bounded_in_number_and_in_bytes() {
        let logged = |text: &str| LoggedRequest { model: "demo".into(), messages: vec![json!({ "content": text })] };
        let mut log = RequestLog::default();
        for _ in 0..LoggedRequest::KEPT + 5 {
            log.push(logged("short"));
        }
        assert_eq!(log.newest.len(), LoggedRequest::KEPT);
        let long = "x".repeat(LoggedRequest::MAX_BYTES / 2);
        for _ in 0..4 {
            log.push(logged(&long));
        }
        assert_eq!(log.newest.len(), 1);
        assert_eq!(log.bytes, long.len() + 64);
    }
}
