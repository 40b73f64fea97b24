//! Questions of tools during a call. The call waits at its own gate and continues with the reply.

use std::sync::Arc;

use serde_json::Value;

use super::{Call, CallState, lifecycle};
use crate::draft::Draft;
use crate::effect::Effect;
use crate::gate::{GateKind, Outcome};
use crate::{CallId, Fact, GateId, State, gate};

/// A tool's question to people, with a form for the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Inquiry {
    /// Name, in the configuration, of the server that asks.
    pub from: Arc<str>,
    /// Text of the question. Written by the server that asks, so it is not trusted.
    pub message: Arc<str>,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// URL of a page to open instead of a form. Only the server of that page receives what people enter there. `None`
    /// if people fill in the form.
    pub link: Option<Arc<str>>,
}

/// Reply of people to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum InquiryReply {
    /// The answer, which matches the question's schema.
    Accepted(Value),
    /// People declined to answer.
    Declined,
    /// No answer: the question was withdrawn or came too late.
    Cancelled,
}

/// Opens a gate for the question of a call. A call has at most one open question. Questions of an earlier attempt are
/// discarded.
pub(crate) fn ask(draft: &mut Draft, id: CallId, attempt: u32, inquiry: &Inquiry) {
    if call_in_flight(draft, id, attempt).is_some_and(|call| !is_open(draft, call.gate)) {
        gate::opening::open_inquiry(draft, id, inquiry);
    }
}

/// Closes the gate of a call that withdraws its question.
pub(crate) fn withdraw(draft: &mut Draft, id: CallId, attempt: u32) {
    if let Some(call) = call_in_flight(draft, id, attempt) {
        close(draft, &call);
    }
}

/// Closes the gate of a call, because nothing waits for the answer any longer.
pub(crate) fn close(draft: &mut Draft, call: &Call) {
    if let Some(gate) = call.gate.filter(|_| is_open(draft, call.gate)) {
        draft.emit(Fact::GateClosed { gate });
    }
}

/// Returns the effect that delivers the outcome of a gate to the call that waits for it; `None` if no call does.
pub(crate) fn reply_effect(state: &State, gate: GateId) -> Option<Effect> {
    let view = state.view();
    let gate = view.decided.iter().rev().find(|decided| decided.id == gate)?;
    let call = gate.call.filter(|_| gate.kind == GateKind::Question)?;
    view.active_run()?.call(call).filter(|call| call.state == CallState::Started)?;
    let decision = gate.decision.as_ref().map(|decision| match decision.outcome {
        Outcome::Responded => decision.message.and_then(|message| view.message(message)).map(|message| &message.text),
        Outcome::Approved | Outcome::Rejected | Outcome::Withdrawn => None,
    });
    let reply = match decision {
        None => InquiryReply::Cancelled,
        Some(None) => InquiryReply::Declined,
        Some(Some(text)) => {
            InquiryReply::Accepted(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_string())))
        }
    };
    Some(Effect::DeliverReply { call, reply })
}

fn call_in_flight(draft: &Draft, id: CallId, attempt: u32) -> Option<Call> {
    let (_, call) = lifecycle::current(draft, id)?;
    (call.state == CallState::Started && call.attempt == attempt).then_some(call)
}

fn is_open(draft: &Draft, gate: Option<GateId>) -> bool {
    draft.view().gates.iter().any(|open| Some(open.id) == gate)
}
