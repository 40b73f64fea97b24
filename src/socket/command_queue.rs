//! The pending commands of one connection: concurrent for different sessions, in order for one session.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::task::JoinHandle;
use tracing::Instrument;

use super::SocketContext as Server;
use super::connection_log::ConnectionLog;
use crate::audit::RequestOrigin;
use crate::identity::Participant;
use crate::kernel::{CommandId, SessionId};
use crate::protocol::{CommandRequest, Problem};

/// The pending commands of one connection.
#[derive(Default)]
pub(super) struct CommandQueue {
    waiting: VecDeque<(SessionId, CommandId, CommandRequest)>,
    running: Vec<RunningCommand>,
}

struct RunningCommand {
    session: SessionId,
    id: CommandId,
    answer: JoinHandle<Result<u64, Problem>>,
}

impl CommandQueue {
    /// Returns the number of pending commands.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.running.len()
    }

    /// Adds a command. It starts at the next poll.
    pub(super) fn push(&mut self, session: SessionId, id: CommandId, request: CommandRequest) {
        self.waiting.push_back((session, id, request));
    }

    /// Starts all commands that can start, and returns the next result.
    pub(super) fn poll_reply(
        &mut self,
        server: &Arc<Server>,
        who: &Arc<Participant>,
        log: ConnectionLog,
        cx: &mut Context<'_>,
    ) -> Option<(SessionId, CommandId, Result<u64, Problem>)> {
        self.start(server, who, log);
        for index in 0..self.running.len() {
            if let Poll::Ready(answer) = Pin::new(&mut self.running[index].answer).poll(cx) {
                let RunningCommand { session, id, .. } = self.running.swap_remove(index);
                return Some((session, id, answer.unwrap_or_else(|error| Err(Problem::internal(error)))));
            }
        }
        if self.running.is_empty() {
            // An idle connection keeps no memory for commands.
            *self = Self::default();
        }
        None
    }

    fn start(&mut self, server: &Arc<Server>, who: &Arc<Participant>, log: ConnectionLog) {
        let mut index = 0;
        while let Some((session, ..)) = self.waiting.get(index) {
            // An earlier command of the session starts first, so the queue keeps the order within a session.
            if self.running.iter().any(|running| running.session == *session) {
                index += 1;
                continue;
            }
            let Some((session, id, request)) = self.waiting.remove(index) else { return };
            // A separate task, so that the command completes even if its sender disconnects (law 8).
            let (server, who, named) = (server.clone(), who.clone(), id.clone());
            let work = async move { server.dispatcher.submit(&who, session, named, request).await };
            let answer = tokio::spawn(RequestOrigin::current().scope(work).instrument(log.span()));
            self.running.push(RunningCommand { session, id, answer });
        }
    }
}
