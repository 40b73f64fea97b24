//! Request body in Claude's format: separate system prompt, alternating roles, and content blocks.

use serde_json::{Map, Value, json};

use super::schema::strict_schema;
use crate::agent::prompts::TranscriptTurn;
use crate::agent::request::plain_schema;
use crate::agent::{Image, ModelMessage, ToolCall, Transcript, TurnRequest};
use crate::kernel::ToolChoice;

/// Returns the body of the HTTP request. The API requires `max_tokens`.
pub(in crate::agent) fn body(request: &TurnRequest, model: &str) -> Value {
    let max_tokens = request.max_tokens;
    let messages = alternating_turns(&request.messages);
    let mut body = json!({ "model": model, "max_tokens": max_tokens, "stream": true, "messages": messages });
    if let Some(temperature) = request.temperature {
        // Claude's scale ends at 1: https://docs.claude.com/en/api/messages
        body["temperature"] = temperature.value().min(1.0).into();
    }
    let system: Vec<&str> = request.messages.iter().filter_map(ModelMessage::system).collect();
    if !system.is_empty() {
        body["system"] = system.join("\n\n").into();
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let schema = plain_schema(&tool.schema);
            json!({ "name": tool.name, "description": tool.description, "input_schema": schema })
        });
        body["tools"] = tools.collect();
        let choice = match request.tool_choice {
            ToolChoice::None => "none",
            ToolChoice::Auto => "auto",
            ToolChoice::Required => "any",
        };
        body["tool_choice"] = json!({ "type": choice });
    }
    if let Some(schema) = request.response_format.as_ref().and_then(|format| strict_schema(&format.schema)) {
        body["output_config"] = json!({ "format": { "type": "json_schema", "schema": schema } });
    }
    body
}

/// Returns the messages of a transcript. The last one contains the images.
fn transcript_turns(transcript: &Transcript) -> impl Iterator<Item = (&'static str, Vec<Value>)> {
    transcript.turns().into_iter().map(|turn| match turn {
        TranscriptTurn { is_own: true, text, .. } => ("assistant", text_blocks(text.trim_end())),
        TranscriptTurn { is_last: false, text, .. } => ("user", text_blocks(&text)),
        TranscriptTurn { text, .. } => {
            ("user", transcript.images.iter().map(image_block).chain(text_blocks(&text)).collect())
        }
    })
}

/// Returns a message as pairs of a role and its content blocks.
fn blocks(message: &ModelMessage) -> Vec<(&'static str, Vec<Value>)> {
    vec![match message {
        ModelMessage::System(_) => return vec![],
        ModelMessage::Transcript(transcript) => return transcript_turns(transcript).collect(),
        ModelMessage::User(block) => ("user", text_blocks(block.text())),
        ModelMessage::Assistant { text, tool_calls } => {
            ("assistant", text_blocks(text.trim_end()).into_iter().chain(tool_calls.iter().map(tool_use)).collect())
        }
        ModelMessage::Tool { call, result } => ("user", vec![tool_result(call, result.text())]),
    }]
}

/// Returns the conversation, with consecutive messages of the same role joined.
fn alternating_turns(messages: &[ModelMessage]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = vec![];
    for (role, blocks) in messages.iter().flat_map(blocks) {
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    for (_, content) in &mut turns {
        // The API requires tool results before text.
        content.sort_by_key(|block| block["type"] != "tool_result");
    }
    turns.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

/// Returns a text block; nothing for empty text, because the API rejects an empty block.
fn text_blocks(text: &str) -> Vec<Value> {
    if text.trim().is_empty() { vec![] } else { vec![json!({ "type": "text", "text": text })] }
}

fn image_block(image: &Image) -> Value {
    let source = json!({ "type": "base64", "media_type": image.media_type(), "data": image.base64() });
    json!({ "type": "image", "source": source })
}

fn tool_use(call: &ToolCall) -> Value {
    // The API accepts only objects as arguments, even in earlier responses of the model.
    let input: Map<String, Value> = serde_json::from_str(&call.arguments)
        .unwrap_or_else(|_| [("unreadable".to_owned(), Value::from(&*call.arguments))].into_iter().collect());
    json!({ "type": "tool_use", "id": id(&call.id), "name": call.name, "input": input })
}

fn tool_result(call: &str, text: &str) -> Value {
    json!({ "type": "tool_result", "tool_use_id": id(call), "content": text_blocks(text) })
}

/// Replaces characters that Claude does not accept in ids. Ids from other providers can contain such characters.
fn id(id: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    id.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect()
}
