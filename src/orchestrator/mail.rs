//! What is sent to a live session, and how it is answered where the session cannot.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::refusal::Refusal;
use crate::kernel::{By, Command, State};
use crate::protocol::{Code, Problem};

/// What a session's orchestrator is asked.
#[allow(clippy::large_enum_variant, reason = "nearly all mail is a command, and is moved once")]
pub(super) enum Mail {
    /// With the time at which it was sent.
    Command {
        at: Instant,
        by: By,
        command: Command,
        reply: oneshot::Sender<Result<u64, Refusal>>,
    },
    State {
        reply: oneshot::Sender<Arc<State>>,
    },
}

impl Mail {
    /// Whether it is of the kind that there may be much of.
    pub(super) fn is_chat(&self) -> bool {
        matches!(self, Self::Command { command, .. } if !command.is_control())
    }

    /// Whoever asked for the state alone reads it from the store.
    pub(super) fn refuse(self, refusal: Refusal) {
        if let Self::Command { reply, .. } = self {
            let _ = reply.send(Err(refusal));
        }
    }
}

/// Answer what is in the box, and what comes as long as anybody can send.
pub(super) async fn refuse_all(mailbox: &mut mpsc::Receiver<Mail>, refusal: impl Fn() -> Refusal) {
    while let Some(mail) = mailbox.recv().await {
        mail.refuse(refusal());
    }
}

/// Answer what is in the box.
pub(super) fn refuse(mailbox: &mut mpsc::Receiver<Mail>, refusal: impl Fn() -> Refusal) {
    while let Ok(mail) = mailbox.try_recv() {
        mail.refuse(refusal());
    }
}

pub(super) fn crowded() -> Problem {
    Problem::new(Code::Busy, "too many commands are waiting for this session; send the same again").retry_after(1_000)
}
