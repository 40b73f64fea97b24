//! Traces of runs, derived from the log. An event that ends a part of a run produces a span, and the state before the
//! event contains the start of that part; only the start of a step is read from the log. A turn that one node started
//! and another resumed is therefore complete in the trace.

use std::sync::Arc;
use std::time::Duration;

use crate::kernel::{AbortReason, Event, Fact, Run, RunningMessage, SessionId, State, StepId, Timestamp, evolve};
use crate::store::{EventStore, RecordedEvent};
use crate::telemetry::{Attribute, Span, Trace, export, is_enabled};

const NANOS_PER_MS: u64 = 1_000_000;

/// Exports spans for a participant's command and its append. `took` contains the duration of the command and that of
/// its append.
pub(super) fn export_command(before: &State, after: &State, at: Timestamp, took: (Duration, Duration)) {
    let run = after.view().active_run().or(before.view().active_run()).filter(|_| is_enabled());
    let Some(run) = run else { return };
    let trace = Trace::of(after.view().session, run.id);
    let id = trace.span("command", after.seq(), 0);
    let nanos = |took: Duration| u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
    let (started, appended) = (at.millis() * NANOS_PER_MS, nanos(took.1));
    let ended = started + nanos(took.0);
    let span = |name, id, parent, time| {
        let attributes = vec![("roundtable.seq", Attribute::from(after.seq()))];
        Span { trace, id, parent: Some(parent), name, time, attributes, failed: None }
    };
    export(span("command", id, trace.span("run", 0, 0), (started, ended)));
    export(span("append", trace.span("append", after.seq(), 0), id, (ended.saturating_sub(appended), ended)));
}

/// Exports spans for events that were appended to the log after the state `before`.
pub(super) fn export_recorded(store: &Arc<dyn EventStore>, before: &State, events: &[RecordedEvent]) {
    if !is_enabled() {
        return;
    }
    let mut state = before.clone();
    for RecordedEvent { event, .. } in events {
        if let Some(run) = state.view().active_run() {
            let ending = SpanBuilder { session: state.view().session, run, event };
            ending.spans(&state, events).into_iter().for_each(export);
            if let Some(step) = ending.step() {
                tokio::spawn(export_step(store.clone(), ending.session, step, ending.step_span(step)));
            }
        }
        evolve(&mut state, event);
    }
}

/// Exports the span of a step. The state does not contain the start of a step, so it is read from its event.
async fn export_step(store: Arc<dyn EventStore>, session: SessionId, step: StepId, mut span: Span) {
    if let Ok(page) = store.read(session, step.0 - 1, 1).await
        && let Some(Ok(started)) = page.into_iter().next().map(RecordedEvent::try_from)
    {
        span.time.0 = started.event.at.millis() * NANOS_PER_MS;
        export(span);
    }
}

/// An event that can end a part of a run.
struct SpanBuilder<'a> {
    session: SessionId,
    run: &'a Run,
    event: &'a Event,
}

impl SpanBuilder<'_> {
    fn trace(&self) -> Trace {
        Trace::of(self.session, self.run.id)
    }

    fn span(&self, name: &'static str, number: u64, attempt: u32, started: Timestamp) -> Span {
        Span {
            trace: self.trace(),
            id: self.trace().span(name, number, attempt),
            parent: Some(self.trace().span("run", 0, 0)),
            name,
            time: (started.millis() * NANOS_PER_MS, self.event.at.millis() * NANOS_PER_MS),
            attributes: vec![],
            failed: None,
        }
    }

    /// Returns the step that ends with the event. `None` if none does.
    fn step(&self) -> Option<StepId> {
        match &self.event.fact {
            Fact::StepCompleted { step, .. } | Fact::StepSkipped { step, .. } => Some(*step),
            Fact::RunFailed { .. } | Fact::RunCancelled { .. } => self.run.step,
            // No other fact ends a step.
            _ => None,
        }
    }

    fn step_span(&self, step: StepId) -> Span {
        self.span("step", step.0, 0, self.event.at)
    }

    /// Returns the span of whatever part of the run other than a step ends with the event. `None` if nothing else ends.
    fn spans(&self, state: &State, batch: &[RecordedEvent]) -> Option<Span> {
        match &self.event.fact {
            Fact::MessageCompleted { message, .. } => Some(self.turn(self.run.running_message(*message)?, "ok", batch)),
            Fact::MessageAborted { message, reason, .. } => {
                let outcome = match reason {
                    AbortReason::Interrupted => "interrupted",
                    AbortReason::Cancelled | AbortReason::TimedOut => "cancelled",
                    // The last attempt of the message already has a span.
                    AbortReason::Failed => return None,
                };
                Some(self.turn(self.run.running_message(*message)?, outcome, batch))
            }
            // The previous owner of the attempt cannot report its end.
            Fact::MessageStarted { message, recovered: true, .. } => {
                Some(self.turn(self.run.running_message(*message)?, "lost", batch))
            }
            Fact::AttemptFailed { message, error, .. } => {
                let mut turn = self.turn(self.run.running_message(*message)?, "failed", batch);
                turn.failed = Some(error.code.clone());
                Some(turn)
            }
            Fact::GateDecided { gate, .. } | Fact::GateExpired { gate } | Fact::GateClosed { gate } => {
                let open = state.view().gates.iter().find(|open| open.id == *gate)?;
                Some(self.span("gate", gate.0, 0, open.opened_at))
            }
            Fact::RunFinished { .. } => Some(self.whole("finished", None)),
            Fact::RunFailed { error, .. } => Some(self.whole("failed", Some(error.code.clone()))),
            Fact::RunCancelled { .. } => Some(self.whole("cancelled", None)),
            // No other fact ends anything that has a span.
            _ => None,
        }
    }

    fn turn(&self, running: &RunningMessage, outcome: &str, batch: &[RecordedEvent]) -> Span {
        let mut span = self.span("turn", running.message.0, running.attempt, running.started_at);
        span.parent = Some(self.trace().span("step", running.step.0, 0));
        span.attributes = vec![
            ("gen_ai.agent.id", running.agent.as_str().into()),
            ("roundtable.attempt", u64::from(running.attempt).into()),
            ("roundtable.outcome", outcome.into()),
        ];
        let usage = batch.iter().find_map(|recorded| match &recorded.event.fact {
            Fact::UsageRecorded { message, model, input_tokens, output_tokens, .. } if *message == running.message => {
                Some((model, *input_tokens, *output_tokens))
            }
            _ => None,
        });
        if let Some((model, input, output)) = usage {
            let (provider, model) = model.split_once('/').unwrap_or(("", model));
            span.attributes.extend([
                ("gen_ai.provider.name", provider.into()),
                ("gen_ai.request.model", model.into()),
                ("gen_ai.usage.input_tokens", input.into()),
                ("gen_ai.usage.output_tokens", output.into()),
            ]);
        }
        span
    }

    fn whole(&self, outcome: &str, failed: Option<Arc<str>>) -> Span {
        let attributes = vec![
            ("roundtable.session", Attribute::Name(self.session.to_string().into())),
            ("roundtable.run", Attribute::Name(self.run.id.to_string().into())),
            ("roundtable.flow", Attribute::Name(self.run.flow.clone())),
            ("roundtable.outcome", outcome.into()),
        ];
        let span = self.span("run", 0, 0, self.run.started_at);
        Span { parent: None, attributes, failed, ..span }
    }
}
