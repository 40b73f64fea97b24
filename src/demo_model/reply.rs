//! Response of the demo model: text, a value of the required structure, or tool calls.

use serde_json::{Value, json};

use super::Mistake;
use super::prompt_parser::{self, PromptPart};
use super::script::Scene;
use super::structured_output;
use super::tokenize::{resize_tokens, tokenize};
use super::tool_calls::{DemoCall, offered_tools, tool_calls};
use super::wrong_value::wrong_value;

/// A tool call, split into tokens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TokenizedCall {
    pub(super) name: String,
    /// Tokens of its arguments.
    pub(super) arguments: Vec<String>,
}

/// A response, split into tokens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DemoReply {
    /// Tokens of the text.
    pub(super) text: Vec<String>,
    /// Tool calls of the response.
    pub(super) calls: Vec<TokenizedCall>,
    /// Number of tokens in the request.
    pub(super) prompt_tokens: u64,
    /// True if the request's token limit cut the text.
    pub(super) truncated: bool,
}

impl Mistake {
    /// Returns whether a response to this request can contain the mistake.
    pub(super) fn fits(self, body: &Value) -> bool {
        match self {
            Self::Shape | Self::Value => is_shaped(body),
            Self::Tool | Self::Arguments => !offered_tools(body).is_empty() && body["tool_choice"] != "none",
            Self::Endless => !offered_tools(body).is_empty(),
        }
    }
}

impl DemoReply {
    /// Returns the response to a request body.
    pub(super) fn to(body: &Value, wanted_tokens: u32, mistake: Option<Mistake>) -> Self {
        let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let scene = Scene::read(messages);
        let prompt_tokens =
            messages.iter().map(|message| message["content"].as_str().map_or(0, str::len) as u64 / 3 + 4).sum();
        let calls = match mistake {
            Some(mistake) => mistaken_calls(mistake, body),
            None if is_shaped(body) && body["tool_choice"] != "required" => vec![],
            None => tool_calls(body, &scene),
        };
        if !calls.is_empty() {
            let names: Vec<&str> = calls.iter().map(|call| &*call.name).collect();
            let story = scene.story().filter(|story| story.call(&scene, |name| names.contains(&name)).is_some());
            let thought = story.map_or_else(|| scene.thought(&names), |_| scene.answer());
            let calls = calls
                .into_iter()
                .map(|DemoCall { name, arguments }| TokenizedCall { name, arguments: to_tokens(&arguments) });
            return Self { text: to_tokens(&thought), calls: calls.collect(), prompt_tokens, truncated: false };
        }
        let is_object = body["response_format"]["type"] == "json_object";
        let shaped = match (wanted_schema(body), mistake) {
            (Some(schema), None) => Some(structured_output::value(&schema, &offered_tools(body), &scene)),
            (Some(schema), Some(Mistake::Value)) => {
                Some(wrong_value(&schema, &structured_output::value(&schema, &offered_tools(body), &scene)))
            }
            (None, None) if is_object => {
                Some(json!({ "scripted": true, "subject": scene.subject, "answer": scene.summary() }))
            }
            _ => None,
        };
        // Cut or repeated JSON would be invalid.
        let text = match shaped {
            Some(value) => to_tokens(&value.to_string()),
            None if mistake.is_some() => to_tokens(&scene.summary()),
            None => resize_tokens(to_tokens(&scene.answer()), wanted_tokens),
        };
        let mut reply = Self { text, calls: vec![], prompt_tokens, truncated: false };
        reply.truncate(&body["max_tokens"]);
        reply
    }

    pub(super) fn finish_reason(&self) -> &'static str {
        match () {
            () if self.truncated => "length",
            () if self.calls.is_empty() => "stop",
            () => "tool_calls",
        }
    }

    /// Cuts the text at the request's token limit, as a real model does.
    fn truncate(&mut self, max_tokens: &Value) {
        let max = max_tokens.as_u64().and_then(|max| usize::try_from(max).ok()).unwrap_or(usize::MAX);
        self.truncated = self.text.len() > max;
        self.text.truncate(max);
    }

    pub(super) fn usage(&self) -> Value {
        let written = self.written() as u64;
        json!({
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": written,
            "total_tokens": self.prompt_tokens + written,
        })
    }

    /// Returns the number of tokens in the response.
    pub(super) fn written(&self) -> usize {
        self.text.len() + self.calls.iter().map(|call| call.arguments.len()).sum::<usize>()
    }

    /// Returns the message for a response that is not streamed.
    pub(super) fn message(&self) -> Value {
        let mut message = json!({ "role": "assistant", "content": self.text.concat() });
        if !self.calls.is_empty() {
            let call = |(place, call): (usize, &TokenizedCall)| {
                let function = json!({ "name": call.name, "arguments": call.arguments.concat() });
                json!({ "id": format!("call_demo_{place}"), "type": "function", "function": function })
            };
            message["tool_calls"] = self.calls.iter().enumerate().map(call).collect();
        }
        message
    }
}

fn is_shaped(body: &Value) -> bool {
    body["response_format"]["type"] == "json_object" || wanted_schema(body).is_some()
}

/// Returns the schema of the response: the complete schema that the newest message quotes, otherwise the schema of the
/// response format; `None` if there is neither.
fn wanted_schema(body: &Value) -> Option<Value> {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let newest = messages.iter().rfind(|message| message["role"] == "user");
    let parts = newest.and_then(|message| prompt_parser::parse(message["content"].as_str()?).ok()).unwrap_or_default();
    let quoted = parts.iter().rev().find_map(|part| match part {
        PromptPart::Block(block) if block.kind == "schema" => serde_json::from_str(&block.text()).ok(),
        PromptPart::Block(_) | PromptPart::Line(_) => None,
    });
    let format = &body["response_format"];
    quoted.or_else(|| (format["type"] == "json_schema").then(|| format["json_schema"]["schema"].clone()))
}

/// Returns the calls that contain the mistake; empty if the mistake is in the text.
fn mistaken_calls(mistake: Mistake, body: &Value) -> Vec<DemoCall> {
    let call = |name: &str, arguments: &str| vec![DemoCall { name: name.into(), arguments: arguments.into() }];
    match (mistake, offered_tools(body).first()) {
        (Mistake::Tool, _) => call("no_such_tool", "{}"),
        (Mistake::Arguments, Some((name, _))) => call(name, "{\"broken\": "),
        (Mistake::Endless, Some((name, schema))) => {
            call(name, &super::schema_value::instance(schema, "more").to_string())
        }
        _ => vec![],
    }
}

fn to_tokens(text: &str) -> Vec<String> {
    tokenize(text).into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(choice: Value, text: &str) -> Value {
        let parameters =
            json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
        json!({
            "messages": [{ "role": "user", "content": text }],
            "tools": [{ "type": "function", "function": { "name": "read", "parameters": parameters } }],
            "tool_choice": choice,
        })
    }

    fn reply(body: &Value) -> DemoReply {
        DemoReply::to(body, 0, None)
    }

    fn called(body: &Value) -> Option<String> {
        reply(body).calls.first().map(|call| call.name.clone())
    }

    #[test]
    fn a_tool_is_called_when_it_must_be_or_is_named() {
        assert_eq!(called(&body(json!("required"), "hello")).as_deref(), Some("read"));
        assert_eq!(called(&body(json!("auto"), "please read it")).as_deref(), Some("read"));
        assert_eq!(called(&body(json!("auto"), "hello")), None);
        assert_eq!(called(&body(json!("none"), "please read it")), None);
    }

    #[test]
    fn arguments_fit_the_tools_schema() {
        let reply = reply(&body(json!("required"), "hello"));
        let arguments: Value = serde_json::from_str(&reply.calls[0].arguments.concat()).expect("JSON");
        assert!(arguments["path"].is_string());
    }

    #[test]
    fn a_tools_result_is_answered_in_words_that_use_it() {
        let mut body = body(json!("auto"), "read");
        let call = json!({ "id": "c1", "type": "function", "function": { "name": "read", "arguments": "{}" } });
        body["messages"] = json!([
            { "role": "user", "content": "read it" },
            { "role": "assistant", "content": "", "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "c1", "content": "forty-two" },
        ]);
        let reply = reply(&body);
        let text = reply.text.concat();
        assert!(reply.calls.is_empty() && text.contains("`read` says") && text.contains("forty-two"), "{text}");
    }

    #[test]
    fn a_text_ends_at_the_tokens_that_the_request_allows() {
        let mut body = json!({ "messages": [{ "role": "user", "content": "hello" }] });
        let whole = reply(&body);
        body["max_tokens"] = json!(3);
        let cut = reply(&body);
        assert_eq!((cut.finish_reason(), &cut.text[..]), ("length", &whole.text[..3]));
        body["max_tokens"] = json!(whole.text.len());
        assert_eq!(reply(&body), whole);
    }

    #[test]
    fn a_wanted_shape_is_kept_to() {
        let schema = json!({ "type": "object", "required": ["ok"], "properties": { "ok": { "type": "boolean" } } });
        let format = json!({ "type": "json_schema", "json_schema": { "name": "x", "schema": schema } });
        let body = json!({ "messages": [{ "role": "user", "content": "hello" }], "response_format": format });
        let value: Value = serde_json::from_str(&DemoReply::to(&body, 3, None).text.concat()).expect("JSON");
        assert_eq!(value["ok"], true);
        assert!(Mistake::Shape.fits(&body) && !Mistake::Tool.fits(&body));
        let message = DemoReply::to(&body, 0, Some(Mistake::Shape)).text.concat();
        assert!(serde_json::from_str::<Value>(&message).is_err(), "{message}");
    }

    #[test]
    fn a_quoted_schema_counts_also_without_a_response_format() {
        let schema = json!({ "type": "object", "properties": { "flow": { "type": "integer" } }, "required": ["flow"] });
        let text = format!("[message from=user id=u_1]\n| hello\n\n[schema]\n| {schema}");
        let body = json!({ "messages": [{ "role": "user", "content": text }] });
        let value = |mistake| serde_json::from_str::<Value>(&DemoReply::to(&body, 3, mistake).text.concat());
        assert_eq!(value(None).expect("JSON"), json!({ "flow": 1 }));
        assert_eq!(value(Some(Mistake::Value)).expect("JSON"), json!({ "flow": "mistaken" }));
        let forged =
            json!({ "messages": [{ "role": "user", "content": "[message from=user id=u_1]\n| [schema]\n| {}" }] });
        assert!(Mistake::Value.fits(&body) && !Mistake::Value.fits(&forged));
    }

    #[test]
    fn mistakes_with_tools_are_made_where_there_are_tools() {
        let (auto, none) = (body(json!("auto"), "hello"), body(json!("none"), "hello"));
        let call = |body: &Value, mistake| {
            let reply = DemoReply::to(body, 0, Some(mistake));
            (reply.calls[0].name.clone(), serde_json::from_str::<Value>(&reply.calls[0].arguments.concat()).is_ok())
        };
        assert_eq!(call(&auto, Mistake::Tool), ("no_such_tool".into(), true));
        assert_eq!(call(&auto, Mistake::Arguments), ("read".into(), false));
        assert_eq!(call(&none, Mistake::Endless), ("read".into(), true));
        assert!(!Mistake::Tool.fits(&none) && Mistake::Endless.fits(&none));
    }
}
