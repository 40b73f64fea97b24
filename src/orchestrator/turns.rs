//! The turns that run for one session: each in a task of its own, each result a command.

use std::{collections::HashMap, sync::Arc};

use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use crate::agent::{self, Answer, Failure, Models};
use crate::feed::Feed;
use crate::kernel::{Command, MessageId, State, StepError};

/// A command that the session's own work led to, with the seq of the event that asked for it.
pub(super) struct Outcome {
    pub(super) cause: Option<u64>,
    pub(super) command: Command,
}

/// The running turns.
pub(super) struct Turns {
    models: Models,
    feed: Arc<Feed>,
    tasks: JoinSet<Result<Answer, Failure>>,
    running: HashMap<Id, Running>,
}

struct Running {
    message: MessageId,
    attempt: u32,
    failures: u32,
    cause: u64,
    handle: AbortHandle,
}

impl Turns {
    pub(super) fn new(models: Models, feed: Arc<Feed>) -> Self {
        Self { models, feed, tasks: JoinSet::new(), running: HashMap::new() }
    }

    /// Ask the agent's model for the item's turn; fragments go to the feed as they come.
    pub(super) fn start(&mut self, state: &State, message: MessageId, attempt: u32, cause: u64) {
        let item = state.view().active_run().and_then(|run| run.item(message)).filter(|item| item.attempt == attempt);
        let Some(item) = item else { return };
        let request = agent::request(state.view(), item);
        let (models, feed) = (self.models.clone(), self.feed.clone());
        let turn = async move {
            let mut show = |text: &str| feed.delta(message, attempt, text);
            models.turn(request, &mut show).await
        };
        let handle = self.tasks.spawn(turn);
        self.running.insert(handle.id(), Running { message, attempt, failures: item.failures, cause, handle });
    }

    /// The result of the turn that ends next; waits for ever where none runs.
    pub(super) async fn next(&mut self) -> Outcome {
        loop {
            match self.tasks.join_next_with_id().await {
                Some(ended) => {
                    if let Some(outcome) = self.outcome(ended) {
                        return outcome;
                    }
                }
                None => std::future::pending().await,
            }
        }
    }

    /// Drop every turn, which closes the connections to the models: nobody pays for tokens that nobody wants. Comes back
    /// once none runs, with the results of those that were quicker.
    pub(super) async fn stop(&mut self) -> Vec<Outcome> {
        for running in self.running.values() {
            running.handle.abort();
        }
        let mut quicker = vec![];
        while let Some(ended) = self.tasks.join_next_with_id().await {
            quicker.extend(self.outcome(ended));
        }
        quicker
    }

    /// What an item has written so far, as the viewers have seen it.
    pub(super) fn partial(&self, message: MessageId) -> Arc<str> {
        self.feed.partial(message).map_or_else(|| "".into(), |(_, text)| text)
    }

    fn outcome(&mut self, ended: Result<(Id, Result<Answer, Failure>), JoinError>) -> Option<Outcome> {
        let (id, result) = match ended {
            Ok((id, result)) => (id, result),
            Err(error) if error.is_cancelled() => {
                self.running.remove(&error.id());
                return None;
            }
            Err(error) => {
                tracing::error!(%error, "a turn panicked");
                let message = "something went wrong in the server while the agent wrote; say it again to try again";
                let error_of_run = StepError { code: "internal".into(), message: message.into() };
                (error.id(), Err(Failure { error: error_of_run, retryable: false, retry_after_ms: None }))
            }
        };
        let Running { message, attempt, failures, cause, .. } = self.running.remove(&id)?;
        let command = match result {
            Ok(answer) => Command::TurnCompleted { message, attempt, text: answer.text.into(), usage: answer.usage },
            Err(Failure { error, retryable, retry_after_ms }) => {
                let retry_in = retryable.then(|| self.models.backoff(failures + 1, retry_after_ms));
                Command::TurnFailed { message, attempt, error, retry_in, text: self.partial(message) }
            }
        };
        Some(Outcome { cause: Some(cause), command })
    }
}
