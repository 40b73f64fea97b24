//! Lines of an `auto_agent` stream, with the fields that the specification of the door defines.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::request::AgentType;
use super::resume::StreamStart;
use crate::kernel::plan::{Plan, PlanItemState};
use crate::kernel::{CallId, Fact, Language, SessionId};

/// Types of messages in the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum AutoAgentKind {
    /// Current plan.
    Plan,
    /// Text of an agent before a tool call or in a plan.
    ToolThought,
    /// Result of a tool call.
    ToolResult,
    /// Part of a plan item, sent when work on the item starts.
    Task,
    /// Result of a part of the plan.
    TaskSummary,
    /// Text of an agent's reply, or a question.
    AgentStream,
    /// End of the run, with its output.
    Result,
    /// Sign that the connection is alive.
    Heartbeat,
}

/// Properties that all lines of a request share.
#[derive(Debug, Clone)]
pub(super) struct AutoAgentContext {
    pub(super) id: Arc<str>,
    pub(super) agent_type: Option<AgentType>,
    /// Language of the run.
    pub(super) language: Language,
    /// Start of the stream. The ids of the stream's events begin with it.
    pub(super) from: StreamStart,
}

/// One line of the stream.
#[derive(Debug, Clone)]
pub(super) struct AutoAgentMessage {
    pub(super) kind: AutoAgentKind,
    /// Id of the message: lines with the same id belong together.
    pub(super) message: String,
    /// Text, or an object if the type has fields.
    pub(super) content: Value,
    /// True if `content` is the complete message.
    pub(super) is_final: bool,
    /// True if the run has ended.
    pub(super) finished: bool,
    /// Error message, if the run failed or the text was cut.
    pub(super) error: Option<Arc<str>>,
}

impl AutoAgentMessage {
    /// Creates a line with a complete message.
    pub(super) fn whole(kind: AutoAgentKind, message: impl ToString, content: Value) -> Self {
        Self { kind, message: message.to_string(), content, is_final: true, finished: false, error: None }
    }

    /// Creates a line with the next fragment of a message.
    pub(super) fn fragment(kind: AutoAgentKind, message: impl ToString, text: &str) -> Self {
        Self { is_final: false, ..Self::whole(kind, message, text.into()) }
    }

    /// Returns the line as JSON. The specification's backend calls the type `responseType` and puts texts into `result`
    /// and objects into `resultMap`. Its page reads `packageType`, `status`, `finished` and `resultMap.eventData`.
    pub(super) fn json(&self, request: &AutoAgentContext) -> Value {
        let mut map = self.content.as_object().cloned().unwrap_or_default();
        map.insert("agentType".into(), json!(request.agent_type.map(|number| number.0)));
        let event = json!({
            "messageId": self.message, "messageType": self.kind, "isFinal": self.is_final, "content": self.content,
        });
        map.insert("eventData".into(), event);
        json!(AutoAgentEvent {
            request_id: request.id.clone(),
            message_id: self.message.clone(),
            message_type: self.kind,
            response_type: self.kind,
            package_type: if self.kind == AutoAgentKind::Heartbeat { "heartbeat" } else { "result" },
            status: if self.error.is_some() { "failed" } else { "success" },
            is_final: self.is_final,
            finished: self.finished,
            content: self.content.clone(),
            result_map: map,
            result: self.content.as_str().map(Into::into),
            error_msg: self.error.clone(),
        })
    }
}

/// JSON of a line.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AutoAgentEvent {
    /// `requestId` of the request.
    request_id: Arc<str>,
    /// Id of the message: lines with the same id belong together.
    message_id: String,
    /// Type of the message.
    message_type: AutoAgentKind,
    /// The same as `messageType`.
    response_type: AutoAgentKind,
    /// `heartbeat` or `result`.
    package_type: &'static str,
    /// `failed` if the run failed or the text was cut, otherwise `success`.
    status: &'static str,
    /// True if `content` is the complete message.
    is_final: bool,
    /// True if the run has ended.
    finished: bool,
    /// Text, or an object if the type has fields.
    content: Value,
    /// Fields of `content`, `agentType`, and the message itself as `eventData`.
    result_map: Map<String, Value>,
    /// `content`, if it is a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Arc<str>>,
    /// Error message, if the run failed or the text was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_msg: Option<Arc<str>>,
}

/// Returns a plan in the format of the specification's planning tool.
pub(super) fn plan_json(plan: &Plan) -> Value {
    let status = |state| match state {
        PlanItemState::NotStarted => "not_started",
        PlanItemState::InProgress => "in_progress",
        PlanItemState::Completed | PlanItemState::Skipped => "completed",
        PlanItemState::Blocked => "blocked",
    };
    json!({
        "title": plan.title,
        "steps": plan.items.iter().map(|item| &item.action).collect::<Vec<_>>(),
        "stepStatus": plan.items.iter().map(|item| status(item.state)).collect::<Vec<_>>(),
        "notes": plan.items.iter().map(|item| &item.note).collect::<Vec<_>>(),
    })
}

/// Returns a summary with its files, as JSON.
pub(super) fn summary_json<'a>(text: &str, files: impl Iterator<Item = &'a Value>) -> Value {
    json!({ "taskSummary": text, "fileList": files.collect::<Vec<_>>() })
}

/// Returns the call that added a file and the file as JSON, or `None` if the fact is not a file that a tool call added.
pub(super) fn file_json(session: SessionId, fact: &Fact) -> Option<(CallId, Value)> {
    let Fact::FileAdded { file, name, version, media_type, bytes, call: Some(call), .. } = fact else { return None };
    // Unescaped, a space and other characters would end the name in a path.
    let path: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let url = format!("/AutoAgent/files/{session}/{path}?version={version}");
    let content =
        json!({ "fileId": file, "fileName": name, "fileSize": bytes, "fileType": media_type, "downloadUrl": url });
    Some((*call, content))
}
