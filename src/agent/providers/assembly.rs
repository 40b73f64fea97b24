//! Assembles a response from the fragments of its stream. Accepts the dialects of different servers: null fields,
//! omitted keys, tool calls without an index, names before arguments, and a last fragment that contains only usage.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

use crate::agent::{StopReason, ToolCall, TurnError};

/// A response that is still being received.
#[derive(Debug)]
pub(super) struct ResponseAssembly {
    provider: Arc<str>,
    model: Arc<str>,
    pub(super) text: String,
    pub(super) reasoning: String,
    refusal: String,
    calls: Vec<PartialToolCall>,
    /// Input and output tokens, as the provider counts them.
    pub(super) usage: Option<(u64, u64)>,
    finish: Option<Arc<str>>,
}

#[derive(Debug, Default)]
struct PartialToolCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl ResponseAssembly {
    pub(super) fn new(provider: Arc<str>, model: Arc<str>) -> Self {
        Self {
            provider,
            model,
            text: String::new(),
            reasoning: String::new(),
            refusal: String::new(),
            calls: vec![],
            usage: None,
            finish: None,
        }
    }

    /// Returns whether the model has finished. After that, only usage figures can follow.
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Adds one fragment.
    pub(super) fn take(&mut self, chunk: &Value, on_text: &mut (dyn FnMut(&str) + Send)) -> Result<(), TurnError> {
        if !chunk.is_object() {
            return Err(self.unreadable());
        }
        if !matches!(chunk["error"], Value::Null) {
            return Err(TurnError::of_stream_error(&self.provider, &self.model, &chunk["error"]));
        }
        for usage in [&chunk["usage"], &chunk["x_groq"]["usage"]] {
            if let (Some(input), Some(output)) = (usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64())
            {
                self.usage = Some((input, output));
            }
        }
        let choices = chunk["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
        // The request asks for one choice. Some servers send several; only the one with index 0 is used.
        let Some(choice) = choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0) else {
            return Ok(());
        };
        let delta = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
        self.take_delta(delta, on_text);
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            match reason {
                "content_filter" => return Err(self.refused()),
                "error" => {
                    return Err(TurnError::unavailable(format!(
                        "{} reported an error in the middle of its response",
                        self.provider
                    )));
                }
                _ => self.finish = Some(reason.into()),
            }
        }
        Ok(())
    }

    fn take_delta(&mut self, delta: &Value, on_text: &mut (dyn FnMut(&str) + Send)) {
        for fragment in content_texts(&delta["content"]) {
            let fragment = strip_nul(fragment);
            if !fragment.is_empty() {
                self.text.push_str(&fragment);
                on_text(&fragment);
            }
        }
        for key in ["reasoning_content", "reasoning"] {
            if let Some(thought) = delta[key].as_str() {
                self.reasoning.push_str(thought);
                break;
            }
        }
        if let Some(refusal) = delta["refusal"].as_str() {
            self.refusal.push_str(refusal);
        }
        for call in delta["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default() {
            self.take_call(call, &call["function"], call["index"].as_u64());
        }
        if delta["function_call"].is_object() {
            self.take_call(&Value::Null, &delta["function_call"], Some(0));
        }
    }

    fn take_call(&mut self, call: &Value, function: &Value, index: Option<u64>) {
        let id = call["id"].as_str().unwrap_or_default();
        let name = function["name"].as_str().unwrap_or_default();
        let slot = match self.place(index, id, name) {
            Some(slot) => slot,
            None => {
                self.calls.push(PartialToolCall { index, ..PartialToolCall::default() });
                self.calls.len() - 1
            }
        };
        let slot = &mut self.calls[slot];
        if slot.id.is_empty() {
            slot.id = id.to_owned();
        }
        if slot.name.is_empty() {
            slot.name = name.to_owned();
        }
        match &function["arguments"] {
            Value::String(fragment) => slot.arguments.push_str(fragment),
            // Some servers send the arguments as a JSON value instead of a string.
            Value::Object(_) | Value::Array(_) if slot.arguments.is_empty() => {
                slot.arguments = function["arguments"].to_string();
            }
            _ => {}
        }
    }

    /// Returns the index of the call that a fragment continues; `None` if it begins a new one.
    fn place(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let same = |call: &PartialToolCall| id.is_empty() || call.id.is_empty() || call.id == id;
        if index.is_some() {
            // Some servers give several calls the index 0 and distinguish them only by id.
            return self.calls.iter().rposition(|call| call.index == index && same(call));
        }
        if !id.is_empty() {
            return self.calls.iter().position(|call| call.id == id);
        }
        let last = self.calls.last()?;
        let begins = !name.is_empty() && !last.name.is_empty();
        (!begins).then(|| self.calls.len() - 1)
    }

    /// Returns the complete response.
    ///
    /// # Errors
    /// Fails if the stream ended early, the model refused, or the response is empty.
    pub(super) fn end(self) -> Result<RawCompletion, TurnError> {
        let Some(finish) = &self.finish else { return Err(TurnError::broken_off(&self.provider)) };
        if self.text.is_empty() && self.calls.is_empty() && !self.refusal.is_empty() {
            return Err(self.refused());
        }
        let finish = StopReason::parse(finish);
        let tool_calls = self.calls.into_iter().enumerate().map(|(place, call)| ToolCall {
            id: if call.id.is_empty() { format!("call_{place}") } else { call.id }.into(),
            name: call.name.into(),
            arguments: call.arguments.into(),
        });
        let tool_calls = tool_calls.collect();
        let reasoning = (!self.reasoning.is_empty()).then_some(self.reasoning);
        let ended = RawCompletion { text: self.text, tool_calls, reasoning, usage: self.usage, finish };
        ended.checked(&self.provider, &self.model)
    }

    fn refused(&self) -> TurnError {
        TurnError::declined(&self.model)
    }

    pub(super) fn unreadable(&self) -> TurnError {
        TurnError::unreadable(&self.provider)
    }
}

/// A complete response, before its cost is known.
#[derive(Debug)]
pub(super) struct RawCompletion {
    pub(super) text: String,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) reasoning: Option<String>,
    pub(super) usage: Option<(u64, u64)>,
    pub(super) finish: StopReason,
}

impl RawCompletion {
    /// Returns the response, with missing arguments filled in.
    ///
    /// # Errors
    /// Fails if the response is empty or has a tool call without a name.
    pub(super) fn checked(mut self, provider: &str, model: &str) -> Result<Self, TurnError> {
        if self.text.is_empty() && self.tool_calls.is_empty() {
            let why = if self.finish == StopReason::Length {
                "used all its output tokens before the first word; raise max_output_tokens"
            } else {
                "returned an empty response"
            };
            return Err(TurnError::bad_response(format!("{model} at {provider} {why}")));
        }
        if self.tool_calls.iter().any(|call| call.name.is_empty()) {
            return Err(TurnError::unreadable(provider));
        }
        // In a complete response, empty arguments mean that there are none. In a response that was cut at the token
        // limit, they stay empty. An empty string is not valid JSON, so the call is rejected instead of being executed
        // without the arguments that the model intended.
        let whole = self.finish != StopReason::Length;
        for call in self.tool_calls.iter_mut().filter(|call| whole && call.arguments.trim().is_empty()) {
            call.arguments = "{}".into();
        }
        Ok(self)
    }
}

/// Removes NUL characters. Some databases reject them, and no reader needs them.
pub(super) fn strip_nul(fragment: Cow<'_, str>) -> Cow<'_, str> {
    if fragment.contains('\0') { fragment.replace('\0', "").into() } else { fragment }
}

/// Returns the text of a message's content, as one or more strings: the content itself, or its text parts.
fn content_texts(content: &Value) -> Vec<Cow<'_, str>> {
    match content {
        Value::String(text) => vec![text.into()],
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).map(Into::into).collect(),
        _ => vec![],
    }
}
