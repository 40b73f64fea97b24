//! What the stream says, field by field as the document has it.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::kernel::judgement::Action;
use crate::kernel::plan::{PlanStep, StepState};
use crate::kernel::shape::USER_INPUT;
use crate::kernel::{Language, SessionId, StepError};

/// One event of the stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Said {
    /// How far it is.
    Progress {
        message: Arc<str>,
        /// What to name to see the rest after the stream was lost.
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        decision: Option<Action>,
    },
    /// The plan, as it is now.
    Plan { plan_steps: Vec<Step>, current_step: u32 },
    /// What a step has brought.
    StepExecution {
        #[serde(flatten)]
        step: Step,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Arc<str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Arc<str>>,
    },
    /// A question to the user.
    UserInputRequest {
        request_id: String,
        question: Arc<str>,
        context: Arc<str>,
        /// JSON Schema of the answer, where words will not do.
        #[serde(skip_serializing_if = "Option::is_none")]
        schema: Option<Value>,
    },
    /// The answer.
    UserReply { request_id: String, reply: Arc<str>, by: Arc<str> },
    /// What was found.
    Result {
        #[serde(flatten)]
        findings: Map<String, Value>,
    },
    /// It is over.
    Done {
        status: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<StepError>,
    },
}

impl Said {
    /// The name of the event.
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

    /// Words about how far it is.
    pub(super) fn progress(message: impl Into<Arc<str>>) -> Self {
        Self::Progress { message: message.into(), session: None, step: None, decision: None }
    }
}

/// A step of the plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Step {
    step: u32,
    action: Arc<str>,
    tool_name: Arc<str>,
    tool_params: Value,
    status: &'static str,
}

impl Step {
    pub(super) fn of(number: u32, step: &PlanStep, language: Language) -> Self {
        let action = if asks(step) { Words::AskUser.text(language) } else { step.action.clone() };
        let status = match step.state {
            StepState::NotStarted => "pending",
            StepState::InProgress => "running",
            StepState::Completed => "completed",
            StepState::Blocked => "failed",
            StepState::Skipped => "skipped",
        };
        let tool_params = step.arguments.clone().unwrap_or_else(|| Map::new().into());
        Self { step: number, action, tool_name: step.tool.clone().unwrap_or_else(|| "".into()), tool_params, status }
    }
}

/// Whether the step is a question to the user.
pub(super) fn asks(step: &PlanStep) -> bool {
    step.tool.as_deref() == Some(USER_INPUT)
}

/// The door's own words.
pub(super) enum Words {
    AskUser,
    Working,
    Deciding,
    Retrying,
    Paused,
    Waiting,
    Limit,
    Truncated,
}

impl Words {
    pub(super) fn text(&self, language: Language) -> Arc<str> {
        let (zh, en) = match self {
            Self::AskUser => ("请求用户输入", "Ask the user"),
            Self::Working => ("开始分析...", "The analysis has begun..."),
            Self::Deciding => ("已决定下一步", "The next step is decided"),
            Self::Retrying => ("模型暂时没有回答，正在重试...", "The model did not answer; trying again..."),
            Self::Paused => ("分析已暂停", "The analysis is paused"),
            Self::Waiting => ("等待人工确认", "People are to decide"),
            Self::Truncated => ("回答达到模型的 token 上限，已被截断", "The answer was cut at the model's token limit"),
            Self::Limit => ("已达到本次分析的步骤或消息上限", "The analysis took as many steps or messages as it may"),
        };
        match language {
            Language::Zh => zh.into(),
            Language::En => en.into(),
        }
    }
}
