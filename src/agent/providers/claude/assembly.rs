//! Assembles a response from the events of a stream in Claude's format.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;

use crate::agent::providers::assembly::{RawCompletion, strip_nul};
use crate::agent::{StopReason, ToolCall, TurnError};

/// A response that is still being received.
#[derive(Debug)]
pub(super) struct ClaudeAssembly {
    provider: Arc<str>,
    model: Arc<str>,
    text: String,
    reasoning: String,
    calls: Vec<ClaudeToolUse>,
    sent: Option<u64>,
    written: Option<u64>,
    stop: Option<Arc<str>>,
}

#[derive(Debug)]
struct ClaudeToolUse {
    block: u64,
    id: String,
    name: String,
    /// Input in the first event of the block. Some servers send the complete arguments there.
    whole: Value,
    arguments: String,
}

impl ClaudeAssembly {
    pub(super) fn new(provider: Arc<str>, model: Arc<str>) -> Self {
        let (text, reasoning) = (String::new(), String::new());
        Self { provider, model, text, reasoning, calls: vec![], sent: None, written: None, stop: None }
    }

    /// Adds one event and returns whether it was the last one. Unknown kinds of events and blocks are ignored.
    pub(super) fn take(&mut self, data: &str, on_text: &mut (dyn FnMut(&str) + Send)) -> Result<bool, TurnError> {
        let event: Value = serde_json::from_str(data).map_err(|_| self.unreadable())?;
        match event["type"].as_str().ok_or_else(|| self.unreadable())? {
            "message_start" => self.sent = input_tokens(&event["message"]["usage"]).or(self.sent),
            "content_block_start" => self.begin(&event, on_text),
            "content_block_delta" => self.go_on(&event, on_text),
            "message_delta" => {
                let usage = &event["usage"];
                self.sent = input_tokens(usage).or(self.sent);
                self.written = usage["output_tokens"].as_u64().or(self.written);
                self.stop = event["delta"]["stop_reason"].as_str().map(Into::into).or(self.stop.take());
            }
            "message_stop" => return Ok(true),
            "error" => return Err(self.failed(&event["error"])),
            _ => {}
        }
        Ok(false)
    }

    fn begin(&mut self, event: &Value, on_text: &mut (dyn FnMut(&str) + Send)) {
        let block = &event["content_block"];
        let word = |key: &str| block[key].as_str().unwrap_or_default();
        match word("type") {
            "text" => self.say(word("text"), on_text),
            "thinking" => self.reasoning.push_str(word("thinking")),
            "tool_use" => self.calls.push(ClaudeToolUse {
                block: event["index"].as_u64().unwrap_or_default(),
                id: word("id").to_owned(),
                name: word("name").to_owned(),
                whole: block["input"].clone(),
                arguments: String::new(),
            }),
            _ => {}
        }
    }

    fn go_on(&mut self, event: &Value, on_text: &mut (dyn FnMut(&str) + Send)) {
        let delta = &event["delta"];
        let word = |key: &str| delta[key].as_str().unwrap_or_default();
        match word("type") {
            "text_delta" => self.say(word("text"), on_text),
            "thinking_delta" => self.reasoning.push_str(word("thinking")),
            "input_json_delta" => {
                let block = event["index"].as_u64().unwrap_or_default();
                if let Some(call) = self.calls.iter_mut().rfind(|call| call.block == block) {
                    call.arguments.push_str(word("partial_json"));
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, fragment: &str, on_text: &mut (dyn FnMut(&str) + Send)) {
        let fragment: Cow<str> = strip_nul(fragment.into());
        if !fragment.is_empty() {
            self.text.push_str(&fragment);
            on_text(&fragment);
        }
    }

    /// Returns the complete response.
    ///
    /// # Errors
    /// Fails if the stream ended early, the model refused, or the response is empty.
    pub(super) fn end(self) -> Result<RawCompletion, TurnError> {
        let Some(stop) = &self.stop else { return Err(self.cut()) };
        if &**stop == "refusal" {
            return Err(TurnError::declined(&self.model));
        }
        let finish = StopReason::parse(stop);
        let tool_calls = self.calls.into_iter().map(ClaudeToolUse::finished).collect();
        let reasoning = (!self.reasoning.is_empty()).then_some(self.reasoning);
        let ended =
            RawCompletion { text: self.text, tool_calls, reasoning, usage: self.sent.zip(self.written), finish };
        ended.checked(&self.provider, &self.model)
    }

    /// Returns the error for a stream that ended early.
    pub(super) fn cut(&self) -> TurnError {
        TurnError::broken_off(&self.provider)
    }

    pub(super) fn unreadable(&self) -> TurnError {
        TurnError::unreadable(&self.provider)
    }

    /// Classifies an error in the middle of the stream. It has no HTTP status, but its type corresponds to one.
    fn failed(&self, error: &Value) -> TurnError {
        let status = match error["type"].as_str().unwrap_or_default() {
            "invalid_request_error" => 400,
            "authentication_error" => 401,
            "billing_error" => 402,
            "permission_error" => 403,
            "not_found_error" => 404,
            "request_too_large" => 413,
            "rate_limit_error" => 429,
            "timeout_error" => 504,
            "overloaded_error" => 529,
            _ => 500,
        };
        TurnError::of_error(&self.provider, &self.model, status, error)
    }
}

impl ClaudeToolUse {
    fn finished(self) -> ToolCall {
        let whole = self.whole.as_object().is_some_and(|input| !input.is_empty()) && self.arguments.is_empty();
        let arguments = if whole { self.whole.to_string() } else { self.arguments };
        ToolCall { id: self.id.into(), name: self.name.into(), arguments: arguments.into() }
    }
}

/// Returns the input tokens, including those written to and read from the provider's cache.
fn input_tokens(usage: &Value) -> Option<u64> {
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let cached: u64 = cached.iter().filter_map(|key| usage[*key].as_u64()).sum();
    Some(usage["input_tokens"].as_u64()? + cached)
}
