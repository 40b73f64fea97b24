//! Metrics of sessions, derived from the results of commands and from the log.

use std::time::Duration;

use crate::agent::ModelPort;
use crate::kernel::gate::Outcome;
use crate::kernel::{Fact, State};
use crate::peer_messages::PeerResponse;
use crate::protocol::Problem;
use crate::store::RecordedEvent;
use crate::telemetry::metrics;

/// Counts the result of a submitted command, and records its duration if it succeeded.
pub(super) fn observe_command(answer: &Result<u64, Problem>, took: Duration) {
    let result = answer.as_ref().map_or_else(|problem| problem.code().as_str(), |_| "ok");
    metrics().commands.count([result]);
    if answer.is_ok() {
        metrics().command_time.took(took);
    }
}

/// Counts the reply to a forwarded command, or its absence.
pub(super) fn observe_forward(answer: Option<&PeerResponse>) {
    let outcome = match answer {
        Some(PeerResponse::Done(_)) => "done",
        Some(PeerResponse::Refused(_)) => "refused",
        Some(PeerResponse::Elsewhere | PeerResponse::Partials { .. }) => "elsewhere",
        None => "no_reply",
    };
    metrics().forwarded.count([outcome]);
}

/// Counts events that were appended to the log after the state `before`.
pub(super) fn observe_events(before: &State, events: &[RecordedEvent], models: &dyn ModelPort) {
    let metrics = metrics();
    for RecordedEvent { event, .. } in events {
        match &event.fact {
            Fact::UsageRecorded { model, input_tokens, output_tokens, cost_micros, .. } => {
                let labels = models.labels(model);
                let [provider, model] = [&*labels[0], &*labels[1]];
                metrics.tokens.add([provider, model, "input"], *input_tokens);
                metrics.tokens.add([provider, model, "output"], *output_tokens);
                metrics.cost.add([provider, model], *cost_micros);
            }
            Fact::AttemptFailed { error, retry_at: Some(_), .. } => metrics.retries.count([&error.code]),
            Fact::RunFinished { .. } => metrics.runs.count(["finished"]),
            Fact::RunFailed { .. } => metrics.runs.count(["failed"]),
            Fact::RunCancelled { .. } => metrics.runs.count(["cancelled"]),
            Fact::GateDecided { gate, outcome, .. } => {
                let open = before.view().gates.iter().find(|open| open.id == *gate);
                let waited = open.map_or(0, |open| event.at.millis().saturating_sub(open.opened_at.millis()));
                metrics.gates.took([outcome_label(*outcome)], Duration::from_millis(waited));
            }
            // No other fact has a metric of its own.
            _ => {}
        }
    }
}

fn outcome_label(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Approved => "approved",
        Outcome::Rejected => "rejected",
        Outcome::Responded => "responded",
        Outcome::Withdrawn => "withdrawn",
    }
}
