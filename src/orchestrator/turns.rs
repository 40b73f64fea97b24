//! The turns that run for one session: each in a task of its own, each result a command.

use std::{collections::HashMap, sync::Arc};

use tokio::task::{Id, JoinError, JoinSet};

use crate::agent::{self, Completion, Failure, Mind, ToolCall, TurnRequest};
use crate::feed::Feed;
use crate::kernel::{Command, MessageId, State, StepError, Unfinished, Wanted};
use crate::tool::{Offer, Toolbox};

/// A command that the session's own work led to, with the seq of the event that asked for it.
pub(super) struct FollowUp {
    pub(super) cause: Option<u64>,
    pub(super) command: Command,
}

/// The running turns.
pub(super) struct Turns {
    minds: Arc<dyn Mind>,
    toolbox: Toolbox,
    feed: Arc<Feed>,
    tasks: JoinSet<Ended>,
    running: HashMap<Id, Running>,
}

type Ended = Result<Completion, (Failure, Unfinished)>;

struct Running {
    message: MessageId,
    attempt: u32,
    failures: u32,
    cause: u64,
    request: TurnRequest,
}

impl Turns {
    pub(super) fn new(minds: Arc<dyn Mind>, toolbox: Toolbox, feed: Arc<Feed>) -> Self {
        Self { minds, toolbox, feed, tasks: JoinSet::new(), running: HashMap::new() }
    }

    /// Ask the agent's model for the item's turn; fragments go to the feed as they come.
    pub(super) fn start(&mut self, state: &State, message: MessageId, attempt: u32, cause: u64) {
        let item = state.view().active_run().and_then(|run| run.item(message)).filter(|item| item.attempt == attempt);
        let Some(item) = item else { return };
        let mut request = agent::request(state.view(), item);
        Offer { tools: request.tools, choice: request.tool_choice } = self.toolbox.offer(state.view(), item);
        let (minds, feed, asked) = (self.minds.clone(), self.feed.clone(), request.clone());
        let turn = async move {
            let mut show = |text: &str| feed.delta(message, attempt, text);
            match minds.turn(asked.clone(), &mut show).await {
                Ok(answer) => Ok(answer),
                Err(failure) => Err((failure, unfinished(&*minds, &feed, message, Some(asked)).await)),
            }
        };
        let handle = self.tasks.spawn(turn);
        let failures = item.failures;
        self.running.insert(handle.id(), Running { message, attempt, failures, cause, request });
    }

    /// The result of the turn that ends next; waits for ever where none runs.
    pub(super) async fn next(&mut self) -> FollowUp {
        loop {
            match self.tasks.join_next_with_id().await {
                Some(ended) => {
                    if let Some(follow_up) = self.follow_up(ended) {
                        return follow_up;
                    }
                }
                None => std::future::pending().await,
            }
        }
    }

    /// Drop every turn, which closes the connections to the models: nobody pays for tokens that nobody wants. Comes back
    /// once none runs, with the results of those that were quicker, and what the others had been asked.
    pub(super) async fn stop(&mut self) -> (Vec<FollowUp>, HashMap<MessageId, TurnRequest>) {
        self.tasks.abort_all();
        let mut quicker = vec![];
        while let Some(ended) = self.tasks.join_next_with_id().await {
            quicker.extend(self.follow_up(ended));
        }
        let dropped = self.running.drain().map(|(_, running)| (running.message, running.request));
        (quicker, dropped.collect())
    }

    /// What an item leaves that does not come to its end; `dropped` is what was asked where a turn was under way.
    pub(super) async fn unfinished(&self, message: MessageId, dropped: Option<TurnRequest>) -> Unfinished {
        unfinished(&*self.minds, &self.feed, message, dropped).await
    }

    fn follow_up(&mut self, ended: Result<(Id, Ended), JoinError>) -> Option<FollowUp> {
        let (id, result) = match ended {
            Ok(ended) => ended,
            Err(error) if error.is_cancelled() => return None,
            Err(error) => {
                tracing::error!(%error, "a turn panicked");
                let message = "something went wrong in the server while the agent wrote; say it again to try again";
                let error_of_run = StepError { code: "internal".into(), message: message.into() };
                let failure = Failure { error: error_of_run, retryable: false, retry_after_ms: None };
                let message = self.running.get(&error.id())?.message;
                (error.id(), Err((failure, Unfinished { message, text: partial(&self.feed, message), usage: None })))
            }
        };
        let Running { message, attempt, failures, cause, .. } = self.running.remove(&id)?;
        let command = match result {
            Ok(answer) => {
                let wanted = |call: ToolCall| Wanted { name: call.name, arguments: call.arguments };
                let calls = answer.tool_calls.into_iter().map(wanted).collect();
                Command::TurnCompleted { message, attempt, text: answer.text.into(), calls, usage: answer.usage }
            }
            Err((Failure { error, retryable, retry_after_ms }, left)) => {
                let retry_in = retryable.then(|| self.minds.backoff(failures + 1, retry_after_ms));
                Command::TurnFailed { attempt, error, retry_in, left }
            }
        };
        Some(FollowUp { cause: Some(cause), command })
    }
}

async fn unfinished(minds: &dyn Mind, feed: &Feed, message: MessageId, asked: Option<TurnRequest>) -> Unfinished {
    let text = partial(feed, message);
    let usage = match asked {
        Some(request) => minds.estimate(request, &text).await,
        None => None,
    };
    Unfinished { message, text, usage }
}

/// What an item has written so far, as the viewers have seen it.
fn partial(feed: &Feed, message: MessageId) -> Arc<str> {
    feed.partial(message).map_or_else(|| "".into(), |(_, text)| text)
}
