//! Request for a turn: messages, tools and response format.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Value, json};

use super::prompts::TranscriptTurn;
use super::{Image, PromptBlock, Transcript};
use crate::kernel::{Temperature, ToolChoice, TurnBound};

/// Request for one turn of an agent, before it is cut to the model's context.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnRequest {
    /// Model as `provider/model`, or a model of the default provider. Absent: the default model.
    pub model: Option<Arc<str>>,
    /// The conversation, oldest first.
    pub messages: Vec<ModelMessage>,
    /// Tools that the model can call.
    pub tools: Vec<ToolDefinition>,
    /// Tool choice: the model can, must or must not call tools.
    pub tool_choice: ToolChoice,
    /// Required format of the response.
    pub response_format: Option<ResponseFormat>,
    /// Sampling temperature. Absent: the provider's default.
    pub temperature: Option<Temperature>,
    /// Upper bound on the usage of the request. If absent, only the model's context limits the usage.
    pub bound: Option<TurnBound>,
    /// Maximum length of the response, in tokens; a lower limit in the model's configuration takes precedence. Absent:
    /// the configured limit.
    pub max_tokens: Option<u32>,
}

/// One message of the conversation with a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelMessage {
    /// System prompt. It is never removed by a cut.
    System(Arc<str>),
    /// Message to the agent.
    User(PromptBlock),
    /// Message to the agent that contains a history. A cut removes the oldest entries of the history first.
    Transcript(Transcript),
    /// Earlier response of the model.
    Assistant {
        /// Text of the response.
        text: Arc<str>,
        /// Tool calls of the response.
        tool_calls: Vec<ToolCall>,
    },
    /// Result of a tool call. A cut keeps or removes it together with its call.
    Tool {
        /// Id of the call.
        call: Arc<str>,
        /// Result of the tool, or the answer that people gave in its place.
        result: PromptBlock,
    },
}

/// Tool definition for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Name of the tool in calls.
    pub name: Arc<str>,
    /// Purpose of the tool, and when to use it.
    pub description: Arc<str>,
    /// JSON Schema of its arguments.
    pub schema: Value,
}

/// Required format of a response.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseFormat {
    /// Short name of the format, which some providers require.
    pub name: Arc<str>,
    /// JSON Schema of the response.
    pub schema: Value,
    /// True if the schema comes from a caller. Such a schema is quoted in the conversation and never repeated in the
    /// system prompt, because system prompts contain no text from people.
    pub is_quoted: bool,
}

/// Tool call made by a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Id that the result refers to.
    pub id: Arc<str>,
    /// Name of the tool.
    pub name: Arc<str>,
    /// Arguments as the model wrote them, usually JSON. Models can write invalid JSON.
    pub arguments: Arc<str>,
}

impl ModelMessage {
    /// Returns the system prompt if the message is one.
    pub(super) fn system(&self) -> Option<&str> {
        match self {
            Self::System(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of the message in pieces, for counting tokens. Most pieces recur in the next turn, so their
    /// counts can be cached.
    pub(super) fn pieces(&self) -> Vec<Cow<'_, str>> {
        match self {
            Self::System(text) => vec![Cow::Borrowed(text)],
            Self::Tool { result, .. } => vec![Cow::Borrowed(result.text())],
            Self::User(message) => vec![Cow::Borrowed(message.text())],
            Self::Transcript(transcript) => {
                let past = transcript.loose().map(|entry| Cow::Borrowed(entry.block.text()));
                past.chain(transcript.bare().parts().into_iter().map(|part| Cow::Owned(part.text))).collect()
            }
            Self::Assistant { text, tool_calls } => {
                let calls = tool_calls.iter().map(|call| Cow::Owned(format!(" {} {}", call.name, call.arguments)));
                [Cow::Borrowed(&**text)].into_iter().chain(calls).collect()
            }
        }
    }

    /// Returns the size of the message in bytes, with separators.
    pub(super) fn bytes(&self) -> u64 {
        self.pieces().iter().map(|piece| piece.len() as u64 + 2).sum()
    }

    /// Returns the images of the message.
    pub(super) fn images(&self) -> &[Image] {
        match self {
            Self::Transcript(transcript) => &transcript.images,
            _ => &[],
        }
    }

    /// Returns the message in OpenAI's format. A transcript can become several messages.
    fn bodies(&self) -> Vec<Value> {
        match self {
            Self::Transcript(transcript) => {
                transcript.turns().into_iter().map(|turn| turn_body(turn, transcript)).collect()
            }
            one => vec![one.body()],
        }
    }

    fn body(&self) -> Value {
        match self {
            Self::System(text) => json!({ "role": "system", "content": text }),
            Self::User(message) => json!({ "role": "user", "content": message.text() }),
            Self::Transcript(transcript) => json!({ "role": "user", "content": transcript.text() }),
            Self::Assistant { text, tool_calls } if tool_calls.is_empty() => {
                json!({ "role": "assistant", "content": text })
            }
            Self::Assistant { text, tool_calls } => {
                let calls: Vec<Value> = tool_calls
                    .iter()
                    .map(|call| {
                        let function = json!({ "name": call.name, "arguments": call.arguments });
                        json!({ "id": call.id, "type": "function", "function": function })
                    })
                    .collect();
                // Some servers reject empty text next to tool calls; all servers accept null.
                let content = (!text.is_empty()).then_some(text);
                json!({ "role": "assistant", "content": content, "tool_calls": calls })
            }
            Self::Tool { call, result } => json!({ "role": "tool", "tool_call_id": call, "content": result.text() }),
        }
    }
}

/// Returns one message of a transcript in OpenAI's format. The last message contains the images.
fn turn_body(turn: TranscriptTurn, transcript: &Transcript) -> Value {
    let role = if turn.is_own { "assistant" } else { "user" };
    if !turn.is_last || transcript.images.is_empty() {
        return json!({ "role": role, "content": turn.text });
    }
    // High detail is requested explicitly because its cost has an upper bound. With the server's default, a large image
    // can cost five times as much.
    let shown = |image: &Image| json!({ "url": image.data_url(), "detail": "high" });
    let images = transcript.images.iter().map(|image| json!({ "type": "image_url", "image_url": shown(image) }));
    let message = json!({ "type": "text", "text": turn.text });
    json!({ "role": role, "content": images.chain([message]).collect::<Vec<_>>() })
}

impl TurnRequest {
    /// Inserts an envelope before the agent's current input.
    pub(super) fn prepend_to_present(&mut self, text: PromptBlock) {
        let transcript = self.messages.iter_mut().find_map(|message| match message {
            ModelMessage::Transcript(transcript) => Some(transcript),
            _ => None,
        });
        if let Some(transcript) = transcript {
            transcript.present.insert(0, text);
        }
    }

    /// Returns the body of the HTTP request. `limit_name` is the server's name for the `max_tokens` field.
    pub(super) fn body(&self, model: &str, limit_name: &str) -> Value {
        let mut body = json!({
            "model": model,
            "messages": self.messages.iter().flat_map(ModelMessage::bodies).collect::<Vec<_>>(),
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        if let Some(max_tokens) = self.max_tokens {
            body[limit_name] = max_tokens.into();
        }
        if let Some(temperature) = self.temperature {
            body["temperature"] = temperature.value().into();
        }
        if !self.tools.is_empty() {
            let tools = self.tools.iter().map(|tool| {
                let function = json!({
                    "name": tool.name, "description": tool.description, "parameters": plain_schema(&tool.schema),
                });
                json!({ "type": "function", "function": function })
            });
            body["tools"] = tools.collect();
            body["tool_choice"] = match self.tool_choice {
                ToolChoice::None => "none",
                ToolChoice::Auto => "auto",
                ToolChoice::Required => "required",
            }
            .into();
        }
        if let Some(format) = &self.response_format {
            let schema = json!({ "name": format.name, "schema": plain_schema(&format.schema), "strict": false });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        body
    }
}

/// Returns the schema without `$schema` and `format`, which several providers reject.
pub(super) fn plain_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, value)| {
                // A property can be called "format". Only the keyword, whose value is a string, is removed.
                !(key.as_str() == "$schema" || (key.as_str() == "format" && value.is_string()))
            });
            Value::Object(kept.map(|(key, value)| (key.clone(), plain_schema(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(plain_schema).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_streams_and_asks_for_usage() {
        let request = TurnRequest { messages: vec![ModelMessage::User("hello".into())], ..Default::default() };
        let body = request.body("m", "max_tokens");
        assert_eq!(body["stream"], true);
        assert_eq!(body["stream_options"]["include_usage"], true);
        assert_eq!(body.get("tools"), None);
        assert_eq!(body.get("max_tokens"), None);
    }

    #[test]
    fn a_schema_goes_without_what_providers_refuse() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": { "format": { "type": "string", "format": "date" } },
        });
        assert_eq!(plain_schema(&schema), json!({ "properties": { "format": { "type": "string" } } }));
    }

    #[test]
    fn a_tool_call_without_words_has_no_content() {
        let call = ToolCall { id: "1".into(), name: "read".into(), arguments: "{}".into() };
        let body = ModelMessage::Assistant { text: "".into(), tool_calls: vec![call] }.body();
        assert_eq!(body["content"], Value::Null);
        assert_eq!(body["tool_calls"][0]["function"]["name"], "read");
    }
}
