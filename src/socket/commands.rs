//! The commands of one connection that wait for their answer: side by side for different sessions, in order for one.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::task::JoinHandle;

use super::Context as Server;
use crate::audit::Origin;
use crate::identity::Participant;
use crate::kernel::{Command, CommandId, SessionId};
use crate::protocol::Problem;

/// The commands of one connection that wait for their answer.
#[derive(Default)]
pub(super) struct Commands {
    waiting: VecDeque<(SessionId, CommandId, Command)>,
    running: Vec<Running>,
}

struct Running {
    session: SessionId,
    id: CommandId,
    answer: JoinHandle<Result<u64, Problem>>,
}

impl Commands {
    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.running.len()
    }

    /// Take a command in; it starts with the next polling.
    pub(super) fn push(&mut self, session: SessionId, id: CommandId, command: Command) {
        self.waiting.push_back((session, id, command));
    }

    /// Start what can start, and the next answer.
    pub(super) fn poll_answer(
        &mut self,
        server: &Arc<Server>,
        who: &Arc<Participant>,
        cx: &mut Context<'_>,
    ) -> Option<(SessionId, CommandId, Result<u64, Problem>)> {
        self.start(server, who);
        for index in 0..self.running.len() {
            if let Poll::Ready(answer) = Pin::new(&mut self.running[index].answer).poll(cx) {
                let Running { session, id, .. } = self.running.swap_remove(index);
                return Some((session, id, answer.unwrap_or_else(|error| Err(Problem::internal(error)))));
            }
        }
        if self.running.is_empty() {
            // An idle connection keeps no room for commands.
            *self = Self::default();
        }
        None
    }

    fn start(&mut self, server: &Arc<Server>, who: &Arc<Participant>) {
        let mut index = 0;
        while let Some((session, ..)) = self.waiting.get(index) {
            // One of an earlier place in the queue starts first, so the queue keeps the order within a session.
            if self.running.iter().any(|running| running.session == *session) {
                index += 1;
                continue;
            }
            let Some((session, id, command)) = self.waiting.remove(index) else { return };
            // A task of its own: that its sender goes away does not decide what becomes of a command (law 8).
            let (server, who, named) = (server.clone(), who.clone(), id.clone());
            let work = async move { server.reception.carry_out(&who, session, named, command).await };
            let answer = tokio::spawn(Origin::current().scope(work));
            self.running.push(Running { session, id, answer });
        }
    }
}
