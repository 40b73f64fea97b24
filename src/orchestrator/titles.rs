//! Titles for a session that nobody named, beside its runs: one request at a time, which ends with the session's task.

use std::sync::Arc;

use super::running::Running;
use super::turns::FollowUp;
use crate::agent::{Mind, Title};
use crate::kernel::{Command, MessageId, RunId, State};

/// The wish for a title, while somebody thinks of one.
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

    /// Think of one for these words, unless one is being thought of.
    pub(super) fn start(&mut self, state: &State, run: RunId, message: MessageId, cause: u64) {
        let words = state.view().message(message).map(|words| words.text.clone());
        let Some(words) = words.filter(|_| !self.is_busy) else { return };
        self.is_busy = true;
        let minds = self.minds.clone();
        self.running.start(Wish { run, message, cause }, async move { minds.title(&words).await });
    }

    /// Follow-up of the one that ends next; waits for ever if none runs.
    pub(super) async fn next(&mut self) -> FollowUp {
        let (Wish { run, message, cause }, ended) = self.running.next().await;
        self.is_busy = false;
        let Title { text: title, usage } = ended.unwrap_or_default();
        FollowUp { cause: Some(cause), command: Command::TitleMade { run, message, title, usage } }
    }
}
