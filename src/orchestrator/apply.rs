//! The core loop: decide, append, publish, perform, settle.

use std::sync::Arc;

use tokio::time::Instant;

use super::append::record;
use super::erasure::erase;
use super::error::ApplyError;
use super::session_task::SessionTask;
use super::turns::FollowUp;
use super::{metrics, spans};
use crate::kernel::{self, Command, CommandOutcome, CommandSender, Effect, Envelope, Event, State, Timestamp};
use crate::protocol::Problem;
use crate::store::{Append, AppendError, RecordedEvent};
use crate::store_error::StoreError;

/// Outcome of an append that did not fail.
enum Appended {
    Recorded(Arc<[RecordedEvent]>),
    /// The command was applied before. This is the seq of its last event.
    Repeated(u64),
}

impl SessionTask {
    /// Applies a command to what the log holds, and returns the seq of its last event. The same append makes further
    /// results of the session's own work durable. If the command is rejected, they are not applied either.
    pub(super) async fn submit(
        &mut self,
        by: CommandSender,
        command: Command,
        more: &[FollowUp],
    ) -> Result<u64, ApplyError> {
        let mut envelope = Envelope { at: Timestamp::default(), by, command };
        loop {
            self.catch_up().await?;
            envelope.at = self.clock.now(self.state.view().updated_at);
            match self.apply(&envelope, more).await {
                // Another node has the session, or only the lease had expired, as after an outage. A new claim shows
                // which.
                Err(ApplyError::Fenced) => self.doubtful = true,
                result => return result,
            }
        }
    }

    /// One pass of the core loop. Nothing has happened until `append` returns.
    async fn apply(&mut self, envelope: &Envelope, more: &[FollowUp]) -> Result<u64, ApplyError> {
        let begun = Instant::now();
        let (mut events, mut next) = match kernel::decide(&self.state, envelope) {
            Ok(CommandOutcome::Events { events, next }) => (events, *next),
            Ok(CommandOutcome::Repeated(seq)) => return Ok(seq),
            Err(rejection) => {
                return self.recorded_result(&envelope.by).await?.ok_or(ApplyError::Problem(rejection.into()));
            }
        };
        self.decide_more(more, &mut events, &mut next);
        let decided = Instant::now();
        let recorded = match self.append(events, &mut next, envelope).await? {
            Appended::Recorded(recorded) => recorded,
            Appended::Repeated(seq) => return Ok(seq),
        };
        let before = std::mem::replace(&mut self.state, next);
        if matches!(envelope.by, CommandSender::Participant { .. }) {
            spans::export_command(&before, &self.state, envelope.at, (begun.elapsed(), decided.elapsed()));
        }
        self.publish(&before, &recorded);
        self.perform_all(&recorded).await;
        self.settle(&recorded).await;
        Ok(self.state.seq())
    }

    /// Decides on further results of the session's own work, each on the state after those before it. Adds their
    /// events, and changes `next` to the state after them.
    fn decide_more(&mut self, more: &[FollowUp], events: &mut Vec<Event>, next: &mut State) {
        for FollowUp { cause, command } in more {
            let at = self.clock.now(next.view().updated_at);
            let by = CommandSender::Orchestrator { cause: *cause };
            match kernel::decide(next, &Envelope { at, by, command: command.clone() }) {
                Ok(CommandOutcome::Events { events: following, next: after }) => {
                    events.extend(following);
                    *next = *after;
                }
                Ok(CommandOutcome::Repeated(_)) => {}
                Err(rejection) => tracing::error!(problem = %Problem::from(rejection), "result rejected"),
            }
        }
    }

    /// Makes events durable. A redaction among them also changes `next`.
    async fn append(
        &mut self,
        events: Vec<Event>,
        next: &mut State,
        envelope: &Envelope,
    ) -> Result<Appended, ApplyError> {
        // A participant's command that changes nothing still needs a receipt: its repetition might change something.
        if events.is_empty() && matches!(envelope.by, CommandSender::Orchestrator { .. }) {
            return Ok(Appended::Recorded(Arc::new([])));
        }
        let erasure = match erase(&*self.shared.store, next, self.fence, &events).await {
            // Staged frames can arrive late. Under the next fence they do not belong to the next redaction.
            Err(ApplyError::Unavailable(error)) => return Err(self.doubt(error)),
            erasure => erasure?,
        };
        let append = Append { erasure, ..record(events, &envelope.by, &self.state, next, self.fence) };
        let recorded = append.events.clone();
        match self.shared.store.append(append).await {
            Ok(()) => {
                self.failures = 0;
                Ok(Appended::Recorded(recorded))
            }
            Err(AppendError::Repeated { seq }) => Ok(Appended::Repeated(seq)),
            Err(AppendError::Fenced) => Err(ApplyError::Fenced),
            Err(AppendError::Conflict { actual }) => {
                Err(self.doubt(StoreError::Conflict(format!("the log is at {actual}").into())))
            }
            Err(AppendError::Unavailable(error)) => Err(self.doubt(error)),
        }
    }

    /// Claims the session again before the next decision, because the outcome of a write is unknown.
    fn doubt(&mut self, error: StoreError) -> ApplyError {
        tracing::debug!(%error, "the outcome of an append is unknown");
        self.doubtful = true;
        ApplyError::Unavailable(error)
    }

    /// Returns the result of a command that the state has forgotten. A command that was valid then can be rejected now.
    async fn recorded_result(&self, by: &CommandSender) -> Result<Option<u64>, ApplyError> {
        let CommandSender::Participant { actor, id, .. } = by else { return Ok(None) };
        self.shared.store.receipt(self.session, &actor.id, id).await.map_err(ApplyError::Unavailable)
    }

    /// Shows durable events to viewers.
    pub(super) fn publish(&self, before: &State, recorded: &[RecordedEvent]) {
        self.log_run_change(before);
        self.feed.publish(recorded);
        metrics::observe_events(before, recorded, &*self.shared.models);
        spans::export_recorded(&self.shared.store, before, recorded);
    }

    fn log_run_change(&self, before: &State) {
        let [before, after] = [before, &self.state].map(|state| state.view().active_run().map(|run| run.id));
        if before != after {
            // The span of this line has the run that ends.
            if before.is_some() {
                tracing::debug!("run ended");
            }
            if let Some(run) = after {
                tracing::debug!(%run, "run started");
            }
        }
    }

    /// Starts the work that durable events ask for: models, tools and timers. Results return as commands.
    pub(super) async fn perform_all(&mut self, recorded: &[RecordedEvent]) {
        for RecordedEvent { event, .. } in recorded {
            for effect in kernel::effects(&self.state, event) {
                self.perform(effect, event.seq).await;
            }
        }
    }

    /// Does what follows durable events in the store: snapshots and erasures.
    pub(super) async fn settle(&mut self, recorded: &[RecordedEvent]) {
        if self.state.seq() - self.snapshot_seq >= self.shared.settings.snapshot_interval_events {
            self.save_snapshot();
        }
        if recorded.iter().any(|recorded| recorded.event.fact.is_redaction())
            && let Err(error) = self.shared.store.finish_erasure(self.session).await
        {
            tracing::info!(%error, "redacted content will be erased later");
        }
    }

    pub(super) async fn perform(&mut self, effect: Effect, cause: u64) {
        match effect {
            Effect::Turn { message, attempt } => self.turns.start(&self.state, message, attempt, cause),
            Effect::CheckCall { call } => self.backlog.extend(self.calls.check(&self.state, call, cause)),
            Effect::Call { call, attempt, rev, digest } => {
                self.calls.start(&self.state, call, attempt, rev, &digest, cause);
            }
            Effect::DeliverReply { call, reply } => self.calls.deliver_reply(call, reply),
            Effect::Title { run, message } => self.turns.titles.start(&self.state, run, message, cause),
            Effect::Stop { control } => {
                let (mut completed, mut dropped) = self.turns.stop().await;
                completed.extend(self.calls.stop().await);
                self.backlog.push_back(FollowUp { cause: Some(cause), command: Command::Acknowledge { control } });
                self.backlog.extend(completed);
                let items = self.state.view().active_run().map_or(&[][..], |run| &run.items);
                let mut left = vec![];
                for item in items {
                    left.push(self.turns.unfinished(item.message, dropped.remove(&item.message)).await);
                }
                let command = Command::Stopped { control, left };
                self.backlog.push_back(FollowUp { cause: Some(cause), command });
            }
        }
    }
}
