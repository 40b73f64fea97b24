//! What a model is asked.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Value, json};

use super::{Envelope, Image, Transcript, transcript::Turn};
use crate::kernel::{Temperature, ToolChoice};

/// One turn of one agent, before it is cut to the model's context.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnRequest {
    /// `provider/model`, or a model of the default provider; absent: the default model.
    pub model: Option<Arc<str>>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Tools that the model may call.
    pub tools: Vec<Tool>,
    /// Whether it may, must or must not call them.
    pub tool_choice: ToolChoice,
    /// The shape that the answer must have.
    pub response_format: Option<ResponseFormat>,
    /// How freely the model chooses words; absent: as the provider has it.
    pub temperature: Option<Temperature>,
    /// Tokens that the answer may have, if the model is not configured with fewer; absent: what it is configured with.
    pub max_tokens: Option<u32>,
}

/// One message of the conversation with a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Who the agent is and what it is to do; survives every cut.
    System(Arc<str>),
    /// Words to the agent.
    User(Envelope),
    /// Words to the agent that hold a history, whose oldest entries a cut may leave out.
    Transcript(Transcript),
    /// What the model answered earlier.
    Assistant {
        /// Its words.
        text: Arc<str>,
        /// The tools that it called.
        tool_calls: Vec<ToolCall>,
    },
    /// What a tool answered; stays with the call that it answers.
    Tool {
        /// The call.
        call: Arc<str>,
        /// The result, or what people answered in its place.
        result: Envelope,
    },
}

/// A tool, as a model is told about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// What a call names.
    pub name: Arc<str>,
    /// What it does and when to use it.
    pub description: Arc<str>,
    /// JSON Schema of its arguments.
    pub schema: Value,
}

/// The shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseFormat {
    /// A short name, which some providers want.
    pub name: Arc<str>,
    /// The JSON Schema.
    pub schema: Value,
}

/// An agent's request to use a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Names it in its result.
    pub id: Arc<str>,
    /// The tool.
    pub name: Arc<str>,
    /// The arguments, as the model wrote them: JSON, if it did well.
    pub arguments: Arc<str>,
}

impl Message {
    /// The system prompt, if it is one.
    pub(super) fn system(&self) -> Option<&str> {
        match self {
            Self::System(text) => Some(text),
            _ => None,
        }
    }

    /// All its words, for counting: in pieces, most of which come again with the next turn.
    pub(super) fn pieces(&self) -> Vec<Cow<'_, str>> {
        match self {
            Self::System(text) => vec![Cow::Borrowed(text)],
            Self::Tool { result, .. } => vec![Cow::Borrowed(result.text())],
            Self::User(words) => vec![Cow::Borrowed(words.text())],
            Self::Transcript(transcript) => {
                let past = transcript.loose().map(|entry| Cow::Borrowed(entry.words.text()));
                past.chain(transcript.bare().parts().into_iter().map(|part| Cow::Owned(part.text))).collect()
            }
            Self::Assistant { text, tool_calls } => {
                let calls = tool_calls.iter().map(|call| Cow::Owned(format!(" {} {}", call.name, call.arguments)));
                [Cow::Borrowed(&**text)].into_iter().chain(calls).collect()
            }
        }
    }

    /// How many bytes they are, with what stands between them.
    pub(super) fn bytes(&self) -> u64 {
        self.pieces().iter().map(|piece| piece.len() as u64 + 2).sum()
    }

    /// The images that it shows.
    pub(super) fn images(&self) -> &[Image] {
        match self {
            Self::Transcript(transcript) => &transcript.images,
            _ => &[],
        }
    }

    /// As OpenAI's interface has them: a transcript may be several.
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
            Self::User(words) => json!({ "role": "user", "content": words.text() }),
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
                // Some servers refuse an empty text beside tool calls, none refuses null.
                let content = (!text.is_empty()).then_some(text);
                json!({ "role": "assistant", "content": content, "tool_calls": calls })
            }
            Self::Tool { call, result } => json!({ "role": "tool", "tool_call_id": call, "content": result.text() }),
        }
    }
}

/// One message of a transcript; the last one shows its images.
fn turn_body(turn: Turn, transcript: &Transcript) -> Value {
    let role = if turn.is_own { "assistant" } else { "user" };
    if !turn.is_last || transcript.images.is_empty() {
        return json!({ "role": role, "content": turn.text });
    }
    // High detail has a bound; what a server does by itself with a large image may cost five times as much.
    let shown = |image: &Image| json!({ "url": image.data_url(), "detail": "high" });
    let images = transcript.images.iter().map(|image| json!({ "type": "image_url", "image_url": shown(image) }));
    let words = json!({ "type": "text", "text": turn.text });
    json!({ "role": role, "content": images.chain([words]).collect::<Vec<_>>() })
}

impl TurnRequest {
    /// Put this before the words that the agent is to work on now.
    pub(super) fn add_to_present(&mut self, words: Envelope) {
        let transcript = self.messages.iter_mut().find_map(|message| match message {
            Message::Transcript(transcript) => Some(transcript),
            _ => None,
        });
        if let Some(transcript) = transcript {
            transcript.present.insert(0, words);
        }
    }

    /// The body of the HTTP request; `limit_name` is the server's name for `max_tokens`.
    pub(super) fn body(&self, model: &str, limit_name: &str) -> Value {
        let mut body = json!({
            "model": model,
            "messages": self.messages.iter().flat_map(Message::bodies).collect::<Vec<_>>(),
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

/// The schema without `$schema` and `format`, which several providers refuse to take.
pub(super) fn plain_schema(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, value)| {
                // A property may be called "format"; only the keyword, whose value is a text, goes.
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
        let request = TurnRequest { messages: vec![Message::User("hello".into())], ..Default::default() };
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
        let body = Message::Assistant { text: "".into(), tool_calls: vec![call] }.body();
        assert_eq!(body["content"], Value::Null);
        assert_eq!(body["tool_calls"][0]["function"]["name"], "read");
    }
}
