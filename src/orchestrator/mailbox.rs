//! Messages to a live session, and their rejection if the session cannot handle them.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::error::SubmitError;
use crate::kernel::{Command, CommandSender, State};
use crate::protocol::{Code, Problem};

/// A message to a session's orchestrator.
#[allow(clippy::large_enum_variant, reason = "nearly all mail is a command, and is moved once")]
pub(super) enum MailboxMessage {
    /// A command, with the time at which it was sent.
    Command {
        at: Instant,
        by: CommandSender,
        command: Command,
        reply: oneshot::Sender<Result<u64, SubmitError>>,
    },
    State {
        reply: oneshot::Sender<Arc<State>>,
    },
}

impl MailboxMessage {
    /// Returns whether the message counts as chat, of which there can be a flood.
    pub(super) fn is_chat(&self) -> bool {
        matches!(self, Self::Command { command, .. } if !command.is_control())
    }

    /// Rejects a command. A request for the state needs no rejection, because its sender then reads the store.
    pub(super) fn refuse(self, refusal: SubmitError) {
        if let Self::Command { reply, .. } = self {
            let _ = reply.send(Err(refusal));
        }
    }
}

/// Rejects all queued messages, and those that arrive until all senders are dropped.
pub(super) async fn refuse_all(mailbox: &mut mpsc::Receiver<MailboxMessage>, refusal: impl Fn() -> SubmitError) {
    while let Some(mail) = mailbox.recv().await {
        mail.refuse(refusal());
    }
}

/// Rejects all queued messages.
pub(super) fn refuse(mailbox: &mut mpsc::Receiver<MailboxMessage>, refusal: impl Fn() -> SubmitError) {
    while let Ok(mail) = mailbox.try_recv() {
        mail.refuse(refusal());
    }
}

pub(super) fn mailbox_full() -> Problem {
    Problem::new(Code::Busy, "too many commands are waiting for this session; retry").retry_after(1_000)
}
