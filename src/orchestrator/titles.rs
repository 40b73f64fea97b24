//! Titles of unnamed sessions, generated in the background, by one request at a time. The request ends with the
//! session's task.

use std::sync::Arc;

use tracing::Instrument;

use super::spending::{ModelSpending, SpendingScope};
use super::task_set::TaskSet;
use super::turns::FollowUp;
use crate::agent::{ModelPort, Title};
use crate::kernel::{Command, MessageId, RunId, State};

/// The title request that is running, if there is one.
pub(super) struct TitleTasks {
    models: Arc<dyn ModelPort>,
    spending: ModelSpending,
    running: TaskSet<RunningTitle, Title>,
    is_busy: bool,
}

struct RunningTitle {
    run: RunId,
    message: MessageId,
    cause: u64,
}

impl TitleTasks {
    pub(super) fn new(models: Arc<dyn ModelPort>, spending: ModelSpending) -> Self {
        Self { models, spending, running: TaskSet::new(), is_busy: false }
    }

    /// Requests a title for this message, unless another request is running.
    pub(super) fn start(&mut self, state: &State, run: RunId, message: MessageId, cause: u64) {
        let source = state.view().message(message);
        let author = source.and_then(|source| source.by.participant_id());
        let scope = SpendingScope::new(state.view(), author);
        let text = source.map(|source| source.text.clone());
        let text = text.filter(|_| !std::mem::replace(&mut self.is_busy, true));
        let (models, spending) = (self.models.clone(), self.spending.clone());
        let bound = spending.bound(state.view().settings.budget.map(|budget| budget.turn_bound()));
        // The session waits for every request to end, even one that is not sent, so this task always completes.
        let work = async move {
            let Some(text) = text else { return Title::default() };
            match bound {
                Some(bound) if !spending.reserve_title(message, scope, bound).await => Title::default(),
                bound => models.title(&text, bound).await,
            }
        };
        self.running.start(RunningTitle { run, message, cause }, work.in_current_span());
    }

    /// Returns the command for the next title that is completed. Waits forever if no request is running.
    pub(super) async fn next(&mut self) -> FollowUp {
        let (RunningTitle { run, message, cause }, ended) = self.running.next().await;
        self.is_busy = false;
        let Title { text: title, usage } = ended.unwrap_or_default();
        FollowUp { cause: Some(cause), command: Command::TitleMade { run, message, title, usage } }
    }
}
