//! What the demo model answers to a request: words, a value of the wanted shape, or a tool call.

use serde_json::{Value, json};

use super::pieces::{exactly, pieces};
use super::schema::instance;
use super::script::Scene;

/// An answer, cut into tokens.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reply {
    /// Tokens of the text, or of the tool call's arguments.
    pub(super) tokens: Vec<String>,
    /// The tool that is called.
    pub(super) tool: Option<String>,
    /// Tokens of the question.
    pub(super) prompt_tokens: u64,
}

impl Reply {
    /// The answer to a request's body.
    pub(super) fn to(body: &Value, wanted_tokens: u32) -> Self {
        let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let scene = Scene::read(messages);
        let prompt_tokens =
            messages.iter().map(|message| message["content"].as_str().map_or(0, str::len) as u64 / 3 + 4).sum();
        if let Some((name, schema)) = tool(body, messages) {
            let arguments = instance(schema, &scene.subject).to_string();
            return Self { tokens: owned(&arguments), tool: Some(name.to_owned()), prompt_tokens };
        }
        let format = &body["response_format"];
        let shaped = match format["type"].as_str() {
            Some("json_schema") => Some(instance(&format["json_schema"]["schema"], &scene.subject)),
            Some("json_object") => {
                Some(json!({ "scripted": true, "subject": scene.subject, "answer": scene.summary() }))
            }
            _ => None,
        };
        // A value that is cut or repeated would be none.
        let tokens = match shaped {
            Some(value) => owned(&value.to_string()),
            None => exactly(owned(&scene.answer()), wanted_tokens),
        };
        Self { tokens, tool: None, prompt_tokens }
    }

    pub(super) fn finish_reason(&self) -> &'static str {
        if self.tool.is_some() { "tool_calls" } else { "stop" }
    }

    pub(super) fn usage(&self) -> Value {
        let written = self.tokens.len() as u64;
        json!({
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": written,
            "total_tokens": self.prompt_tokens + written,
        })
    }

    /// The message of an answer that is not streamed.
    pub(super) fn message(&self) -> Value {
        let text = self.tokens.concat();
        match &self.tool {
            None => json!({ "role": "assistant", "content": text }),
            Some(name) => {
                let function = json!({ "name": name, "arguments": text });
                let call = json!({ "id": "call_demo_0", "type": "function", "function": function });
                json!({ "role": "assistant", "content": null, "tool_calls": [call] })
            }
        }
    }
}

fn owned(text: &str) -> Vec<String> {
    pieces(text).into_iter().map(str::to_owned).collect()
}

/// The tool to call, with the schema of its arguments: the one that must be called, or the one that the newest words name.
/// A tool's result is answered in words.
fn tool<'a>(body: &'a Value, messages: &[Value]) -> Option<(&'a str, &'a Value)> {
    let newest = messages.last()?;
    if newest["role"] == "tool" {
        return None;
    }
    let functions = body["tools"].as_array()?.iter().map(|tool| &tool["function"]);
    let mut functions = functions.filter_map(|function| Some((function["name"].as_str()?, &function["parameters"])));
    let choice = &body["tool_choice"];
    match (choice.as_str(), choice["function"]["name"].as_str()) {
        (Some("none"), _) => None,
        (Some("required"), _) => functions.next(),
        (_, Some(named)) => functions.find(|(name, _)| *name == named),
        _ => {
            let words = newest["content"].as_str()?;
            functions.find(|(name, _)| words.contains(name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(choice: Value, words: &str) -> Value {
        let parameters =
            json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
        json!({
            "messages": [{ "role": "user", "content": words }],
            "tools": [{ "type": "function", "function": { "name": "read", "parameters": parameters } }],
            "tool_choice": choice,
        })
    }

    #[test]
    fn a_tool_is_called_when_it_must_be_or_is_named() {
        assert_eq!(Reply::to(&body(json!("required"), "hello"), 0).tool.as_deref(), Some("read"));
        assert_eq!(Reply::to(&body(json!("auto"), "please read it"), 0).tool.as_deref(), Some("read"));
        assert_eq!(Reply::to(&body(json!("auto"), "hello"), 0).tool, None);
        assert_eq!(Reply::to(&body(json!("none"), "please read it"), 0).tool, None);
    }

    #[test]
    fn arguments_fit_the_tools_schema() {
        let reply = Reply::to(&body(json!("required"), "hello"), 0);
        let arguments: Value = serde_json::from_str(&reply.tokens.concat()).expect("JSON");
        assert!(arguments["path"].is_string());
    }

    #[test]
    fn a_tools_result_is_answered_in_words() {
        let mut body = body(json!("required"), "hello");
        body["messages"] = json!([{ "role": "user", "content": "read" }, { "role": "tool", "content": "text" }]);
        assert_eq!(Reply::to(&body, 0).tool, None);
    }

    #[test]
    fn a_wanted_shape_is_kept_to() {
        let schema = json!({ "type": "object", "required": ["ok"], "properties": { "ok": { "type": "boolean" } } });
        let format = json!({ "type": "json_schema", "json_schema": { "name": "x", "schema": schema } });
        let body = json!({ "messages": [{ "role": "user", "content": "hello" }], "response_format": format });
        let value: Value = serde_json::from_str(&Reply::to(&body, 3).tokens.concat()).expect("JSON");
        assert_eq!(value["ok"], true);
    }
}
