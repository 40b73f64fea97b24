//! Logs a program's standard error at the `debug` level, as untrusted text and with a limit.

use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;
use tokio::time::Instant;
use tracing::debug;

/// Maximum number of bytes per second that are logged. The rest is read so that the program does not block, but is only
/// counted.
const MAX_BYTES_PER_SECOND: usize = 8 * 1024;

/// Logs lines until the program closes its standard error.
pub(super) async fn log(server: String, mut stderr: ChildStderr) {
    let mut buffer = vec![0; 4 * 1024];
    let mut window = LogWindow { began: Instant::now(), left: MAX_BYTES_PER_SECOND, dropped: 0 };
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        let dropped = window.turn();
        if dropped > 0 {
            debug!(server, bytes = dropped, "MCP server output not logged: too much");
        }
        let taken = window.take(length);
        for line in String::from_utf8_lossy(&buffer[..taken]).lines().filter(|line| !line.trim().is_empty()) {
            debug!(server, line, "MCP server output");
        }
    }
}

/// Remaining log budget of the current second.
struct LogWindow {
    began: Instant,
    left: usize,
    dropped: usize,
}

impl LogWindow {
    /// Starts the next second if it is due. Returns the number of bytes that were dropped in the last one.
    fn turn(&mut self) -> usize {
        if self.began.elapsed() < Duration::from_secs(1) {
            return 0;
        }
        let dropped = self.dropped;
        *self = Self { began: Instant::now(), left: MAX_BYTES_PER_SECOND, dropped: 0 };
        dropped
    }

    fn take(&mut self, wanted: usize) -> usize {
        let taken = wanted.min(self.left);
        self.left -= taken;
        self.dropped += wanted - taken;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_more_than_so_much_a_second() {
        let mut window = LogWindow { began: Instant::now(), left: MAX_BYTES_PER_SECOND, dropped: 0 };
        assert_eq!(
            (window.take(MAX_BYTES_PER_SECOND - 1), window.take(10), window.take(10)),
            (MAX_BYTES_PER_SECOND - 1, 1, 0)
        );
        assert_eq!(window.turn(), 0);
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(window.turn(), 19);
        assert_eq!(window.take(10), 10);
    }
}
