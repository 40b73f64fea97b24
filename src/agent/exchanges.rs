//! What an agent's calls of tools have brought for its task so far, as a model reads it.

use super::{Message, ToolCall};
use crate::kernel::call::Call;
use crate::kernel::{Item, Run, View};

/// The turns of this task that called tools, each followed by the results; `later` are words that came meanwhile.
pub(super) fn messages(view: &View, run: &Run, item: &Item, later: &[String]) -> Vec<Message> {
    let own = item.assignment();
    let own = run.exchanges_of(&own).filter(|exchange| exchange.is_over());
    let mut messages = vec![];
    for (message, exchange) in own.filter_map(|exchange| Some((exchange.message?, exchange))) {
        let text = view.message(message).map_or_else(|| "".into(), |message| message.text.clone());
        let tool_calls = exchange.calls.iter().map(|call| ToolCall {
            id: call.id.to_string().into(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        messages.push(Message::Assistant { text, tool_calls: tool_calls.collect() });
        messages.extend(
            exchange
                .calls
                .iter()
                .map(|call| Message::Tool { call: call.id.to_string().into(), text: result(call).into() }),
        );
    }
    // Between a call and its result no provider takes other words, and before them a model would read them as old.
    if let (Some(Message::Tool { text, .. }), false) = (messages.last_mut(), later.is_empty()) {
        *text = format!("{text}\n\n{}", later.join("\n")).into();
    }
    messages
}

fn result(call: &Call) -> String {
    match (&call.output, &call.error) {
        (Some(output), _) => output.to_string(),
        (None, Some(error)) => serde_json::json!({ "error": error.code, "message": error.message }).to_string(),
        (None, None) => String::new(),
    }
}
