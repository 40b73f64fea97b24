//! Mailbox messages to a live session, and their rejection if the session cannot handle them.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::error::SubmitError;
use crate::kernel::{Command, CommandSender, Envelope, State, Timestamp};
use crate::protocol::{Code, Problem};

/// A message to a session's orchestrator.
#[allow(clippy::large_enum_variant, reason = "nearly all mail is a command, and is moved once")]
pub(super) enum MailboxMessage {
    Command(WaitingCommand),
    State { reply: oneshot::Sender<Arc<State>> },
}

/// A command that waits for its decision.
pub(super) struct WaitingCommand {
    /// Time at which the command was sent.
    pub(super) at: Instant,
    pub(super) by: CommandSender,
    pub(super) command: Command,
    /// Channel for the result. Dropped without a result if the session is elsewhere.
    pub(super) reply: oneshot::Sender<Result<u64, SubmitError>>,
}

impl WaitingCommand {
    /// Returns the command for the core loop, and its sender.
    pub(super) fn into_envelope(self) -> (Envelope, WaitingSender) {
        let Self { at, by, command, reply } = self;
        (Envelope { at: Timestamp::default(), by, command }, WaitingSender { at, reply })
    }
}

impl From<(Envelope, WaitingSender)> for WaitingCommand {
    fn from((Envelope { by, command, .. }, WaitingSender { at, reply }): (Envelope, WaitingSender)) -> Self {
        Self { at, by, command, reply }
    }
}

/// The sender of a command, who waits for its result.
pub(super) struct WaitingSender {
    at: Instant,
    pub(super) reply: oneshot::Sender<Result<u64, SubmitError>>,
}

impl MailboxMessage {
    /// Returns whether the message counts as chat, which can arrive in floods: a command that is not a control.
    pub(super) fn is_chat(&self) -> bool {
        matches!(self, Self::Command(waiting) if !waiting.command.is_control())
    }

    /// Rejects a command. A request for the state needs no rejection, because its sender then reads the store.
    pub(super) fn refuse(self, error: SubmitError) {
        if let Self::Command(waiting) = self {
            let _ = waiting.reply.send(Err(error));
        }
    }
}

/// Rejects all queued messages, and those that arrive until all senders are dropped.
pub(super) async fn refuse_all(mailbox: &mut mpsc::Receiver<MailboxMessage>, error: impl Fn() -> SubmitError) {
    while let Some(mail) = mailbox.recv().await {
        mail.refuse(error());
    }
}

/// Rejects all queued messages.
pub(super) fn refuse(mailbox: &mut mpsc::Receiver<MailboxMessage>, error: impl Fn() -> SubmitError) {
    while let Ok(mail) = mailbox.try_recv() {
        mail.refuse(error());
    }
}

pub(super) fn mailbox_full() -> Problem {
    Problem::new(Code::Busy, "too many commands are waiting for this session; retry").retry_after(1_000)
}
