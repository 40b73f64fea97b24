//! What calls want to know of people while they are made: each a command, each answer told to the call that waits for it.

use std::collections::HashMap;
use std::future::poll_fn;
use std::task::{Context, Poll};

use async_trait::async_trait;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::kernel::{CallId, Command, Inquiry, Reply};
use crate::tool::People;

/// Questions that are on their way to the orchestrator; whoever asks more waits.
const ON_THE_WAY: usize = 16;

/// The questions of a session's calls.
pub(super) struct Inquiries {
    ask: mpsc::Sender<Asked>,
    asked: mpsc::Receiver<Asked>,
    waiting: HashMap<CallId, Waiting>,
}

struct Asked {
    call: CallId,
    inquiry: Inquiry,
    waiting: Waiting,
}

struct Waiting {
    attempt: u32,
    reply: oneshot::Sender<Reply>,
}

impl Inquiries {
    pub(super) fn new() -> Self {
        let (ask, asked) = mpsc::channel(ON_THE_WAY);
        Self { ask, asked, waiting: HashMap::new() }
    }

    /// The people, for one attempt at a call.
    pub(super) fn of(&self, call: CallId, attempt: u32) -> impl People + use<> {
        Asker { call, attempt, ask: self.ask.clone(), turn: Mutex::new(()) }
    }

    /// What a call wants to know next, or does not want to know any more.
    pub(super) async fn next(&mut self) -> Command {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Command> {
        let gone = |(call, waiting): (&CallId, &mut Waiting)| {
            waiting.reply.poll_closed(context).is_ready().then_some((*call, waiting.attempt))
        };
        if let Some((call, attempt)) = self.waiting.iter_mut().find_map(gone) {
            self.waiting.remove(&call);
            return Poll::Ready(Command::CallAsksNoMore { call, attempt });
        }
        // It holds a sender itself, so there is no end of it.
        let Poll::Ready(Some(Asked { call, inquiry, waiting })) = self.asked.poll_recv(context) else {
            return Poll::Pending;
        };
        let attempt = waiting.attempt;
        self.waiting.insert(call, waiting);
        Poll::Ready(Command::CallAsks { call, attempt, inquiry })
    }

    pub(super) fn tell(&mut self, call: CallId, reply: Reply) {
        if let Some(waiting) = self.waiting.remove(&call) {
            let _ = waiting.reply.send(reply);
        }
    }
}

struct Asker {
    call: CallId,
    attempt: u32,
    ask: mpsc::Sender<Asked>,
    /// Whoever asks two things at once is answered one after the other.
    turn: Mutex<()>,
}

#[async_trait]
impl People for Asker {
    async fn ask(&self, inquiry: Inquiry) -> Reply {
        let _turn = self.turn.lock().await;
        let (reply, answer) = oneshot::channel();
        let asked = Asked { call: self.call, inquiry, waiting: Waiting { attempt: self.attempt, reply } };
        if self.ask.send(asked).await.is_err() {
            return Reply::Cancelled;
        }
        answer.await.unwrap_or(Reply::Cancelled)
    }
}
