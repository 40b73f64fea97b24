//! The TCP socket of a connection, shared with the feeds that the connection follows.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use parking_lot::Mutex;
use rustix::net::Shutdown;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::SocketTraffic;
use crate::feed::{DirectWrite, DirectWriter, frame};

/// The TCP socket of a connection. The connection's task reads and writes it. While the task sleeps and has nothing to
/// write, feeds write to it directly.
pub(super) struct SharedSocket {
    tcp: TcpStream,
    direct: Mutex<DirectAccess>,
}

#[derive(Default)]
struct DirectAccess {
    /// True while the task sleeps and all earlier output is written. Two concurrent writers could cut each other's
    /// frames.
    is_idle: bool,
    /// Remainder of a frame that the socket accepted only partly. It must be written before anything else.
    remainder: Box<[u8]>,
    /// `None` until the client is identified.
    permission: Option<DirectPermission>,
}

struct DirectPermission {
    traffic: Arc<SocketTraffic>,
    /// Cancelled when the credential of the client ends, and when the server stops. Feeds write nothing after that.
    over: CancellationToken,
}

impl SharedSocket {
    pub(super) fn new(tcp: TcpStream) -> Arc<Self> {
        Arc::new(Self { tcp, direct: Mutex::default() })
    }

    /// Permits direct writes until the credential ends.
    pub(super) fn set_permission(&self, traffic: Arc<SocketTraffic>, over: CancellationToken) {
        self.direct.lock().permission = Some(DirectPermission { traffic, over });
    }

    /// Begins a write by the connection's task. Prevents direct writes until [`SharedSocket::allow_direct_writes`].
    /// Returns the remainder of a frame that the socket accepted only partly, or no bytes.
    pub(super) fn begin_write(&self) -> Box<[u8]> {
        let mut direct = self.direct.lock();
        direct.is_idle = false;
        std::mem::take(&mut direct.remainder)
    }

    /// Allows direct writes. Called when the connection's task has written everything and goes to sleep.
    pub(super) fn allow_direct_writes(&self) {
        self.direct.lock().is_idle = true;
    }

    pub(super) fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tcp.poll_write_ready(cx)
    }

    pub(super) fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.tcp.poll_write_ready(cx))?;
            match self.tcp.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    pub(super) fn poll_read(&self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.tcp.poll_read_ready(cx))?;
            match self.tcp.try_read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read),
            }
        }
    }

    /// Tells the peer that nothing more will be written.
    pub(super) fn shutdown(&self) -> io::Result<()> {
        Ok(rustix::net::shutdown(&self.tcp, Shutdown::Write)?)
    }
}

impl DirectWriter for SharedSocket {
    fn write(&self, frames: &[u8]) -> DirectWrite {
        let mut direct = self.direct.lock();
        let permission =
            direct.permission.as_ref().filter(|permission| direct.is_idle && !permission.over.is_cancelled());
        let Some(permission) = permission else { return DirectWrite { bytes: 0, is_complete: false } };
        // If this fails, the connection's task detects the error too, and ends.
        let written = self.tcp.try_write(frames).unwrap_or(0);
        permission.traffic.sent_bytes.fetch_add(written as u64, Ordering::Relaxed);
        direct.is_idle = written == frames.len();
        if direct.is_idle {
            return DirectWrite { bytes: written, is_complete: true };
        }
        let (end, _) = frame::find_cut(frames, written);
        direct.remainder = frames[written..end].into();
        DirectWrite { bytes: end, is_complete: false }
    }
}

#[cfg(test)]
#[path = "shared_socket_tests.rs"]
mod tests;
