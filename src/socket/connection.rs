//! One WebSocket connection. Frames are read through the library. Bytes are written from the connection's own buffer
//! and, after that, from sources that many connections share. The connection knows nothing about sessions.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::net::TcpStream;
use tokio::time::Sleep;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, Role, WebSocketConfig, WebSocketContext};
use tokio_tungstenite::tungstenite::{Error, error::ProtocolError};

use super::SocketSettings;
use super::read_budget::ReadBudget;
use super::shared_socket::SharedSocket;
use super::unfinished_messages::UnfinishedBudget;
use super::write_buffer::WriteBuffer;
use crate::kernel::ParticipantId;
use crate::protocol::{CloseCode, Problem};

thread_local! {
    /// Buffer in which the bytes of one write are gathered. One per thread, because one per connection would be most of
    /// an idle viewer's memory.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A shared source of bytes to write.
pub(super) trait FrameSource {
    /// Appends about `room` bytes of whole frames. Returns whether there is more. If not, then as soon as there is, the
    /// source calls `waker` or writes to the socket itself.
    fn fill(&mut self, into: &mut Vec<u8>, room: usize, waker: &Waker) -> bool;

    /// Records that the socket accepted `written` bytes of `filled`. If this cuts a frame, appends the remainder of the
    /// frame to `rest`.
    fn taken(&mut self, filled: &[u8], written: usize, rest: &mut WriteBuffer);
}

/// A source without content.
pub(super) struct EmptySource;

impl FrameSource for EmptySource {
    fn fill(&mut self, _: &mut Vec<u8>, _: usize, _: &Waker) -> bool {
        false
    }

    fn taken(&mut self, _: &[u8], _: usize, _: &mut WriteBuffer) {}
}

/// Result of writing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PumpOutcome {
    /// Everything is written.
    Drained,
    /// The connection yields to other tasks and is woken again.
    Yielded,
    /// The socket is full. The task is woken when the socket can accept more.
    Blocked,
}

/// Reason why reading has ended.
#[derive(Debug)]
pub(super) enum ReadEnd {
    /// The peer closed the connection, and the reply to its close frame waits to be written.
    Closed,
    /// The connection is lost.
    Lost,
    /// The connection must be closed with this code, for example because the peer violated the WebSocket protocol.
    Fault(CloseCode),
}

/// One WebSocket connection after its handshake.
pub(super) struct WebSocketConnection {
    socket: Arc<SharedSocket>,
    context: WebSocketContext,
    /// Bytes that the HTTP server read past the handshake.
    leftover: Bytes,
    pub(super) out: WriteBuffer,
    write_bytes: usize,
    close_after: Duration,
    sent: u64,
    /// `None` for the echo endpoint, which is for tests.
    guard: Option<Box<ReadBudget>>,
    max_discarded: usize,
    end: Option<ClosingHandshake>,
}

struct ClosingHandshake {
    deadline: Pin<Box<Sleep>>,
    shut: bool,
    discarded: usize,
}

/// Maximum number of bytes that are read and discarded while a connection is being closed. If nothing were read, the
/// operating system would reset the connection, and the peer could miss the close frame. The number is bounded, because
/// a peer can send forever, and it is lower for an unidentified client.
const MAX_DISCARDED_BYTES: usize = 4 << 20;
const MAX_DISCARDED_STRANGER_BYTES: usize = 64 << 10;

/// Multiple of `max_frame_bytes` beyond which a message is not read to its end.
const HARD_LIMIT_FACTOR: usize = 4;

impl WebSocketConnection {
    pub(super) fn new(tcp: TcpStream, leftover: Bytes, settings: &SocketSettings) -> Self {
        let hard = settings.max_frame_bytes.saturating_mul(HARD_LIMIT_FACTOR);
        let config = WebSocketConfig::default()
            .read_buffer_size(settings.read_buffer_bytes)
            .write_buffer_size(0)
            .max_message_size(Some(hard))
            .max_frame_size(Some(hard));
        let context = WebSocketContext::new(Role::Server, Some(config));
        Self {
            socket: SharedSocket::new(tcp),
            context,
            leftover,
            out: WriteBuffer::default(),
            write_bytes: settings.write_bytes,
            close_after: Duration::from_secs(settings.close_seconds),
            sent: 0,
            guard: None,
            max_discarded: MAX_DISCARDED_BYTES,
            end: None,
        }
    }

    /// Creates a connection with limits. Its frames must be small until the client is identified.
    pub(super) fn guarded(
        tcp: TcpStream,
        leftover: Bytes,
        settings: Arc<SocketSettings>,
        unfinished: Arc<UnfinishedBudget>,
    ) -> Self {
        let mut connection = Self::new(tcp, leftover, &settings);
        connection.allow_messages_of(
            settings.max_hello_bytes.min(settings.max_frame_bytes.saturating_mul(HARD_LIMIT_FACTOR)),
        );
        connection.max_discarded = MAX_DISCARDED_STRANGER_BYTES;
        connection.guard = Some(Box::new(ReadBudget::new(settings, unfinished)));
        connection
    }

    /// Returns the socket, for feeds that write to it directly.
    pub(super) fn socket(&self) -> Arc<SharedSocket> {
        self.socket.clone()
    }

    /// Raises the limits once the client is identified.
    pub(super) fn identified(&mut self, who: ParticipantId, settings: &SocketSettings) {
        self.guard.iter_mut().for_each(|guard| guard.identified(who));
        self.allow_messages_of(settings.max_frame_bytes.saturating_mul(HARD_LIMIT_FACTOR));
        self.max_discarded = MAX_DISCARDED_BYTES;
    }

    fn allow_messages_of(&mut self, bytes: usize) {
        self.context.set_config(|config| {
            (config.max_message_size, config.max_frame_size) = (Some(bytes), Some(bytes));
        });
    }

    /// Starts a wake-up of this connection's task, with a new allowance of bytes to read.
    pub(super) fn begin_wakeup(&mut self) {
        self.guard.iter_mut().for_each(|guard| guard.begin());
    }

    /// Returns a warning for a client that exceeds its budget, but only occasionally.
    pub(super) fn warning(&mut self) -> Option<Problem> {
        self.guard.as_mut()?.warning()
    }

    /// Returns the close code if incoming data requires closing the connection, otherwise `None`.
    pub(super) fn violation(&self) -> Option<CloseCode> {
        self.guard.as_ref()?.violation()
    }

    /// Returns the number of bytes that the socket has accepted since the last call.
    pub(super) fn sent(&mut self) -> u64 {
        std::mem::take(&mut self.sent)
    }

    /// Returns the next message. The library queues a pong for each ping.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<Message, ReadEnd>> {
        loop {
            if let Some(guard) = &mut self.guard {
                ready!(guard.poll_ready(cx));
            }
            let guard = self.guard.as_deref_mut();
            let mut io =
                ConnectionIo { socket: &self.socket, leftover: &mut self.leftover, out: &mut self.out, guard, cx };
            return Poll::Ready(Err(match self.context.read(&mut io) {
                // The library has queued its reply. The next read writes it and then reports the end.
                Ok(Message::Close(_)) => continue,
                Ok(message) => {
                    self.guard.iter_mut().for_each(|guard| guard.message(&message));
                    return Poll::Ready(Ok(message));
                }
                Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => {
                    if self.guard.as_mut().is_some_and(|guard| guard.blocked(cx)) {
                        continue;
                    }
                    return Poll::Pending;
                }
                Err(Error::ConnectionClosed | Error::AlreadyClosed) => ReadEnd::Closed,
                Err(Error::Io(_) | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => ReadEnd::Lost,
                Err(Error::Utf8(_)) => ReadEnd::Fault(CloseCode::NotUtf8),
                Err(Error::Capacity(_)) => ReadEnd::Fault(CloseCode::TooLarge),
                Err(_) => ReadEnd::Fault(CloseCode::NotWebSocket),
            }));
        }
    }

    pub(super) fn ping(&mut self) {
        self.out.push(&[0x89, 0]);
    }

    /// Writes the connection's own bytes, then those of `source`, until the socket is full or the connection yields.
    pub(super) fn pump(&mut self, cx: &mut Context<'_>, source: &mut impl FrameSource) -> io::Result<PumpOutcome> {
        let remainder = self.socket.begin_write();
        if !remainder.is_empty() {
            self.out.push_front(remainder.into());
        }
        SCRATCH.with_borrow_mut(|scratch| self.pump_through(cx, source, scratch))
    }

    /// Allows feeds to write to the socket, because everything is written and the task goes to sleep.
    pub(super) fn allow_direct_writes(&self) {
        self.socket.allow_direct_writes();
    }

    fn pump_through(
        &mut self,
        cx: &mut Context<'_>,
        source: &mut impl FrameSource,
        scratch: &mut Vec<u8>,
    ) -> io::Result<PumpOutcome> {
        loop {
            // Do not gather bytes for a socket that is full.
            if self.socket.poll_write_ready(cx)?.is_pending() {
                return Ok(PumpOutcome::Blocked);
            }
            if self.out.len() > self.write_bytes {
                let Poll::Ready(written) = self.socket.poll_write(cx, self.out.front())? else { continue };
                self.count(written)?;
                self.out.advance(written);
                continue;
            }
            scratch.clear();
            let own = self.out.gather(scratch);
            let more = source.fill(scratch, self.write_bytes, cx.waker());
            if scratch.is_empty() {
                return Ok(PumpOutcome::Drained);
            }
            let poll = self.socket.poll_write(cx, scratch);
            let written = match poll {
                Poll::Ready(Ok(written)) => written,
                Poll::Ready(Err(error)) => return Err(error),
                Poll::Pending => 0,
            };
            self.out.advance(written.min(own));
            source.taken(&scratch[own..], written.saturating_sub(own), &mut self.out);
            let whole = written == scratch.len();
            if scratch.capacity() > self.write_bytes * 4 {
                *scratch = Vec::new();
            }
            if poll.is_pending() {
                return Ok(PumpOutcome::Blocked);
            }
            self.count(written)?;
            if whole && more {
                cx.waker().wake_by_ref();
                return Ok(PumpOutcome::Yielded);
            }
            if whole {
                return Ok(PumpOutcome::Drained);
            }
        }
    }

    fn count(&mut self, written: usize) -> io::Result<()> {
        self.sent += written as u64;
        if written == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(()) }
    }

    /// Sends a close frame. Nothing can be written after it.
    pub(super) fn close(&mut self, cx: &mut Context<'_>, code: CloseCode) {
        let mut io =
            ConnectionIo { socket: &self.socket, leftover: &mut self.leftover, out: &mut self.out, guard: None, cx };
        let frame = CloseFrame { code: code.number().into(), reason: code.reason().into() };
        // An error means that a close frame was already sent.
        let _ = self.context.close(&mut io, Some(frame));
        self.end();
    }

    /// Ends reading and new output. Queued output is still written.
    pub(super) fn end(&mut self) {
        let deadline = Box::pin(tokio::time::sleep(self.close_after));
        self.end.get_or_insert(ClosingHandshake { deadline, shut: false, discarded: 0 });
    }

    pub(super) fn is_ending(&self) -> bool {
        self.end.is_some()
    }

    /// Writes queued output, then waits for the peer's close, within the closing timeout.
    pub(super) fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.end();
        let pumped = if self.end.as_ref().is_some_and(|end| end.shut) {
            Ok(PumpOutcome::Drained)
        } else {
            self.pump(cx, &mut EmptySource)
        };
        let Some(end) = &mut self.end else { return Poll::Ready(()) };
        if end.deadline.as_mut().poll(cx).is_ready() || pumped.is_err() {
            return Poll::Ready(());
        }
        if matches!(pumped, Ok(PumpOutcome::Drained)) && !end.shut {
            if self.socket.shutdown().is_err() {
                return Poll::Ready(());
            }
            end.shut = true;
        }
        let mut bytes = [0; 1024];
        loop {
            match ready!(self.socket.poll_read(cx, &mut bytes)) {
                Ok(read) if read > 0 && end.discarded < self.max_discarded => end.discarded += read,
                _ => return Poll::Ready(()),
            }
        }
    }
}

/// The library's view of the connection. It reads from the socket and writes to the connection's own buffer.
struct ConnectionIo<'a, 'b> {
    socket: &'a SharedSocket,
    leftover: &'a mut Bytes,
    out: &'a mut WriteBuffer,
    guard: Option<&'a mut ReadBudget>,
    cx: &'a mut Context<'b>,
}

impl io::Read for ConnectionIo<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.guard.as_ref().is_some_and(|guard| !guard.may_read()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = self.read_any(into)?;
        self.guard.iter_mut().for_each(|guard| guard.read(count));
        Ok(count)
    }
}

impl ConnectionIo<'_, '_> {
    fn read_any(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.leftover.is_empty() {
            let n = self.leftover.len().min(into.len());
            self.leftover.copy_to_slice(&mut into[..n]);
            if self.leftover.is_empty() {
                // An empty slice would still keep the HTTP server's whole read buffer alive.
                *self.leftover = Bytes::new();
            }
            return Ok(n);
        }
        match self.socket.poll_read(self.cx, into) {
            Poll::Ready(read) => read,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl io::Write for ConnectionIo<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
