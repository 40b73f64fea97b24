//! Events of an analysis stream, with the fields that the specification of the door defines.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::doors::wording::either;
use crate::kernel::output_shape::USER_INPUT;
use crate::kernel::plan::{PlanItem, PlanItemState};
use crate::kernel::planner_decision::PlannerAction;
use crate::kernel::{AttemptError, Language, SessionId};

/// One event of the stream.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum AnalyzeEvent {
    /// Progress of the analysis.
    Progress {
        /// Description of the progress, for people.
        message: Arc<str>,
        /// Session of the analysis. Present only in the first event. A request with this session resumes the stream.
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        /// Number of the step that starts, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<u32>,
        /// Decision after a step, such as `continue`.
        #[serde(skip_serializing_if = "Option::is_none")]
        decision: Option<PlannerAction>,
    },
    /// Current plan.
    Plan {
        /// Steps of the plan, in order.
        plan_steps: Vec<AnalyzeStep>,
        /// Number of steps before the current one, or the number of all steps if none is left.
        current_step: u32,
    },
    /// Result of a step.
    StepExecution {
        /// Fields of the step.
        #[serde(flatten)]
        step: AnalyzeStep,
        /// Output of the step's tool, if it succeeded.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Arc<str>>,
        /// Error message of the step's tool, if it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Arc<str>>,
    },
    /// Question to the user.
    UserInputRequest {
        /// Id to answer the question with, such as `req_…`.
        request_id: String,
        /// Text of the question.
        question: Arc<str>,
        /// Reason or background of the question; can be empty.
        context: Arc<str>,
        /// JSON Schema of the answer. If absent, any text is accepted.
        #[serde(skip_serializing_if = "Option::is_none")]
        schema: Option<Value>,
    },
    /// Answer to a question.
    UserReply {
        /// Id of the question.
        request_id: String,
        /// Text of the answer.
        reply: Arc<str>,
        /// Name of the participant who answered.
        by: Arc<str>,
    },
    /// Findings of the analysis.
    Result {
        /// Fields of the findings, as the flow's schema defines them.
        #[serde(flatten)]
        findings: Map<String, Value>,
    },
    /// End of the analysis.
    Done {
        /// Outcome: `completed`, `incomplete`, `failed` or `cancelled`.
        status: &'static str,
        /// Code and message of the failure if `status` is `failed`, or of the reason why the stream ended before the
        /// analysis.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<AttemptError>,
    },
}

impl AnalyzeEvent {
    /// Returns the name of the event.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Progress { .. } => "progress",
            Self::Plan { .. } => "plan",
            Self::StepExecution { .. } => "step_execution",
            Self::UserInputRequest { .. } => "user_input_request",
            Self::UserReply { .. } => "user_reply",
            Self::Result { .. } => "result",
            Self::Done { .. } => "done",
        }
    }

    /// Creates a progress event with only a message.
    pub(super) fn progress(message: impl Into<Arc<str>>) -> Self {
        Self::Progress { message: message.into(), session: None, step: None, decision: None }
    }
}

/// Step of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct AnalyzeStep {
    /// Number of the step, from 1.
    step: u32,
    /// Description of the step, such as `Search the code for login`.
    action: Arc<str>,
    /// Name of the tool, such as `code_search`; empty if there is none.
    tool_name: Arc<str>,
    /// Arguments of the tool, as a JSON object.
    tool_params: Value,
    /// State: `pending`, `running`, `completed`, `failed` or `skipped`.
    status: &'static str,
}

impl AnalyzeStep {
    pub(super) fn of(number: u32, item: &PlanItem, language: Language) -> Self {
        let action = if is_question(item) { AnalyzeText::AskUser.text(language) } else { item.action.clone() };
        let status = match item.state {
            PlanItemState::NotStarted => "pending",
            PlanItemState::InProgress => "running",
            PlanItemState::Completed => "completed",
            PlanItemState::Blocked => "failed",
            PlanItemState::Skipped => "skipped",
        };
        let tool_params = item.arguments.clone().unwrap_or_else(|| Map::new().into());
        Self { step: number, action, tool_name: item.tool.clone().unwrap_or_else(|| "".into()), tool_params, status }
    }
}

/// Returns whether the step is a question to the user.
pub(super) fn is_question(item: &PlanItem) -> bool {
    item.tool.as_deref() == Some(USER_INPUT)
}

/// Fixed texts of the door.
pub(super) enum AnalyzeText {
    AskUser,
    Working,
    Deciding,
    Paused,
    Waiting,
    Limit,
}

impl AnalyzeText {
    pub(super) fn text(&self, language: Language) -> Arc<str> {
        let (zh, en) = match self {
            Self::AskUser => ("请求用户输入", "Ask the user"),
            Self::Working => ("开始分析...", "Analysis started..."),
            Self::Deciding => ("已决定下一步", "Next step decided"),
            Self::Paused => ("分析已暂停", "The analysis is paused"),
            Self::Waiting => ("等待人工确认", "Waiting for people to decide"),
            Self::Limit => ("已达到本次分析的步骤或消息上限", "The analysis reached its limit of steps or messages"),
        };
        either(language, zh, en).into()
    }
}
