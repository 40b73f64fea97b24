//! Request of the door: the task and the kind of team.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::agent::{Image, ImageError};
use crate::doors::attachments::InlineFile;
use crate::kernel::{PriorMessage, RelayRole, SessionId, is_blank};
use crate::protocol::{Code, Problem};

/// Body of `POST /AutoAgent`, with the field names of both classes in the specification. Unknown fields are rejected,
/// because ignoring them would lose data without an error.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AutoAgentRequest {
    /// Id of the request, chosen by the client and returned in every line. Also accepted as `traceId`. Default empty.
    #[serde(default, alias = "traceId", deserialize_with = "or_default")]
    pub(super) request_id: Arc<str>,
    /// User name in the client's system, also accepted as `user`. Ignored: the token identifies the participant.
    #[serde(default, rename = "erp", alias = "user")]
    #[schemars(with = "Option<Value>")]
    _known_as: Option<IgnoredAny>,
    /// Task, such as `Compare three ways to store sessions`. Required.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) query: Arc<str>,
    /// Kind of team: 1 comprehensive, 2 workflow, 3 plan_solve, 4 router, 5 react. If absent, `deepThink` decides.
    agent_type: Option<u8>,
    /// Without `agentType`: 0 selects react (one agent, no plan), other values select plan_solve. Default 0.
    #[serde(default, deserialize_with = "or_default")]
    deep_think: i64,
    /// Instructions for the agent of the `react` flow. Rejected with other flows.
    base_prompt: Option<Arc<str>>,
    /// Instructions for the planner of the `plan_solve` flow. Rejected with other flows.
    sop_prompt: Option<Arc<str>>,
    /// Earlier conversation, oldest message first, at most 50 messages including `basePrompt` or `sopPrompt`. Default
    /// empty.
    #[serde(default, deserialize_with = "or_default")]
    messages: Vec<HistoryMessage>,
    /// Image for the task, in base64 or as a data URL.
    #[serde(rename = "base64Image")]
    base64_image: Option<String>,
    /// True to stream texts in fragments, false to send only complete texts. Default true.
    is_stream: Option<bool>,
    /// Ids of uploaded files, as `POST /api/v1/uploads` returns them in `file_id`. Default none.
    #[serde(default, alias = "file_ids", deserialize_with = "or_default")]
    pub(super) file_ids: Vec<String>,
    /// Session of an earlier request, to continue it. If absent, a new session is created.
    pub(super) session_id: Option<SessionId>,
}

/// Message of the earlier conversation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HistoryMessage {
    /// Role of the author, such as `user` or `assistant`.
    role: RelayRole,
    /// Text of the message.
    content: Option<String>,
    /// Image of the message, in base64 or as a data URL.
    #[serde(rename = "base64Image")]
    base64_image: Option<String>,
    /// Tool calls of an assistant, as JSON.
    tool_calls: Option<Value>,
    /// Id of the call whose result this message contains.
    tool_call_id: Option<String>,
}

/// A message of the conversation before the task. Its image becomes a file of the session.
#[derive(Debug, Clone)]
pub(super) struct RelayedMessage {
    pub(super) role: RelayRole,
    pub(super) text: Arc<str>,
    pub(super) image: Option<InlineFile>,
}

/// Deserializes null as the default value, because Java clients send unset fields as null.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Kind of team, by its number in the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AgentType(pub(super) u8);

impl AgentType {
    const FLOWS: [&str; 5] = ["comprehensive", "workflow", "plan_solve", "router", "react"];

    /// Returns the flow of this kind of team, or `None` if the specification does not define the number.
    fn flow(self) -> Option<&'static str> {
        Self::FLOWS.get(usize::from(self.0).checked_sub(1)?).copied()
    }

    /// Returns the kind of team for a flow, or `None` for a flow that the specification does not define.
    pub(super) fn of(flow: &str) -> Option<Self> {
        (1..).zip(Self::FLOWS).find(|(_, known)| *known == flow).map(|(number, _)| Self(number))
    }
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::new(Code::InvalidArgument, message.into())
}

impl AutoAgentRequest {
    pub(super) fn streams(&self) -> bool {
        self.is_stream.unwrap_or(true)
    }

    /// Returns the requested flow.
    pub(super) fn flow(&self) -> Result<&'static str, Problem> {
        let number = self.agent_type.unwrap_or(if self.deep_think == 0 { 5 } else { 3 });
        let message = "agentType is invalid; use 1 comprehensive, 2 workflow, 3 plan_solve, 4 router or 5 react";
        AgentType(number).flow().ok_or_else(|| invalid(message))
    }

    /// Checks that the request does not ask for a flow other than the session's. Clients send `deepThink` 0 as a
    /// default, so it asks for no flow.
    pub(super) fn check_flow(&self, flow: &str) -> Result<(), Problem> {
        let field = match (self.agent_type, self.deep_think) {
            (Some(_), _) => "agentType",
            (None, 0) => return Ok(()),
            (None, _) => "deepThink",
        };
        let wanted = self.flow()?;
        if wanted == flow {
            return Ok(());
        }
        let message =
            format!("{field} asks for {wanted}, but this session has flow {flow}; leave out {field} or sessionId");
        Err(invalid(message))
    }

    /// Returns the input of the run.
    pub(super) fn text(&self) -> Result<Arc<str>, Problem> {
        match is_blank(&self.query) {
            true => Err(invalid("query is empty; set it to the task")),
            false => Ok(self.query.clone()),
        }
    }

    /// Returns the messages before the run's input: the client's instructions, then the earlier conversation. The
    /// instructions are messages from the client, not a system prompt, because only the team has a system prompt.
    pub(super) fn earlier(&self, flow: &str) -> Result<Vec<RelayedMessage>, Problem> {
        let mut earlier = vec![];
        for (field, prompt, takes) in
            [("basePrompt", &self.base_prompt, "react"), ("sopPrompt", &self.sop_prompt, "plan_solve")]
        {
            let Some(text) = prompt.clone().filter(|text| !is_blank(text)) else { continue };
            if flow != takes {
                let AgentType(number) = AgentType::of(takes).unwrap_or(AgentType(0));
                return Err(invalid(format!(
                    "{field} requires agentType {number} ({takes}), but this run has flow {flow}; leave it out"
                )));
            }
            earlier.push(RelayedMessage { role: RelayRole::System, text, image: None });
        }
        for (place, message) in self.messages.iter().enumerate() {
            let field = format!("messages[{place}]");
            let image = image(message.base64_image.as_deref(), &format!("message-{}", place + 1))
                .map_err(|error| invalid(format!("{field}.base64Image: {error}")))?;
            let text = message.text();
            if is_blank(&text) && image.is_none() {
                return Err(invalid(format!("{field} is empty; leave it out, or set content")));
            }
            earlier.push(RelayedMessage { role: message.role, text: text.into(), image });
        }
        // Reject the request before a session is created and before an image becomes a file.
        if earlier.len() > PriorMessage::MAX {
            let message =
                format!("messages and prompts are {} together; send at most {}", earlier.len(), PriorMessage::MAX);
            return Err(invalid(message));
        }
        Ok(earlier)
    }

    /// Returns the image of the task as a file for the session, or `None` if there is no image.
    pub(super) fn image(&self) -> Result<Option<InlineFile>, Problem> {
        image(self.base64_image.as_deref(), "image").map_err(|error| invalid(format!("base64Image: {error}")))
    }
}

/// Returns an image as a file with this name, or `None` if there is no image.
fn image(base64: Option<&str>, name: &str) -> Result<Option<InlineFile>, ImageError> {
    let Some(base64) = base64.filter(|base64| !base64.is_empty()) else { return Ok(None) };
    let image = match base64.starts_with("data:") {
        true => Image::from_data_url(base64),
        false => Image::from_data_url(&format!("data:image/jpeg;base64,{base64}")),
    }?;
    let kind = image.media_type().trim_start_matches("image/").replace("jpeg", "jpg");
    Ok(Some(InlineFile { name: format!("{name}.{kind}"), content: image.content() }))
}

impl HistoryMessage {
    fn text(&self) -> String {
        let calls = self.tool_calls.as_ref().filter(|calls| calls.as_array().is_some_and(|calls| !calls.is_empty()));
        let answered = self.tool_call_id.as_ref().filter(|id| !id.is_empty()).map(|id| format!("{id}:"));
        let content = self.content.clone().filter(|content| !content.is_empty());
        let parts = [answered, content, calls.map(Value::to_string)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse_request(body: Value) -> AutoAgentRequest {
        serde_json::from_value(body).expect("a request")
    }

    #[test]
    fn the_flow_is_what_the_document_says() {
        for (body, flow) in [
            (json!({ "deepThink": 0 }), "react"),
            (json!({ "deepThink": 1 }), "plan_solve"),
            (json!({}), "react"),
            (json!({ "agentType": 1 }), "comprehensive"),
            (json!({ "agentType": 2, "deepThink": 0 }), "workflow"),
            (json!({ "agentType": 3 }), "plan_solve"),
            (json!({ "agentType": 4, "deepThink": 1 }), "router"),
            (json!({ "agentType": 5 }), "react"),
        ] {
            assert_eq!(parse_request(body.clone()).flow().ok(), Some(flow), "{body}");
        }
        assert!(parse_request(json!({ "agentType": 0 })).flow().is_err());
        assert!(parse_request(json!({ "agentType": 6 })).flow().is_err());
        assert_eq!(AgentType::of("plan_solve"), Some(AgentType(3)));
        assert_eq!(AgentType::of("brain"), None);
    }

    #[test]
    fn a_session_keeps_its_flow_and_says_so() {
        for (body, flow, field) in [
            (json!({}), "react", None),
            (json!({ "deepThink": 0 }), "plan_solve", None),
            (json!({ "deepThink": 1 }), "plan_solve", None),
            (json!({ "agentType": 5 }), "react", None),
            (json!({ "deepThink": 1 }), "react", Some("deepThink asks for plan_solve")),
            (json!({ "agentType": 3 }), "react", Some("agentType asks for plan_solve")),
            (json!({ "agentType": 5 }), "brain", Some("agentType asks for react")),
            (json!({ "agentType": 6 }), "react", Some("agentType is invalid")),
        ] {
            let refused = parse_request(body.clone()).check_flow(flow).err().map(|problem| problem.0.message);
            let as_told = refused.as_deref().zip(field).is_some_and(|(message, field)| message.starts_with(field));
            assert!(as_told || (refused.is_none() && field.is_none()), "{body} {flow}: {refused:?}");
        }
    }

    #[test]
    fn both_classes_of_the_document_are_read() {
        let of_users =
            parse_request(json!({ "traceId": "t1", "user": "zhang", "query": "写一份报告", "deepThink": 1 }));
        assert_eq!((&*of_users.request_id, of_users.streams()), ("t1", true));
        let nulls = json!({ "requestId": null, "erp": null, "query": "q", "messages": null, "isStream": null, "sopPrompt": null });
        assert!(parse_request(nulls).earlier("react").expect("nothing").is_empty());
        let call = json!([{ "id": "c1", "type": "function", "function": { "name": "read", "arguments": "{}" } }]);
        let history = parse_request(json!({
            "requestId": "r1", "erp": "zhang", "query": "go on", "isStream": false, "basePrompt": "Be brief.",
            "messages": [
                { "role": "user", "content": "hello" },
                { "role": "assistant", "content": null, "toolCalls": call },
                { "role": "tool", "content": "42", "toolCallId": "c1" },
            ],
        }));
        let earlier = history.earlier("react").expect("all of it");
        let messages = earlier.iter().map(|messages| (messages.role, &*messages.text)).collect::<Vec<_>>();
        let calls = call.to_string();
        let expected = [
            (RelayRole::System, "Be brief."),
            (RelayRole::User, "hello"),
            (RelayRole::Assistant, &*calls),
            (RelayRole::Tool, "c1:\n42"),
        ];
        assert_eq!((history.text().ok().as_deref(), messages), (Some("go on"), expected.to_vec()));
        assert!(parse_request(json!({ "query": " " })).text().is_err());
    }

    #[test]
    fn nothing_is_left_unread() {
        for body in [json!({ "outputStyle": "html" }), json!({ "messages": [{ "role": "user", "name": "x" }] })] {
            let error = serde_json::from_value::<AutoAgentRequest>(body.clone()).expect_err("is refused").to_string();
            assert!(error.contains("unknown field"), "{error}");
        }
        let prompts =
            parse_request(json!({ "query": "q", "sopPrompt": "First look.", "messages": [{ "role": "user" }] }));
        assert!(prompts.earlier("react").is_err_and(|problem| problem.0.message.contains("agentType 3")));
        assert!(prompts.earlier("plan_solve").is_err_and(|problem| problem.0.message.contains("messages[0]")));
        assert!(parse_request(json!({ "base64Image": "aGVsbG8=" })).image().is_err());
        let many = parse_request(
            json!({ "messages": vec![json!({ "role": "user", "content": "x" }); PriorMessage::MAX + 1] }),
        );
        assert!(many.earlier("react").is_err_and(|problem| problem.0.message.contains("send at most 50")));
        let wrong = parse_request(json!({ "messages": [{ "role": "user", "base64Image": "aGVsbG8=" }] }));
        assert!(wrong.earlier("react").is_err_and(|problem| problem.0.message.contains("messages[0].base64Image")));
    }
}
