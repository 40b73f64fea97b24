//! What the stream says, field by field as the document has it.

use std::sync::Arc;

use serde::Serialize;

use crate::kernel::{Language, Unresolved};

/// One `data:` line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Said {
    /// What goes on.
    Status { message: Arc<str> },
    /// An agent begins.
    AgentStart { agent_name: Arc<str>, agent_role: Arc<str> },
    /// The next piece of its answer.
    Content { agent_name: Arc<str>, content: String },
    /// It is done.
    AgentEnd { agent_name: Arc<str> },
    /// The run waits for people.
    FeedbackRequest { agent_name: Arc<str>, available_agents: Vec<Arc<str>>, message: Arc<str> },
    /// What the agent wrote last is the final answer.
    FinalAnswer { agent_name: Arc<str>, content: Arc<str> },
    /// The run could not go on.
    Error { message: Arc<str> },
    /// The stream ends.
    Done,
}

/// The door's own words.
pub(super) enum Words {
    Working,
    AskFeedback,
    Retrying,
    Paused,
    Cancelled,
    MessageLimit,
    TurnLimit,
    VoteCounted,
    NobodyAsked,
}

impl Words {
    pub(super) fn text(&self, language: Language) -> Arc<str> {
        let (zh, en) = match self {
            Self::Working => ("团队协作中...", "The team is working..."),
            Self::AskFeedback => ("请提供反馈或点击同意", "Give feedback, or approve"),
            Self::Retrying => ("模型暂时没有回答，正在重试...", "The model did not answer; trying again..."),
            Self::Paused => ("运行已暂停", "The run is paused"),
            Self::Cancelled => ("运行已取消", "The run was cancelled"),
            Self::MessageLimit => ("已达到最大消息数", "The run holds as many messages as it may"),
            Self::TurnLimit => {
                ("智能体已用完轮次，没有给出答案", "The agent has had all its turns, and gave no answer")
            }
            Self::VoteCounted => ("您的意见已记录，等待其他人", "Your vote is counted; others are still to vote"),
            Self::NobodyAsked => ("消息已发送，没有智能体需要回答", "The message is sent; no agent was asked"),
        };
        match language {
            Language::Zh => zh.into(),
            Language::En => en.into(),
        }
    }
}

/// Mentions that name nobody, and who reads the words in their stead where no agent was named beside them.
pub(super) fn unresolved(mentions: &[Unresolved], for_everybody: bool, language: Language) -> Arc<str> {
    let names: Vec<String> =
        mentions.iter().map(|mention| format!("@{}", mention.text.trim_start_matches('@'))).collect();
    let (zh, en) = (names.join("、"), names.join(", "));
    match (language, for_everybody) {
        (Language::Zh, true) => format!("没有名为 {zh} 的成员，已交给整个团队"),
        (Language::Zh, false) => format!("没有名为 {zh} 的成员"),
        (Language::En, true) => format!("Nobody here is called {en}; the whole team reads it"),
        (Language::En, false) => format!("Nobody here is called {en}"),
    }
    .into()
}
