//! Stops everything that a session has in progress: turns, whose text can be incomplete, and tool calls.

use super::session_task::SessionTask;
use super::turns::FollowUp;
use crate::kernel::Command;

impl SessionTask {
    /// Stops the turns and calls in progress because of an interrupt, a cancellation or a time limit, and queues the
    /// commands that record the work that had completed and the text that had been written by then.
    pub(super) async fn stop_work(&mut self, control: u64, cause: u64) {
        let (mut completed, mut dropped) = self.turns.stop().await;
        completed.extend(self.calls.stop().await);
        self.backlog.push_back(FollowUp { cause: Some(cause), command: Command::Acknowledge { control } });
        self.backlog.extend(completed);
        let messages = self.state.view().active_run().map_or(&[][..], |run| &run.running);
        let mut left = vec![];
        for running in messages {
            left.push(self.turns.unfinished(running.message, dropped.remove(&running.message)).await);
        }
        let command = Command::Stopped { control, left };
        self.backlog.push_back(FollowUp { cause: Some(cause), command });
    }
}
