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
    /// True while the task sleeps and everything before is written. Two writers at once could cut each other's frames.
    is_idle: bool,
    /// Remainder of a frame that the socket cut. It must be written before anything else.
    remainder: Box<[u8]>,
    /// `None` until the client is identified.
    permission: Option<DirectPermission>,
}

struct DirectPermission {
    traffic: Arc<SocketTraffic>,
    /// Cancelled when the credential of the client ends. Nothing may be written after that.
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

    /// Begins a write of the connection's task: there are no direct writes until
    /// [`SharedSocket::allow_direct_writes`]. Returns the remainder of a frame that was cut.
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

    /// Tells the peer that nothing more is written.
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
        // After an error, the task finds it too, and ends.
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
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::socket::SocketSettings;

    const BUSY: DirectWrite = DirectWrite { bytes: 0, is_complete: false };

    async fn connected() -> (Arc<SharedSocket>, TcpStream, CancellationToken) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let address = listener.local_addr().expect("is bound");
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (socket, over) = (SharedSocket::new(accepted.expect("accepts").0), CancellationToken::new());
        let traffic = SocketTraffic::new(&SocketSettings::default());
        socket.set_permission(traffic, over.clone());
        (socket, client.expect("connects"), over)
    }

    #[tokio::test]
    async fn feeds_write_only_while_the_task_sleeps_and_the_credential_lasts() {
        let (socket, _client, over) = connected().await;
        let frames = frame::text_frame(b"{}");
        assert_eq!(socket.write(&frames), BUSY, "the task has not slept yet");
        socket.allow_direct_writes();
        assert_eq!(socket.write(&frames), DirectWrite { bytes: frames.len(), is_complete: true });
        assert!(socket.begin_write().is_empty());
        assert_eq!(socket.write(&frames), BUSY, "two writers could cut each other's frames");
        socket.allow_direct_writes();
        over.cancel();
        assert_eq!(socket.write(&frames), BUSY, "the credential has ended");
    }

    #[tokio::test]
    async fn a_frame_that_is_cut_is_written_to_its_end_first() {
        let (socket, mut client, _over) = connected().await;
        socket.allow_direct_writes();
        let frames = frame::text_frame(&[b'x'; 100_000]).repeat(2);
        let mut taken = 0;
        let cut = loop {
            let written = socket.write(&frames);
            taken += written.bytes;
            if !written.is_complete {
                break written;
            }
        };
        assert_eq!(socket.write(&frames), BUSY, "the task has to continue");
        let remainder = socket.begin_write();
        assert_eq!(remainder.is_empty(), cut.bytes == 0);
        let mut received = vec![0; taken - remainder.len()];
        client.read_exact(&mut received).await.expect("reads");
        received.extend(remainder);
        let whole = frame::text_frame(&[b'x'; 100_000]);
        assert!(received.chunks(whole.len()).all(|frame| frame == whole), "every frame is whole");
        assert!(client.try_read(&mut [0]).is_err(), "nothing else was written");
    }
}
