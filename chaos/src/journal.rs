//! Record of what happens during a seed, with times. The faults of a plan begin at fixed times, but find the cluster in
//! a different state on each run.

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
