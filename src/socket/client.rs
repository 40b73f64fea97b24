//! One client behind a connection: its identity, its sessions and its pending commands.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::SocketContext as Server;
use super::client_frame::{self, FrameError};
use super::command_queue::CommandQueue;
use super::connection::{PumpOutcome, ReadEnd, WebSocketConnection};
use super::connection_log::ConnectionLog;
use super::context::ConnectionCountGuard;
use super::heartbeat::{Heartbeat, HeartbeatAction};
use super::pending_reply::PendingReply;
use super::subscription_set::SubscriptionSet;
use super::unidentified_connections::UnidentifiedPermit;
use crate::identity::{CredentialProof, Participant, RevocationGuard};
use crate::protocol::{
    ClientFrame, CloseCode, Code, CommandFrame, JoinFrame, LeaveFrame, Problem, ServerFrame, SignalFrame,
};

/// Maximum number of frames that are read before the task yields.
const MAX_WAKEUP_FRAMES: u32 = 16;

/// One client behind a connection.
pub(super) struct SocketClient {
    pub(super) server: Arc<Server>,
    pub(super) log: ConnectionLog,
    /// Dropped before the connection. Otherwise the feeds would close the socket while they are locked.
    sessions: SubscriptionSet,
    pub(super) connection: WebSocketConnection,
    pub(super) who: Option<Arc<Participant>>,
    pub(super) pending: Option<PendingReply>,
    commands: CommandQueue,
    pub(super) heartbeat: Heartbeat,
    /// Completes when the server closes its sockets, or when the client's credential ends.
    pub(super) shutdown: Pin<Box<WaitForCancellationFutureOwned>>,
    pub(super) revocation: Option<RevocationGuard>,
    refused: u32,
    /// Number of unknown tokens that the client has sent.
    pub(super) unknown_tokens: u32,
    /// Frames that can still be read before the task yields.
    frames: u32,
    _counted: ConnectionCountGuard,
    /// Slot among the unidentified connections from the client's address, until the client is identified.
    pub(super) unidentified: Option<UnidentifiedPermit>,
}

/// Result of one poll: whether there is more to do immediately.
enum WakeupOutcome {
    Again,
    Rest,
}

impl SocketClient {
    pub(super) fn new(
        server: Arc<Server>,
        connection: WebSocketConnection,
        who: Option<(Participant, CredentialProof)>,
        log: ConnectionLog,
        (counted, unidentified): (ConnectionCountGuard, Option<UnidentifiedPermit>),
    ) -> Self {
        let heartbeat = Heartbeat::new(&server.settings, who.is_some());
        // A separate token: polling a shared one takes a lock that all connections would share.
        let shutdown = Box::pin(server.shutdown.child_token().cancelled_owned());
        let mut client = Self {
            server,
            log,
            sessions: SubscriptionSet::default(),
            connection,
            who: None,
            pending: None,
            commands: CommandQueue::default(),
            heartbeat,
            shutdown,
            revocation: None,
            refused: 0,
            unknown_tokens: 0,
            frames: 0,
            _counted: counted,
            unidentified,
        };
        if let Some((who, proof)) = who {
            client.welcome(who, proof);
        }
        client
    }

    /// Serves the client until its connection ends.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.frames = MAX_WAKEUP_FRAMES;
        self.connection.begin_wakeup();
        for _ in 0..16 {
            if self.connection.is_ending() {
                self.sessions.clear();
                return self.connection.poll_end(cx);
            }
            match self.poll_once(cx) {
                // A client that never stops sending must not block its core for all others.
                Ok(WakeupOutcome::Again) if self.frames == 0 => break,
                Ok(WakeupOutcome::Again) => {}
                Ok(WakeupOutcome::Rest) => return Poll::Pending,
                Err(ReadEnd::Lost) => {
                    self.log.lost();
                    return Poll::Ready(());
                }
                Err(ReadEnd::Closed) => {
                    self.log.closed_by_client();
                    self.connection.end();
                }
                Err(ReadEnd::Fault(code)) => self.close(cx, code),
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn poll_once(&mut self, cx: &mut Context<'_>) -> Result<WakeupOutcome, ReadEnd> {
        let mut again = self.poll_pending(cx)?;
        self.poll_commands(cx);
        again |= self.poll_frames(cx)?;
        if let Some(problem) = self.connection.warning() {
            self.send_error(problem.into());
        }
        // Checked after the frames, so that the connection of a client that has just been identified also ends with its
        // credential.
        if let Some(code) = self.poll_time(cx) {
            self.close(cx, code);
            return Ok(WakeupOutcome::Again);
        }
        let max_bytes = self.server.settings.max_waiting_response_bytes;
        again |= self.sessions.poll(&mut self.connection.out, max_bytes, self.log, cx);
        let pumped = self.connection.pump(cx, &mut self.sessions).map_err(|_| ReadEnd::Lost)?;
        let sent = self.connection.sent();
        if sent > 0 {
            self.server.traffic.sent_bytes.fetch_add(sent, Ordering::Relaxed);
        }
        if sent > 0 || pumped == PumpOutcome::Drained {
            self.heartbeat.moved();
        }
        match pumped {
            PumpOutcome::Drained if again || self.sessions.needs_poll() || !self.connection.out.is_empty() => {
                Ok(WakeupOutcome::Again)
            }
            PumpOutcome::Drained => {
                // While a command is pending, its events wait for this task, which writes them together with the
                // acknowledgement. Two separate writes would cost the sender another wake-up and a page another render.
                if self.commands.len() == 0 {
                    self.connection.allow_direct_writes();
                }
                Ok(WakeupOutcome::Rest)
            }
            PumpOutcome::Yielded => Ok(WakeupOutcome::Rest),
            PumpOutcome::Blocked => {
                self.heartbeat.blocked();
                Ok(WakeupOutcome::Rest)
            }
        }
    }

    fn poll_time(&mut self, cx: &mut Context<'_>) -> Option<CloseCode> {
        if self.shutdown.as_mut().poll(cx).is_ready() {
            if !self.server.shutdown.is_cancelled() {
                return Some(CloseCode::Revoked);
            }
            self.heartbeat.drain(Duration::from_millis(self.server.settings.drain_ms));
        }
        while let Some(due) = self.heartbeat.poll(&self.server.settings, cx) {
            match due {
                HeartbeatAction::Close(code) => return Some(code),
                HeartbeatAction::Ping => {
                    self.refused = 0;
                    self.connection.ping();
                }
            }
        }
        let abuse = (self.refused > self.server.settings.max_refused_frames).then_some(CloseCode::Abuse);
        abuse.or_else(|| self.connection.violation())
    }

    /// Polls the operation that reading waits for, if any. Returns whether an operation completed.
    fn poll_pending(&mut self, cx: &mut Context<'_>) -> Result<bool, ReadEnd> {
        match &mut self.pending {
            None => return Ok(false),
            Some(PendingReply::Hello(proof, answer)) => {
                let proof = *proof;
                let Poll::Ready(answer) = answer.as_mut().poll(cx) else { return Ok(false) };
                self.finish_hello(answer, proof)?;
            }
            Some(PendingReply::Join(session, answer)) => {
                let Poll::Ready(answer) = answer.as_mut().poll(cx) else { return Ok(false) };
                match answer {
                    Ok(mut joined) => {
                        joined.subscription.viewer.set_writer(self.connection.socket());
                        self.log.joined(joined.subscription.id);
                        joined.say(&mut self.connection.out);
                        self.sessions.add(joined.subscription);
                    }
                    Err(problem) => {
                        let session = Some(*session);
                        self.log.record_denial(&self.server, self.who.as_deref(), session, &problem);
                        self.refuse(FrameError { id: None, session, problem });
                    }
                }
            }
        }
        self.pending = None;
        Ok(true)
    }

    fn poll_commands(&mut self, cx: &mut Context<'_>) {
        let Some(who) = &self.who else { return };
        while let Some((session, id, answer)) = self.commands.poll_reply(&self.server, who, self.log, cx) {
            let frame = match answer {
                Ok(seq) => ServerFrame::Ack { session, id, seq },
                Err(problem) => {
                    self.log.record_denial(&self.server, Some(who), Some(session), &problem);
                    ServerFrame::Error { id: Some(id), session: Some(session), error: *problem.0 }
                }
            };
            self.connection.out.push_text(&frame.encode());
        }
    }

    /// Reads the client's frames. Returns whether more frames might be available now.
    fn poll_frames(&mut self, cx: &mut Context<'_>) -> Result<bool, ReadEnd> {
        while self.frames > 0 {
            if self.pending.is_some() {
                // A new operation must be polled once, so that its completion wakes this task.
                if !self.poll_pending(cx)? {
                    return Ok(false);
                }
                continue;
            }
            if self.connection.out.len() > self.server.settings.max_waiting_response_bytes {
                // Continue reading as soon as these responses are written.
                return Ok(true);
            }
            let Poll::Ready(message) = self.connection.poll_read(cx) else { return Ok(false) };
            self.frames -= 1;
            self.heartbeat.message_received();
            match message? {
                Message::Text(text) if text.len() <= self.server.settings.max_frame_bytes => self.frame(&text, cx),
                Message::Text(text) => {
                    self.refuse(client_frame::too_large(&text, self.server.settings.max_frame_bytes))
                }
                Message::Binary(_) => {
                    self.refuse(Problem::new(Code::BinaryFrame, "binary frames are not supported; send JSON as text"));
                }
                _ => {}
            }
        }
        Ok(true)
    }

    fn frame(&mut self, text: &str, cx: &mut Context<'_>) {
        match client_frame::parse(text).and_then(|frame| self.act(frame)) {
            Ok(()) => self.poll_commands(cx),
            Err(error) => self.refuse(error),
        }
    }

    fn act(&mut self, frame: ClientFrame) -> Result<(), FrameError> {
        let who = match (&self.who, frame) {
            (_, ClientFrame::Ping {}) => {
                self.connection.out.push_text(&ServerFrame::Pong.encode());
                return Ok(());
            }
            (known, ClientFrame::Hello(hello)) => return Ok(self.hello(known.is_some(), hello.token)?),
            (None, _) => {
                let message = "this connection is not identified; send {\"type\":\"hello\",\"token\":\"…\"} first";
                return Err(Problem::new(Code::Unauthenticated, message).into());
            }
            (Some(who), frame) => (who.clone(), frame),
        };
        let (who, frame) = who;
        match frame {
            // The client continues on another node, so close immediately.
            ClientFrame::Join(_) if self.server.stopping.is_cancelled() => self.heartbeat.drain(Duration::ZERO),
            ClientFrame::Join(JoinFrame { session, after, at, .. }) => {
                let frame_error = |problem| FrameError { id: None, session: Some(session), problem };
                self.server.dispatcher.limits.join(&*who).map_err(frame_error)?;
                self.sessions.make_room(session, self.server.settings.max_joined_sessions).map_err(frame_error)?;
                self.pending = Some(PendingReply::join(&self.server, self.log, who, session, after, at));
            }
            ClientFrame::Leave(LeaveFrame { session, .. }) => {
                let frame_error = |problem| FrameError { id: None, session: Some(session), problem };
                self.sessions.leave(session).map_err(frame_error)?;
                self.log.left(session);
            }
            ClientFrame::Signal(SignalFrame { session, name, data, .. }) => {
                let problem = |problem| FrameError { id: None, session: Some(session), problem };
                let feed = self.sessions.feed(session).map_err(problem)?;
                let data =
                    super::signal::check(&name, data, &who, self.server.settings.max_signal_bytes).map_err(problem)?;
                if self.server.dispatcher.limits.signal(who.id) {
                    feed.signal(&name, data);
                }
            }
            ClientFrame::Command(frame) => self.command(&who, &frame).map_err(|problem| FrameError {
                id: Some(frame.id.clone()),
                session: frame.session,
                problem,
            })?,
            ClientFrame::Hello(_) | ClientFrame::Ping {} => {}
        }
        Ok(())
    }

    fn command(&mut self, who: &Participant, frame: &CommandFrame) -> Result<(), Problem> {
        let session =
            frame.session.ok_or_else(|| Problem::new(Code::BadFrame, "the command has no session; set session"))?;
        self.sessions.feed(session)?;
        if self.commands.len() >= self.server.settings.max_waiting_commands {
            let message = "too many commands of this connection are pending; wait for some of them";
            return Err(Problem::new(Code::Busy, message).retry_after(100));
        }
        let (id, request) = self.server.dispatcher.read(who, frame)?;
        self.commands.push(session, id, request);
        Ok(())
    }

    fn close(&mut self, cx: &mut Context<'_>, code: CloseCode) {
        self.log.closed(code);
        self.connection.close(cx, code);
    }

    pub(super) fn refuse(&mut self, error: impl Into<FrameError>) {
        self.refused += 1;
        self.send_error(error.into());
    }

    fn send_error(&mut self, FrameError { id, session, problem }: FrameError) {
        self.connection.out.push_text(&ServerFrame::Error { id, session, error: *problem.0 }.encode());
    }
}
