//! The orchestrator of one session. It gathers the commands that arrive during an append, and handles them together in
//! the next one.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until};
use tracing::{Instrument, Span};

use super::calls::RunningCalls;
use super::clock::SessionClock;
use super::context::OrchestratorContext;
use super::erasure::state_after;
use super::error::{SubmitError, WriteError};
use super::mailbox::{MailboxMessage, WaitingCommand};
use super::turns::{FollowUp, RunningTurns};
use crate::feed::OwnershipGuard;
use crate::kernel::{self, Command, Envelope, SessionId, State};
use crate::protocol::Problem;
use crate::store::{ClaimError, Fence, restore, tail};
use crate::store_error::StoreError;
use crate::telemetry::log_spans;

/// Maximum number of commands whose events one append makes durable.
const MAX_COMMANDS_PER_APPEND: usize = 64;

/// One live session.
pub(super) struct SessionTask {
    pub(super) session: SessionId,
    pub(super) shared: Arc<OrchestratorContext>,
    pub(super) state: Arc<State>,
    pub(super) fence: Fence,
    /// Fence that the latest claim has if it happened. Higher than `fence` if the reply to that claim was lost.
    pub(super) claimed: Fence,
    pub(super) feed: OwnershipGuard,
    pub(super) turns: RunningTurns,
    pub(super) calls: RunningCalls,
    /// Results of the session's own work that are not in the log yet.
    pub(super) backlog: VecDeque<FollowUp>,
    /// Commands that were taken from the mailbox but are not yet decided on.
    waiting: VecDeque<WaitingCommand>,
    /// True if the log might contain more than the state, or another node might have the session, because the outcome
    /// of the last append is unknown or the lease had expired.
    pub(super) doubtful: bool,
    pub(super) lapses: broadcast::Receiver<()>,
    outage: Option<Outage>,
    /// Number of consecutive failures of the store.
    pub(super) failures: u32,
    pub(super) snapshot_seq: u64,
    pub(super) clock: SessionClock,
}

/// An outage of the store that started at `since`. The backlog is retried at `until`.
struct Outage {
    since: Instant,
    until: Instant,
    error: StoreError,
}

impl SessionTask {
    /// Claims the log, restores the state and resumes outstanding work.
    pub(super) async fn start(session: SessionId, shared: Arc<OrchestratorContext>) -> Result<Self, ClaimError> {
        // Subscribe first, because a lapse during the start can invalidate the claim too.
        let lapses = shared.lease.lapses();
        let fence = shared.claim(session).await?;
        tracing::debug!(fence = fence.0, "session claimed");
        // The fence to release. `None` if the session might have been claimed again, but the reply was lost.
        let mut claimed = Some(fence);
        let resumed = async {
            let mut task = Self::restored(session, shared.clone(), fence, lapses).await?;
            let recovered = task.recover().await;
            claimed = (task.claimed == task.fence).then_some(task.fence);
            recovered.map(|()| task)
        };
        match (resumed.await, claimed) {
            // Another node might be able to read what this one cannot.
            (Err(ClaimError::Unavailable(error)), Some(fence)) => Err(match shared.release(session, fence).await {
                Ok(()) => ClaimError::Unavailable(error),
                Err(_) => ClaimError::NoReply(error),
            }),
            (Err(ClaimError::Unavailable(error)), None) => Err(ClaimError::NoReply(error)),
            (resumed, _) => resumed,
        }
    }

    async fn restored(
        session: SessionId,
        shared: Arc<OrchestratorContext>,
        fence: Fence,
        lapses: broadcast::Receiver<()>,
    ) -> Result<Self, StoreError> {
        let state = restore(&*shared.store, session, None).await?;
        let feed = shared.feeds.open(session).await?.own();
        // A feed that followed another node until now might be behind that node's last events.
        feed.catch_up().await?;
        let turns = RunningTurns::new(shared.models.clone(), shared.toolbox.clone(), feed.clone(), fence);
        let calls = RunningCalls::new(shared.toolbox.clone(), feed.clone());
        let (snapshot_seq, clock) = (state.seq(), SessionClock::after(state.view().updated_at));
        tracing::debug!(seq = snapshot_seq, "session task started");
        Ok(Self {
            session,
            shared,
            state: Arc::new(state),
            fence,
            claimed: fence,
            feed,
            turns,
            calls,
            backlog: VecDeque::new(),
            waiting: VecDeque::new(),
            doubtful: false,
            lapses,
            outage: None,
            failures: 0,
            snapshot_seq,
            clock,
        })
    }

    /// Resumes outstanding work before any other decision. Otherwise, work that starts here would look like work that
    /// another node has lost.
    async fn recover(&mut self) -> Result<(), ClaimError> {
        if self.state.seq() == 0 || self.state.view().closed {
            return Ok(());
        }
        let sent = self.turns.spending.sent_requests(self.session).await?;
        let recover = FollowUp { cause: None, command: Command::Recover { sent } };
        let result = match self.submit(&mut [recover.envelope()]).await {
            Ok(mut results) => results.swap_remove(0),
            Err(WriteError::Fenced) => return Err(ClaimError::Taken),
            Err(WriteError::Unavailable(error)) => return Err(error.into()),
        };
        let seq = match result {
            Ok(seq) => seq,
            Err(problem) => {
                tracing::error!(%problem, "outstanding work not resumed");
                return Ok(());
            }
        };
        // Needed even if the recovery records no event, because the state can contain work that the lost node was still
        // checking.
        for effect in kernel::outstanding(&self.state) {
            self.perform(effect, seq).await;
        }
        Ok(())
    }

    /// Serves the session until it has been idle for long enough, the node stops, or another node has taken the
    /// session. Then releases it.
    ///
    /// # Errors
    /// Fails if the session could not be released. It might then still belong to this node, so that no other node can
    /// claim it.
    pub(super) async fn run(mut self, mailbox: &mut mpsc::Receiver<MailboxMessage>) -> Result<(), StoreError> {
        let idle = Duration::from_secs(self.shared.settings.idle_seconds);
        let stopping = self.shared.stopping.clone();
        let reason = loop {
            let span = self.run_span();
            if self.write_backlog().instrument(span).await.is_err() {
                break "another node has the session";
            }
            let (due, end) = (self.state.next_due(), self.state.view().updated_at);
            let due = due.filter(|_| self.backlog.is_empty()).map(|at| self.clock.instant_of(at, end));
            let retry = self.outage.as_ref().map(|outage| outage.until);
            let rest = Instant::now() + idle;
            tokio::select! {
                biased;
                () = stopping.cancelled() => break "the node stops",
                _ = self.lapses.recv() => self.doubtful = true,
                // The session's own results come first. They are few, while participants can send commands without end,
                // and a model's response would then never be recorded.
                outcome = self.turns.next() => {
                    self.backlog.push_back(outcome);
                    self.backlog.extend(self.turns.ended());
                }
                outcome = self.calls.next() => {
                    self.backlog.push_back(outcome);
                    self.backlog.extend(self.calls.ended());
                }
                () = sleep_until(due.unwrap_or(rest)), if due.is_some() => {
                    self.backlog.push_back(FollowUp { cause: None, command: Command::DeadlineReached });
                }
                () = sleep_until(retry.unwrap_or(rest)), if retry.is_some() => self.outage = None,
                () = std::future::ready(()), if !self.waiting.is_empty() => {
                    let span = self.run_span();
                    if self.handle_waiting(mailbox).instrument(span).await.is_err() {
                        break "another node has the session";
                    }
                }
                mail = mailbox.recv() => match mail {
                    Some(mail) => {
                        let span = self.run_span();
                        if self.handle(mail, mailbox).instrument(span).await.is_err() {
                            break "another node has the session";
                        }
                    }
                    None => break "nobody can send to it",
                },
                () = sleep_until(rest), if self.is_at_rest() => break "idle",
            }
        };
        tracing::debug!(reason, "session task ends");
        // Cancelled turns are outstanding in the state, and the next owner of the session resumes them.
        self.turns.stop().await;
        self.calls.stop().await;
        if self.state.seq() > self.snapshot_seq {
            self.save_snapshot();
        }
        let released = self.shared.release(self.session, self.fence).await;
        tracing::debug!(fence = self.fence.0, is_released = released.is_ok(), "session released");
        // If this node stops, its lease ends soon anyway.
        if stopping.is_cancelled() { Ok(()) } else { released }
    }

    /// Returns the span of the active run, for the log lines of one step of this task. Disabled without a run.
    fn run_span(&self) -> Span {
        self.state.view().active_run().map_or_else(Span::none, |run| log_spans::run(run.id))
    }

    /// Returns whether nothing is outstanding that only this task can do.
    fn is_at_rest(&self) -> bool {
        self.backlog.is_empty() && !self.doubtful && !self.state.is_unfinished()
    }

    /// Reads the log if it is in doubt, and then writes the results of the session's own work, in order.
    async fn write_backlog(&mut self) -> Result<(), ()> {
        if self.outage.is_none() {
            match self.catch_up().await {
                Ok(()) => {}
                Err(WriteError::Fenced) => return Err(()),
                Err(WriteError::Unavailable(error)) => self.retry_later(error),
            }
        }
        while self.outage.is_none() && !self.backlog.is_empty() {
            // Agents that work in parallel often finish at the same time. With an append for each, the last one would
            // wait for all the others.
            let mut results: Vec<FollowUp> =
                self.backlog.drain(..self.backlog.len().min(MAX_COMMANDS_PER_APPEND)).collect();
            let mut commands: Vec<Envelope> = results.iter().map(FollowUp::envelope).collect();
            match self.submit(&mut commands).await {
                Ok(outcomes) => {
                    let rest = results.split_off(outcomes.len());
                    self.put_back(rest);
                    for (result, outcome) in results.iter().zip(outcomes) {
                        if let Err(problem) = outcome {
                            tracing::error!(%problem, "result rejected");
                        }
                        self.settle_spending(&result.command);
                    }
                }
                Err(WriteError::Fenced) => return Err(()),
                Err(WriteError::Unavailable(error)) => {
                    // A model's response is paid for, so keep it. Drop a title: it has no attempt number, so its cost
                    // could count twice.
                    tracing::warn!(%error, "result not written; retrying");
                    results.retain(|result| !matches!(result.command, Command::TitleMade { .. }));
                    self.put_back(results);
                    self.retry_later(error);
                }
            }
        }
        Ok(())
    }

    /// Puts results in front of the backlog, in their order.
    fn put_back(&mut self, results: Vec<FollowUp>) {
        results.into_iter().rev().for_each(|result| self.backlog.push_front(result));
    }

    /// Releases the reservations of the requests whose usage this command has recorded.
    fn settle_spending(&self, command: &Command) {
        if let Some(settling) = self.turns.spending.settle(command) {
            self.shared.tasks.spawn(settling.in_current_span());
        }
    }

    fn retry_later(&mut self, error: StoreError) {
        let since = Instant::now();
        self.failures = self.failures.saturating_add(1);
        let until = since + Duration::from_millis(self.shared.settings.store_pause_ms(self.failures));
        tracing::debug!(%error, failures = self.failures, "the session waits for the store");
        self.outage = Some(Outage { since, until, error });
    }

    async fn handle(&mut self, mail: MailboxMessage, mailbox: &mut mpsc::Receiver<MailboxMessage>) -> Result<(), ()> {
        self.take(mail);
        self.handle_waiting(mailbox).await
    }

    fn take(&mut self, mail: MailboxMessage) {
        match mail {
            MailboxMessage::Command(command) => self.waiting.push_back(command),
            MailboxMessage::State { reply } => {
                let _ = reply.send(self.state.clone());
            }
        }
    }

    /// Applies as many of the waiting commands as can share one append. The others keep waiting, because results of the
    /// session's own work come first.
    async fn handle_waiting(&mut self, mailbox: &mut mpsc::Receiver<MailboxMessage>) -> Result<(), ()> {
        while self.waiting.len() < MAX_COMMANDS_PER_APPEND
            && let Ok(mail) = mailbox.try_recv()
        {
            self.take(mail);
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        // Reject all commands that waited during the outage together. Otherwise, each of them would wait for the
        // store's timeout.
        if let Some(outage) = &self.outage {
            let (early, rest) = waiting.into_iter().partition(|command| command.at < outage.since);
            refuse_commands(early, &outage.error);
            waiting = rest;
        }
        let (mut commands, senders): (Vec<_>, Vec<_>) = waiting.into_iter().map(WaitingCommand::into_envelope).unzip();
        if commands.is_empty() {
            return Ok(());
        }
        match self.submit(&mut commands).await {
            Ok(results) => {
                let rest = commands.split_off(results.len());
                let mut senders = senders.into_iter();
                for (result, sender) in results.into_iter().zip(senders.by_ref()) {
                    let _ = sender.reply.send(result.map_err(SubmitError::from));
                }
                self.waiting = rest.into_iter().zip(senders).map(WaitingCommand::from).collect();
                Ok(())
            }
            // Without a reply, the senders look for the session elsewhere.
            Err(WriteError::Fenced) => Err(()),
            Err(WriteError::Unavailable(error)) => {
                for sender in senders {
                    let _ = sender.reply.send(Err(Problem::from(error.clone()).into()));
                }
                self.retry_later(error);
                Ok(())
            }
        }
    }

    /// Reads the log if it might contain more than the state, or if another node might have the session.
    pub(super) async fn catch_up(&mut self) -> Result<(), WriteError> {
        // A node that was suspended might not have noticed that its lease expired, and a rejection based on a stale
        // state would be final.
        self.doubtful |= !self.shared.may_write();
        if self.doubtful {
            // A claim waits for an append in progress. Afterwards, the append either has happened or never will. If it
            // could still be committed later, its events and receipt would be in the log, but no task would perform its
            // effects.
            self.reclaim().await?;
            let tail = tail(&*self.shared.store, self.session, self.state.seq()).await;
            let tail = tail?;
            // This node might have been suspended since the claim, so the tail might contain events of the next owner.
            let ownership = self.shared.store.ownership(self.session).await?;
            if ownership.fence != self.fence {
                return Err(WriteError::Fenced);
            }
            let next = state_after(&*self.shared.store, &self.state, &tail).await?;
            self.doubtful = false;
            let before = std::mem::replace(&mut self.state, Arc::new(next));
            self.feed.publish(&tail);
            self.observe(&before, &tail);
            self.perform_all(&tail).await;
            self.settle(&tail).await;
        }
        Ok(())
    }

    /// Claims the log again, unless another node has claimed it: this task must not process events of another owner.
    async fn reclaim(&mut self) -> Result<(), WriteError> {
        let claimed = self.shared.store.reclaim(self.session, self.shared.me(), self.claimed).await;
        if matches!(claimed, Err(ClaimError::NoReply(_))) {
            self.claimed = self.claimed.next();
        }
        if let Err(reason) = &claimed {
            tracing::debug!(%reason, "session not claimed again");
        }
        self.fence = claimed?;
        self.claimed = self.fence;
        self.turns.spending.set_fence(self.fence);
        tracing::debug!(fence = self.fence.0, "session claimed again");
        Ok(())
    }

    pub(super) fn save_snapshot(&mut self) {
        self.snapshot_seq = self.state.seq();
        self.shared.save_snapshot(&self.state);
    }
}

fn refuse_commands(waiting: VecDeque<WaitingCommand>, error: &StoreError) {
    for command in waiting {
        let _ = command.reply.send(Err(Problem::from(error.clone()).into()));
    }
}
