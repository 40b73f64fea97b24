//! A stall timeout for HTTP connections, equal to that of WebSockets. Otherwise an event stream that its client does
//! not read would stay open for as long as TCP keeps the connection.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// A TCP socket whose writes fail if its peer reads nothing for the time limit while output waits.
pub struct StallTimeout {
    tcp: TcpStream,
    limit: Duration,
    blocked: Option<Pin<Box<Sleep>>>,
    is_blocked: Arc<AtomicBool>,
}

impl StallTimeout {
    /// Creates the socket with this time limit.
    pub fn new(tcp: TcpStream, limit: Duration) -> Self {
        Self { tcp, limit, blocked: None, is_blocked: Arc::default() }
    }

    /// Returns a shared flag that is true while output is waiting.
    pub fn blocked(&self) -> Arc<AtomicBool> {
        self.is_blocked.clone()
    }

    /// Returns the plain socket, for callers with their own timeouts.
    pub(super) fn into_tcp(self) -> TcpStream {
        self.tcp
    }

    fn written(&mut self, written: Poll<io::Result<usize>>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.blocked = None;
            self.is_blocked.store(false, Relaxed);
            return written;
        }
        self.is_blocked.store(true, Relaxed);
        let limit = self.limit;
        let blocked = self.blocked.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(blocked.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer reads nothing")))
    }
}

impl AsyncRead for StallTimeout {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(cx, buf)
    }
}

impl AsyncWrite for StallTimeout {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.tcp).poll_write(cx, buf);
        self.written(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.tcp).poll_write_vectored(cx, bufs);
        self.written(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}
