//! Log of one test, in memory.

use std::io::Write;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::{EnvFilter, layer::SubscriberExt};

/// Lines that this thread logs while this value lives, at level `debug`, in the format of the server.
pub(crate) struct CapturedLog {
    written: LogBuffer,
    _default: DefaultGuard,
}

#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl CapturedLog {
    /// Starts capturing log lines as JSON.
    pub(crate) fn json() -> Self {
        Self::start(true)
    }

    /// Starts capturing log lines as text.
    pub(crate) fn text_format() -> Self {
        Self::start(false)
    }

    fn start(json: bool) -> Self {
        let written = LogBuffer::default();
        let writer = written.clone();
        let layer = super::lines(json, false, EnvFilter::new("debug"), &["silent_library"], move || writer.clone());
        let subscriber = tracing_subscriber::registry().with(layer);
        Self { written, _default: tracing::subscriber::set_default(subscriber) }
    }

    /// Returns all lines.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.written.0.lock()).into_owned()
    }

    /// Returns the lines that contain these words.
    pub(crate) fn with(&self, message: &str) -> Vec<String> {
        self.text().lines().filter(|line| line.contains(message)).map(str::to_owned).collect()
    }

    /// Returns the number of lines that contain these words.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.with(text).len()
    }

    /// Returns the only line that contains these words, parsed.
    pub(crate) fn only(&self, message: &str) -> Value {
        let lines = self.with(message);
        assert_eq!(lines.len(), 1, "{}", self.text());
        serde_json::from_str(&lines[0]).expect("a line is a JSON object")
    }
}

#[test]
fn no_filter_shows_the_events_of_a_silent_library() {
    let log = CapturedLog::json();
    tracing::info_span!(target: "roundtable", "session").in_scope(|| {
        tracing::error!(target: "silent_library", "a message");
        tracing::error!(target: "silent_library::service", "a message");
        tracing::error!(target: "silent_library_of_others", "something else");
    });
    assert_eq!((log.count("a message"), log.count("something else")), (0, 1), "{}", log.text());
}
