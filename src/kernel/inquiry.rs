//! What a tool wants to know of people in the midst of a call: the call waits at a gate of its own and goes on with the answer.

use std::sync::Arc;

use serde_json::Value;

use super::call::{Call, CallState};
use super::decide::Draft;
use super::effect::Effect;
use super::gate::{GateKind, Outcome};
use super::{CallId, Fact, GateId, State, ask, calls};

/// A question to people, with a form for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Inquiry {
    /// Who asks: the name that the configuration has for it.
    pub from: Arc<str>,
    /// The question in words; by whoever asks, so not to be believed.
    pub message: Arc<str>,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// A page to open instead of a form to fill in: what people say there reaches the server alone.
    pub link: Option<Arc<str>>,
}

/// What people said to it.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// This, which the question's schema accepts.
    Accepted(Value),
    /// That they do not want to say.
    Declined,
    /// Nothing: the question was put away, or came too late.
    Cancelled,
}

/// A call asks. It has one question at a time; one of an earlier attempt is dropped.
pub(super) fn ask(draft: &mut Draft, id: CallId, attempt: u32, inquiry: &Inquiry) {
    if under_way(draft, id, attempt).is_some_and(|call| !is_open(draft, call.gate)) {
        ask::from_call(draft, id, inquiry);
    }
}

/// It does not want to know any more.
pub(super) fn withdraw(draft: &mut Draft, id: CallId, attempt: u32) {
    if let Some(call) = under_way(draft, id, attempt) {
        close(draft, &call);
    }
}

/// Nobody waits for the answer any more.
pub(super) fn close(draft: &mut Draft, call: &Call) {
    if let Some(gate) = call.gate.filter(|_| is_open(draft, call.gate)) {
        draft.emit(Fact::GateClosed { gate });
    }
}

/// The work that the end of a gate asks for, where a call waits for what was said there.
pub(super) fn told(state: &State, gate: GateId) -> Option<Effect> {
    let view = state.view();
    let gate = view.decided.iter().rev().find(|decided| decided.id == gate)?;
    let call = gate.call.filter(|_| gate.kind == GateKind::Question)?;
    view.active_run()?.call(call).filter(|call| call.state == CallState::Started)?;
    let said = gate.decision.as_ref().map(|decision| match decision.outcome {
        Outcome::Responded => decision.message.and_then(|message| view.message(message)).map(|said| &said.text),
        _ => None,
    });
    let reply = match said {
        None => Reply::Cancelled,
        Some(None) => Reply::Declined,
        Some(Some(text)) => {
            Reply::Accepted(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_string())))
        }
    };
    Some(Effect::Tell { call, reply })
}

fn under_way(draft: &Draft, id: CallId, attempt: u32) -> Option<Call> {
    let (_, call) = calls::current(draft, id)?;
    (call.state == CallState::Started && call.attempt == attempt).then_some(call)
}

fn is_open(draft: &Draft, gate: Option<GateId>) -> bool {
    draft.view().gates.iter().any(|open| Some(open.id) == gate)
}
