//! Tasks that run for one session.

use std::collections::HashMap;

use tokio::task::{Id, JoinError, JoinSet};

/// Running tasks with their descriptions, and their results.
pub(super) struct TaskSet<P, R> {
    tasks: JoinSet<R>,
    pieces: HashMap<Id, P>,
}

impl<P, R: Send + 'static> TaskSet<P, R> {
    pub(super) fn new() -> Self {
        Self { tasks: JoinSet::new(), pieces: HashMap::new() }
    }

    pub(super) fn start(&mut self, piece: P, work: impl Future<Output = R> + Send + 'static) {
        let handle = self.tasks.spawn(work);
        self.pieces.insert(handle.id(), piece);
    }

    /// Returns the description of the next task that ends, and its result, which is `None` if the task panicked. Waits
    /// forever if no task is running.
    pub(super) async fn next(&mut self) -> (P, Option<R>) {
        loop {
            match self.tasks.join_next_with_id().await {
                Some(ended) => {
                    if let Some(ended) = self.ended(ended) {
                        return ended;
                    }
                }
                None => std::future::pending().await,
            }
        }
    }

    /// Returns a task that has ended, in the form of [`TaskSet::next`]. `None` if there is none.
    pub(super) fn try_next(&mut self) -> Option<(P, Option<R>)> {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            if let Some(ended) = self.ended(ended) {
                return Some(ended);
            }
        }
        None
    }

    /// Cancels all tasks and waits until none is running. Returns the tasks that ended before they were cancelled, and
    /// the descriptions of the cancelled ones.
    pub(super) async fn stop(&mut self) -> (Vec<(P, Option<R>)>, Vec<P>) {
        self.tasks.abort_all();
        let mut quicker = vec![];
        while let Some(ended) = self.tasks.join_next_with_id().await {
            quicker.extend(self.ended(ended));
        }
        (quicker, self.pieces.drain().map(|(_, piece)| piece).collect())
    }

    fn ended(&mut self, ended: Result<(Id, R), JoinError>) -> Option<(P, Option<R>)> {
        let (id, result) = match ended {
            Ok((id, result)) => (id, Some(result)),
            Err(error) if error.is_cancelled() => return None,
            Err(error) => {
                tracing::error!(%error, "a session's work panicked");
                (error.id(), None)
            }
        };
        Some((self.pieces.remove(&id)?, result))
    }
}
