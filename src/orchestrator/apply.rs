//! The core loop: decide, append, publish, advance, settle.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::append::record;
use super::decided_commands::{DecidedCommand, DecidedCommands};
use super::erasure::erase;
use super::error::{ApplyError, WriteError};
use super::session_task::SessionTask;
use super::{metrics, spans};
use crate::kernel::{self, CommandSender, Effect, Envelope, Fact, SessionId, State};
use crate::protocol::Problem;
use crate::store::{Append, AppendError, RecordedEvent};
use crate::store_error::StoreError;
use crate::telemetry::log_spans;

/// Result of a command: the seq of its last event, or the reason why it is rejected.
pub(super) type CommandResult = Result<u64, Problem>;

impl SessionTask {
    /// Applies commands in order to the current log, and returns the results of the first one or more of them. The
    /// caller submits the rest again, because they can be decided only after the effects of the first ones are carried
    /// out.
    pub(super) async fn submit(&mut self, commands: &mut [Envelope]) -> Result<Vec<CommandResult>, WriteError> {
        let mut count = commands.len();
        loop {
            self.catch_up().await?;
            match self.apply(&mut commands[..count]).await {
                // Either another node has the session, or only the lease had expired, for example after an outage. A
                // new claim shows which.
                Err(ApplyError::Write(WriteError::Fenced)) => {
                    tracing::debug!("append rejected by the fence; claiming the session again");
                    self.doubtful = true;
                }
                Err(ApplyError::Repeated(seq)) if count == 1 => return Ok(vec![Ok(seq)]),
                Err(ApplyError::Problem(problem)) => return Ok(vec![Err(problem)]),
                // One of the commands was applied before, or cannot be stored. Apply them separately, so that each gets
                // its own result.
                Err(ApplyError::Repeated(_)) => count = 1,
                Err(ApplyError::Write(WriteError::Unavailable(error))) if count > 1 && !error.is_retryable() => {
                    count = 1;
                }
                // A retry cannot succeed, so reject a participant's command. Results of the session's own work are kept
                // until an operator acts.
                Err(ApplyError::Write(WriteError::Unavailable(error)))
                    if !error.is_retryable() && matches!(commands[0].by, CommandSender::Participant { .. }) =>
                {
                    return Ok(vec![Err(error.into())]);
                }
                Err(ApplyError::Write(error)) => return Err(error),
                Ok(results) => return Ok(results),
            }
        }
    }

    /// Runs one pass of the core loop. Nothing takes effect until `append` returns.
    async fn apply(&mut self, commands: &mut [Envelope]) -> Result<Vec<CommandResult>, ApplyError> {
        let started = Instant::now();
        let mut decided = self.decide(commands).await?;
        let decided_at = Instant::now();
        let recorded = self.append(&mut decided).await?;
        let took = (started.elapsed(), decided_at.elapsed());
        self.feed.publish(&recorded);
        for command in decided.commands {
            self.advance(command, &recorded, took).await;
        }
        self.settle(&recorded).await;
        Ok(decided.results)
    }

    /// Makes the events of decided commands durable. A redaction among them also changes the state after them.
    async fn append(&mut self, decided: &mut DecidedCommands) -> Result<Arc<[RecordedEvent]>, ApplyError> {
        if decided.is_empty() {
            return Ok(Arc::new([]));
        }
        let next =
            &mut decided.commands.last_mut().expect("a receipt or an event comes from a command that applies").next;
        let erasure = match erase(&*self.shared.store, Arc::make_mut(next), self.fence, &decided.events).await {
            // Staged frames might arrive late. With a new fence, they cannot become part of the next redaction.
            Err(ApplyError::Write(WriteError::Unavailable(error))) => return Err(self.doubt(error).into()),
            erasure => erasure?,
        };
        let append = Append { erasure, ..record(decided, &self.state, self.fence) };
        let recorded = append.events.clone();
        match self.shared.store.append(append).await {
            Ok(()) => {
                self.failures = 0;
                Ok(recorded)
            }
            Err(AppendError::Repeated { seq }) => Err(ApplyError::Repeated(seq)),
            Err(AppendError::Fenced) => Err(WriteError::Fenced.into()),
            Err(AppendError::Conflict { actual }) => {
                Err(self.doubt(StoreError::Conflict(format!("the log is at {actual}").into())).into())
            }
            Err(AppendError::Unavailable(error)) => Err(self.doubt(error).into()),
        }
    }

    /// Records that the outcome of a write is unknown, so that the session is claimed again before the next decision.
    fn doubt(&mut self, error: StoreError) -> WriteError {
        tracing::debug!(%error, "the outcome of an append is unknown");
        self.doubtful = true;
        WriteError::Unavailable(error)
    }

    /// Moves to the state after a command whose events are durable, and starts the work that they require.
    async fn advance(&mut self, command: DecidedCommand, recorded: &[RecordedEvent], took: (Duration, Duration)) {
        let before = std::mem::replace(&mut self.state, command.next);
        if let Some(at) = command.sent_at {
            spans::export_command(&before, &self.state, at, took);
        }
        let recorded = &recorded[command.events];
        self.observe(&before, recorded);
        self.perform_all(recorded).await;
    }

    /// Reports durable events to operators.
    pub(super) fn observe(&self, before: &State, recorded: &[RecordedEvent]) {
        log_controls(self.session, recorded);
        self.log_run_change(before);
        metrics::observe_events(before, recorded, &*self.shared.models);
        spans::export_recorded(&self.shared.store, before, recorded);
    }

    fn log_run_change(&self, before: &State) {
        let [before, after] = [before, &*self.state].map(|state| state.view().active_run().map(|run| run.id));
        if before != after {
            // The span of this log line contains the run that ends.
            if before.is_some() {
                tracing::debug!("run ended");
            }
            if let Some(run) = after {
                tracing::debug!(%run, "run started");
            }
        }
    }

    /// Starts the work that durable events require: models, tools and timers. Results return as commands.
    pub(super) async fn perform_all(&mut self, recorded: &[RecordedEvent]) {
        for RecordedEvent { event, .. } in recorded {
            for effect in kernel::effects(&self.state, event) {
                self.perform(effect, event.seq).await;
            }
        }
    }

    /// Performs the store operations that follow durable events: snapshots and erasures.
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
            Effect::Stop { control } => self.stop_work(control, cause).await,
        }
    }
}

/// Logs that controls of a run, such as a pause or a cancellation, are requested or take effect.
fn log_controls(session: SessionId, recorded: &[RecordedEvent]) {
    for RecordedEvent { event, .. } in recorded {
        // Do not use the current span, which names the run at the beginning of the work: events that are read after a
        // claim can belong to a later run.
        let span = |run| log_spans::own_session(session).in_scope(|| log_spans::run(run));
        match &event.fact {
            Fact::ControlRequested { verb, run, .. } => {
                span(*run).in_scope(|| tracing::debug!(?verb, "control requested"));
            }
            Fact::ControlEffective { verb, run, .. } => {
                span(*run).in_scope(|| tracing::debug!(?verb, "control effective"));
            }
            // No other fact begins or ends a control.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kernel::Event;
    use crate::telemetry::captured_log::CapturedLog;

    #[test]
    fn a_control_is_logged_with_its_own_run() {
        let session = SessionId(uuid::Uuid::from_u128(7));
        let event = |seq: u64, name: &str, data: serde_json::Value| {
            let by = json!({ "kind": "system", "id": "system", "name": "Roundtable" });
            let at = "2026-01-01T00:00:00.000Z";
            let event: Event =
                serde_json::from_value(json!({ "seq": seq, "at": at, "by": by, "event": name, "data": data }))
                    .expect("an event");
            RecordedEvent { event, frame: bytes::Bytes::new() }
        };
        let recorded = [
            event(8, "control.requested", json!({ "control": 8, "run": "r_5", "verb": "cancel" })),
            event(9, "control.effective", json!({ "control": 8, "run": "r_5", "verb": "cancel" })),
        ];
        let lines = CapturedLog::json();
        // The session's task is in the span of a later run.
        log_spans::run(crate::kernel::RunId(9)).in_scope(|| log_controls(session, &recorded));
        for message in ["control requested", "control effective"] {
            let spans = json!([{ "name": "session", "session": session.to_string() }, { "name": "run", "run": "r_5" }]);
            assert_eq!(lines.only(message)["spans"], spans);
        }
    }
}
