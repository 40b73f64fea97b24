//! What an agent's calls of tools have brought for its task so far, as a model reads it.

use super::envelope::{Line, harmless};
use super::{Envelope, Message, ToolCall};
use crate::kernel::call::Call;
use crate::kernel::{Item, MessageId, Run, View};

/// The turns of this task that called tools, each followed by the results; `later` are words that came meanwhile, oldest
/// first. They stand where they were heard: after the results of the turn that was under way, for between a call and its
/// result no provider takes other words. In a step that was stopped they may have waited for this one: they follow it, for
/// among its turns they would look as if it had gone on after them.
pub(super) fn messages(view: &View, run: &Run, item: &Item, later: Vec<(MessageId, Envelope)>) -> Vec<Message> {
    let own = item.assignment();
    let own = run.exchanges_of(&own).filter(|exchange| exchange.is_over());
    let mut later = later.into_iter().peekable();
    let mut messages = vec![];
    for (message, exchange) in own.filter_map(|exchange| Some((exchange.message?, exchange))) {
        if exchange.step == item.step {
            messages.extend(said(std::iter::from_fn(|| later.next_if(|(id, _)| *id < message))));
        }
        let text = view.message(message).map_or_else(|| "".into(), |message| harmless(&message.text).into());
        let tool_calls = exchange.calls.iter().map(|call| ToolCall {
            id: call.id.to_string().into(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        messages.push(Message::Assistant { text, tool_calls: tool_calls.collect() });
        let result = |call: &Call| Message::Tool { call: call.id.to_string().into(), result: result(view, call) };
        messages.extend(exchange.calls.iter().map(result));
    }
    messages.extend(said(later));
    messages
}

/// Words as one message: many chat templates refuse two of the user in a row.
fn said(words: impl Iterator<Item = (MessageId, Envelope)>) -> Option<Message> {
    let words: Vec<Envelope> = words.map(|(_, words)| words).collect();
    (!words.is_empty()).then(|| Message::User(Envelope::together(words)))
}

/// Outcome of a call. An answer of people in the place of a tool says whose words it is.
fn result(view: &View, call: &Call) -> Envelope {
    match (view.call_memory.answer(call.id), &call.output, &call.error) {
        (Some(answer), output, _) => {
            let header = Line::new("[answer").answered(answer).words("]");
            Envelope::quoted(header, output.as_ref().unwrap_or(&answer.text))
        }
        (None, Some(output), _) => Envelope::returned(output),
        (None, None, Some(error)) => {
            Envelope::returned(&serde_json::json!({ "error": error.code, "message": error.message }).to_string())
        }
        (None, None, None) => Envelope::returned(""),
    }
}
