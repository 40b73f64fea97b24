//! The tool rounds of an agent's task so far, as messages for a model.

use std::collections::BTreeSet;

use super::envelope::{ServerLine, neutralize_control_tokens};
use crate::agent::{ModelMessage, PromptBlock, ToolCall};
use crate::kernel::call::Call;
use crate::kernel::{MessageId, Run, RunningMessage, View};

/// Returns the turns of the running message's task that called tools, each followed by the results of its calls.
/// `later` contains the messages that arrived in the meantime, oldest first.
///
/// Such a message follows the results of the turn in which it arrived, because no provider accepts a message between a
/// call and its result. Messages that arrived in an earlier, stopped step follow all turns of that step. If they were
/// placed between those turns, the stopped step would seem to have continued after them.
pub(super) fn messages(
    view: &View,
    run: &Run,
    running: &RunningMessage,
    later: Vec<(MessageId, PromptBlock)>,
) -> Vec<ModelMessage> {
    let own = running.assignment();
    let own = run.tool_rounds_of(&own).filter(|round| round.is_over());
    let mut later = later.into_iter().peekable();
    let mut messages = vec![];
    for (message, round) in own.filter_map(|round| Some((round.message?, round))) {
        if round.step == running.step {
            messages.extend(user_message(std::iter::from_fn(|| later.next_if(|(id, _)| *id < message))));
        }
        let text =
            view.message(message).map_or_else(|| "".into(), |message| neutralize_control_tokens(&message.text).into());
        let tool_calls = round.calls.iter().map(|call| ToolCall {
            id: call.id.to_string().into(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        messages.push(ModelMessage::Assistant { text, tool_calls: tool_calls.collect() });
        let result =
            |call: &Call| ModelMessage::Tool { call: call.id.to_string().into(), result: call_result(view, call) };
        messages.extend(round.calls.iter().map(result));
    }
    messages.extend(user_message(later));
    messages
}

/// Joins messages into one, because many chat templates reject consecutive user messages. Returns `None` if there are
/// no messages.
fn user_message(blocks: impl Iterator<Item = (MessageId, PromptBlock)>) -> Option<ModelMessage> {
    let blocks: Vec<PromptBlock> = blocks.map(|(_, block)| block).collect();
    (!blocks.is_empty()).then(|| ModelMessage::User(PromptBlock::together(blocks)))
}

/// Returns the result of a call. If a person answered in place of the tool, the result names that person.
fn call_result(view: &View, call: &Call) -> PromptBlock {
    // A call with attempt 0 was never sent: the kernel itself gave its result, whose text is the server's own.
    let sources = if call.attempt > 0 { &call.result_sources } else { &BTreeSet::new() };
    match (view.call_memory.answer(call.id), &call.output, &call.error) {
        (Some(answer), output, _) => {
            let header = ServerLine::new("[answer").answered(answer).push("]");
            PromptBlock::quoted(header, output.as_ref().unwrap_or(&answer.text))
        }
        (None, Some(output), _) => PromptBlock::returned_from(sources, output),
        (None, None, Some(error)) => PromptBlock::returned_from(
            sources,
            &serde_json::json!({ "error": error.code, "message": error.message }).to_string(),
        ),
        (None, None, None) => PromptBlock::returned(""),
    }
}
