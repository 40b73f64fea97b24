//! Record of the events of a seed, with their times. The faults of a plan begin at fixed times and affect a different
//! state of the cluster each time.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use parking_lot::Mutex;

pub struct Journal {
    started: Instant,
    lines: Mutex<String>,
}

impl Journal {
    pub fn start() -> Self {
        Self { started: Instant::now(), lines: Mutex::default() }
    }

    pub fn record(&self, text: impl std::fmt::Display) {
        let _ = writeln!(self.lines.lock(), "{:>6} ms: {text}", self.started.elapsed().as_millis());
    }

    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        std::fs::write(path, &*self.lines.lock())
    }
}
