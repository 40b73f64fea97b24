//! What the stream says, field by field as the document has it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::request::AgentType;
use super::taken_up::Start;
use crate::kernel::plan::{Plan, StepState};
use crate::kernel::{CallId, Fact, Language, SessionId};

/// The document's types of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// The plan, as it is now.
    Plan,
    /// Words on the way to a call or a plan.
    ToolThought,
    /// What a tool has brought.
    ToolResult,
    /// A part of the plan begins.
    Task,
    /// What came of it.
    TaskSummary,
    /// Words of an answer.
    AgentStream,
    /// The end.
    Result,
    /// The stream is alive.
    Heartbeat,
}

/// What belongs to every line of one request.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) id: Arc<str>,
    pub(super) agent_type: Option<AgentType>,
    /// The language of the run.
    pub(super) language: Language,
    /// Where the stream begins: what the ids of its events begin with.
    pub(super) from: Start,
}

/// One line.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) kind: Kind,
    /// Lines of the same message belong together.
    pub(super) message: String,
    /// The words, or what else there is.
    pub(super) content: Value,
    /// The message is whole, and `content` is all of it.
    pub(super) is_final: bool,
    /// The run is over.
    pub(super) finished: bool,
    /// Why, where it could not go on.
    pub(super) error: Option<Arc<str>>,
}

impl Said {
    /// A message that is whole.
    pub(super) fn whole(kind: Kind, message: impl ToString, content: Value) -> Self {
        Self { kind, message: message.to_string(), content, is_final: true, finished: false, error: None }
    }

    /// The next fragment of a message.
    pub(super) fn fragment(kind: Kind, message: impl ToString, text: &str) -> Self {
        Self { is_final: false, ..Self::whole(kind, message, text.into()) }
    }

    /// As it is sent: the document's backend names the type `responseType`, and has words in `result` and whatever has
    /// fields in `resultMap`; its page reads `packageType`, `status`, `finished` and `resultMap.eventData`.
    pub(super) fn json(&self, request: &Request) -> Value {
        let mut map = self.content.as_object().cloned().unwrap_or_default();
        map.insert("agentType".into(), json!(request.agent_type.map(|number| number.0)));
        let event = json!({
            "messageId": self.message, "messageType": self.kind, "isFinal": self.is_final, "content": self.content,
        });
        map.insert("eventData".into(), event);
        let mut line = json!({
            "requestId": request.id,
            "messageId": self.message,
            "messageType": self.kind,
            "responseType": self.kind,
            "packageType": if self.kind == Kind::Heartbeat { "heartbeat" } else { "result" },
            "status": if self.error.is_some() { "failed" } else { "success" },
            "isFinal": self.is_final,
            "finished": self.finished,
            "content": self.content,
            "resultMap": map,
        });
        if self.content.is_string() {
            line["result"] = self.content.clone();
        }
        if let Some(error) = &self.error {
            line["errorMsg"] = json!(error);
        }
        line
    }
}

/// A plan, as the document's planning tool keeps it.
pub(super) fn plan(plan: &Plan) -> Value {
    let status = |state| match state {
        StepState::NotStarted => "not_started",
        StepState::InProgress => "in_progress",
        StepState::Completed | StepState::Skipped => "completed",
        StepState::Blocked => "blocked",
    };
    json!({
        "title": plan.title,
        "steps": plan.steps.iter().map(|step| &step.action).collect::<Vec<_>>(),
        "stepStatus": plan.steps.iter().map(|step| status(step.state)).collect::<Vec<_>>(),
        "notes": plan.steps.iter().map(|step| &step.note).collect::<Vec<_>>(),
    })
}

/// What somebody sums up, with the files that were made for it.
pub(super) fn summary<'a>(text: &str, files: impl Iterator<Item = &'a Value>) -> Value {
    json!({ "taskSummary": text, "fileList": files.collect::<Vec<_>>() })
}

/// A file that a call of the run has made.
pub(super) fn file(session: SessionId, fact: &Fact) -> Option<(CallId, Value)> {
    let Fact::FileAdded { file, name, version, media_type, bytes, call: Some(call), .. } = fact else { return None };
    // In a path a space, and more, would end a name.
    let path: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let url = format!("/AutoAgent/files/{session}/{path}?version={version}");
    let told =
        json!({ "fileId": file, "fileName": name, "fileSize": bytes, "fileType": media_type, "downloadUrl": url });
    Some((*call, told))
}
