//! Titles of unnamed sessions, generated in the background: one request at a time, which ends with the session's task.

use std::sync::Arc;

use tracing::Instrument;

use super::task_set::TaskSet;
use super::turns::FollowUp;
use crate::agent::{ModelPort, Title};
use crate::kernel::{Command, MessageId, RunId, State};

/// The running title request, if any.
pub(super) struct TitleTasks {
    models: Arc<dyn ModelPort>,
    running: TaskSet<RunningTitle, Title>,
    is_busy: bool,
}

struct RunningTitle {
    run: RunId,
    message: MessageId,
    cause: u64,
}

impl TitleTasks {
    pub(super) fn new(models: Arc<dyn ModelPort>) -> Self {
        Self { models, running: TaskSet::new(), is_busy: false }
    }

    /// Requests a title for this message. While another request is running, there is none.
    pub(super) fn start(&mut self, state: &State, run: RunId, message: MessageId, cause: u64) {
        let words = state.view().message(message).map(|words| words.text.clone());
        let words = words.filter(|_| !std::mem::replace(&mut self.is_busy, true));
        let (models, bound) = (self.models.clone(), state.view().settings.budget.map(|budget| budget.turn_bound()));
        // The session waits for an end of every request, even of one that is not sent.
        let work = async move {
            match words {
                Some(words) => models.title(&words, bound).await,
                None => Title::default(),
            }
        };
        self.running.start(RunningTitle { run, message, cause }, work.in_current_span());
    }

    /// Returns the command for the next title that is completed. Waits forever if no request runs.
    pub(super) async fn next(&mut self) -> FollowUp {
        let (RunningTitle { run, message, cause }, ended) = self.running.next().await;
        self.is_busy = false;
        let Title { text: title, usage } = ended.unwrap_or_default();
        FollowUp { cause: Some(cause), command: Command::TitleMade { run, message, title, usage } }
    }
}
