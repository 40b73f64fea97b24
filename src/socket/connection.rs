//! One WebSocket connection: frames in through the library, bytes out through one buffer of its own and, behind that,
//! straight from whatever many connections share. It knows nothing of sessions.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, Role, WebSocketConfig, WebSocketContext};
use tokio_tungstenite::tungstenite::{Error, error::ProtocolError};

use super::SocketBounds;
use super::guard::Guard;
use super::outgoing::Outgoing;
use super::unfinished::UnfinishedBudget;
use crate::kernel::ParticipantId;
use crate::protocol::{CloseCode, Problem};

thread_local! {
    /// Where bytes are gathered for one write; one for each thread, because one for each connection would be most of
    /// the memory of an idle viewer.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What many connections share and this one writes from.
pub(super) trait Source {
    /// Append about `room` bytes of whole frames. Whether there is more. Where there is not, `waker` is called when
    /// there is.
    fn fill(&mut self, into: &mut Vec<u8>, room: usize, waker: &Waker) -> bool;

    /// Of what was filled in, the socket took `written` bytes; the rest of a frame that this cuts goes to `rest`.
    fn taken(&mut self, filled: &[u8], written: usize, rest: &mut Outgoing);
}

/// A source of nothing.
pub(super) struct Empty;

impl Source for Empty {
    fn fill(&mut self, _: &mut Vec<u8>, _: usize, _: &Waker) -> bool {
        false
    }

    fn taken(&mut self, _: &[u8], _: usize, _: &mut Outgoing) {}
}

/// How far writing came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pumped {
    /// Everything is written.
    Drained,
    /// It is somebody else's turn; the task is woken again.
    Yielded,
    /// The socket takes no more; the task is woken when it does.
    Blocked,
}

/// Why nothing more is read.
#[derive(Debug)]
pub(super) enum Ended {
    /// The peer closed, and the answer to that waits to be written.
    Closed,
    /// The connection is gone.
    Lost,
    /// The peer broke the WebSocket protocol so that it must be closed with this code.
    Fault(CloseCode),
}

/// One WebSocket connection after its handshake.
pub(super) struct Connection {
    tcp: TcpStream,
    context: WebSocketContext,
    /// What HTTP had read too much.
    leftover: Bytes,
    pub(super) out: Outgoing,
    write_bytes: usize,
    close_after: Duration,
    sent: u64,
    /// None for an echo, which is for tests.
    guard: Option<Box<Guard>>,
    max_discarded: usize,
    end: Option<End>,
}

struct End {
    deadline: Pin<Box<Sleep>>,
    shut: bool,
    discarded: usize,
}

/// Bytes of a peer that is being closed which are read and dropped: without that the kernel resets the connection and the
/// peer may never see the close frame. A peer that sends on for ever is not heard to its end, a stranger less far.
const DISCARDED: usize = 4 << 20;
const DISCARDED_OF_STRANGERS: usize = 64 << 10;

/// Times of `frame_bytes` from which on a frame is not read to its end.
const HARD: usize = 4;

impl Connection {
    pub(super) fn new(tcp: TcpStream, leftover: Bytes, bounds: &SocketBounds) -> Self {
        let hard = bounds.frame_bytes.saturating_mul(HARD);
        let config = WebSocketConfig::default()
            .read_buffer_size(bounds.read_bytes)
            .write_buffer_size(0)
            .max_message_size(Some(hard))
            .max_frame_size(Some(hard));
        let context = WebSocketContext::new(Role::Server, Some(config));
        Self {
            tcp,
            context,
            leftover,
            out: Outgoing::default(),
            write_bytes: bounds.write_bytes,
            close_after: Duration::from_secs(bounds.close_seconds),
            sent: 0,
            guard: None,
            max_discarded: DISCARDED,
            end: None,
        }
    }

    /// Of a client that may be anybody: a stranger's frames are small until it has said who it is.
    pub(super) fn guarded(
        tcp: TcpStream,
        leftover: Bytes,
        bounds: Arc<SocketBounds>,
        unfinished: Arc<UnfinishedBudget>,
    ) -> Self {
        let mut connection = Self::new(tcp, leftover, &bounds);
        connection.allow_messages_of(bounds.hello_bytes.min(bounds.frame_bytes.saturating_mul(HARD)));
        connection.max_discarded = DISCARDED_OF_STRANGERS;
        connection.guard = Some(Box::new(Guard::new(bounds, unfinished)));
        connection
    }

    /// The server knows who the client is.
    pub(super) fn identified(&mut self, who: ParticipantId, bounds: &SocketBounds) {
        self.guard.iter_mut().for_each(|guard| guard.identified(who));
        self.allow_messages_of(bounds.frame_bytes.saturating_mul(HARD));
        self.max_discarded = DISCARDED;
    }

    fn allow_messages_of(&mut self, bytes: usize) {
        self.context.set_config(|config| {
            (config.max_message_size, config.max_frame_size) = (Some(bytes), Some(bytes));
        });
    }

    /// It is this connection's turn: so much may be read before it is another's.
    pub(super) fn begin_turn(&mut self) {
        self.guard.iter_mut().for_each(|guard| guard.begin());
    }

    /// What a client that is over its budget is told, every now and then.
    pub(super) fn rebuke(&mut self) -> Option<Problem> {
        self.guard.as_mut()?.rebuke()
    }

    /// Why the connection has to be closed for what comes in, if it has.
    pub(super) fn wrong(&self) -> Option<CloseCode> {
        self.guard.as_ref()?.wrong()
    }

    /// Bytes that the socket took since this was last asked.
    pub(super) fn sent(&mut self) -> u64 {
        std::mem::take(&mut self.sent)
    }

    /// The next message; pings are answered here.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<Message, Ended>> {
        loop {
            if let Some(guard) = &mut self.guard {
                ready!(guard.poll_ready(cx));
            }
            let guard = self.guard.as_deref_mut();
            let mut io = Io { tcp: &mut self.tcp, leftover: &mut self.leftover, out: &mut self.out, guard, cx };
            return Poll::Ready(Err(match self.context.read(&mut io) {
                // The library has queued its answer, which the next reading writes before it says that this is the end.
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
                Err(Error::ConnectionClosed | Error::AlreadyClosed) => Ended::Closed,
                Err(Error::Io(_) | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => Ended::Lost,
                Err(Error::Utf8(_)) => Ended::Fault(CloseCode::NotUtf8),
                Err(Error::Capacity(_)) => Ended::Fault(CloseCode::TooLarge),
                Err(_) => Ended::Fault(CloseCode::NotWebSocket),
            }));
        }
    }

    pub(super) fn ping(&mut self) {
        self.out.push(&[0x89, 0]);
    }

    /// Write what is one's own, then what `source` has, as far as the socket takes it or it is somebody else's turn.
    pub(super) fn pump(&mut self, cx: &mut Context<'_>, source: &mut impl Source) -> io::Result<Pumped> {
        SCRATCH.with_borrow_mut(|scratch| self.pump_through(cx, source, scratch))
    }

    fn pump_through(
        &mut self,
        cx: &mut Context<'_>,
        source: &mut impl Source,
        scratch: &mut Vec<u8>,
    ) -> io::Result<Pumped> {
        loop {
            // Gathering bytes for a socket that is full would be for nothing.
            if self.tcp.poll_write_ready(cx)?.is_pending() {
                return Ok(Pumped::Blocked);
            }
            if self.out.len() > self.write_bytes {
                let Poll::Ready(written) = Pin::new(&mut self.tcp).poll_write(cx, self.out.front())? else { continue };
                self.count(written)?;
                self.out.advance(written);
                continue;
            }
            scratch.clear();
            let own = self.out.gather(scratch);
            let more = source.fill(scratch, self.write_bytes, cx.waker());
            if scratch.is_empty() {
                return Ok(Pumped::Drained);
            }
            let poll = Pin::new(&mut self.tcp).poll_write(cx, scratch);
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
                return Ok(Pumped::Blocked);
            }
            self.count(written)?;
            if whole && more {
                cx.waker().wake_by_ref();
                return Ok(Pumped::Yielded);
            }
            if whole {
                return Ok(Pumped::Drained);
            }
        }
    }

    fn count(&mut self, written: usize) -> io::Result<()> {
        self.sent += written as u64;
        if written == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(()) }
    }

    /// Say why the connection ends. Nothing may be written after it.
    pub(super) fn close(&mut self, cx: &mut Context<'_>, code: CloseCode) {
        let mut io = Io { tcp: &mut self.tcp, leftover: &mut self.leftover, out: &mut self.out, guard: None, cx };
        let frame = CloseFrame { code: code.number().into(), reason: code.reason().into() };
        // An error means that a close frame went out before.
        let _ = self.context.close(&mut io, Some(frame));
        self.end();
    }

    /// Nothing more is read or said; what waits is still written.
    pub(super) fn end(&mut self) {
        let deadline = Box::pin(tokio::time::sleep(self.close_after));
        self.end.get_or_insert(End { deadline, shut: false, discarded: 0 });
    }

    pub(super) fn is_ending(&self) -> bool {
        self.end.is_some()
    }

    /// Write what waits, then hear the peer's end, within the time for that.
    pub(super) fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.end();
        let pumped =
            if self.end.as_ref().is_some_and(|end| end.shut) { Ok(Pumped::Drained) } else { self.pump(cx, &mut Empty) };
        let Some(end) = &mut self.end else { return Poll::Ready(()) };
        if end.deadline.as_mut().poll(cx).is_ready() || pumped.is_err() {
            return Poll::Ready(());
        }
        if matches!(pumped, Ok(Pumped::Drained)) && !end.shut {
            if ready!(Pin::new(&mut self.tcp).poll_shutdown(cx)).is_err() {
                return Poll::Ready(());
            }
            end.shut = true;
        }
        let mut bytes = [0; 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut bytes);
            match ready!(Pin::new(&mut self.tcp).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() && end.discarded < self.max_discarded => {
                    end.discarded += buffer.filled().len();
                }
                _ => return Poll::Ready(()),
            }
        }
    }
}

/// The library's view of the connection: it reads from the socket and writes into the connection's own buffer.
struct Io<'a, 'b> {
    tcp: &'a mut TcpStream,
    leftover: &'a mut Bytes,
    out: &'a mut Outgoing,
    guard: Option<&'a mut Guard>,
    cx: &'a mut Context<'b>,
}

impl io::Read for Io<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.guard.as_ref().is_some_and(|guard| !guard.may_read()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = self.read_any(into)?;
        self.guard.iter_mut().for_each(|guard| guard.read(count));
        Ok(count)
    }
}

impl Io<'_, '_> {
    fn read_any(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.leftover.is_empty() {
            let n = self.leftover.len().min(into.len());
            self.leftover.copy_to_slice(&mut into[..n]);
            if self.leftover.is_empty() {
                // It holds on to HTTP's whole read buffer.
                *self.leftover = Bytes::new();
            }
            return Ok(n);
        }
        let mut buffer = ReadBuf::new(into);
        match Pin::new(&mut *self.tcp).poll_read(self.cx, &mut buffer)? {
            Poll::Ready(()) => Ok(buffer.filled().len()),
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl io::Write for Io<'_, '_> {
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
