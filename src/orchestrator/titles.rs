//! Titles of unnamed sessions, generated in the background: one request at a time, which ends with the session's task.

use std::sync::Arc;

use super::running::Running;
use super::turns::FollowUp;
use crate::agent::{Mind, Title};
use crate::kernel::{Command, MessageId, RunId, State};

/// The running title request, if any.
pub(super) struct Titles {
    minds: Arc<dyn Mind>,
    running: Running<Wish, Title>,
    is_busy: bool,
}

struct Wish {
    run: RunId,
    message: MessageId,
    cause: u64,
}

impl Titles {
    pub(super) fn new(minds: Arc<dyn Mind>) -> Self {
        Self { minds, running: Running::new(), is_busy: false }
    }

    /// Requests a title for this message, unless a request is running.
    pub(super) fn start(&mut self, state: &State, run: RunId, message: MessageId, cause: u64) {
        let words = state.view().message(message).map(|words| words.text.clone());
        let Some(words) = words.filter(|_| !self.is_busy) else { return };
        self.is_busy = true;
        let minds = self.minds.clone();
        self.running.start(Wish { run, message, cause }, async move { minds.title(&words).await });
    }

    /// Returns the command for the next title that is completed. Waits forever if no request runs.
    pub(super) async fn next(&mut self) -> FollowUp {
        let (Wish { run, message, cause }, ended) = self.running.next().await;
        self.is_busy = false;
        let Title { text: title, usage } = ended.unwrap_or_default();
        FollowUp { cause: Some(cause), command: Command::TitleMade { run, message, title, usage } }
    }
}
