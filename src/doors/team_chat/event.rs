//! Lines of a `team_chat` stream, with the fields that the specification of the door defines.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::doors::wording::either;
use crate::kernel::{Language, UnresolvedMention};

/// One `data:` line of the stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum TeamChatEvent {
    /// State of the run.
    Status {
        /// Description for people.
        message: Arc<str>,
    },
    /// Start of an agent's message.
    AgentStart {
        /// Id of the agent, such as `TestCase_Generator`.
        agent_name: Arc<str>,
        /// Title of the agent.
        agent_role: Arc<str>,
    },
    /// Next fragment of the agent's message.
    Content {
        /// Id of the agent.
        agent_name: Arc<str>,
        /// Text of the fragment.
        content: String,
    },
    /// End of the agent's message.
    AgentEnd {
        /// Id of the agent.
        agent_name: Arc<str>,
    },
    /// The run waits for people.
    FeedbackRequest {
        /// Id of the agent that the request is about; can be empty.
        agent_name: Arc<str>,
        /// Ids of the agents that people can address.
        available_agents: Vec<Arc<str>>,
        /// Question to people.
        message: Arc<str>,
    },
    /// Final output of the run.
    FinalAnswer {
        /// Id of the agent that wrote it.
        agent_name: Arc<str>,
        /// Text of the output.
        content: Arc<str>,
    },
    /// Failure of the run.
    Error {
        /// Error message.
        message: Arc<str>,
    },
    /// End of the stream.
    Done,
}

/// Fixed texts of the door.
pub(super) enum TeamChatText {
    Working,
    AskFeedback,
    Paused,
    Cancelled,
    MessageLimit,
    TurnLimit,
    Budget,
    VoteCounted,
    NobodyAsked,
}

impl TeamChatText {
    pub(super) fn text(&self, language: Language) -> Arc<str> {
        let (zh, en) = match self {
            Self::Working => ("团队协作中...", "The team is working..."),
            Self::AskFeedback => ("请提供反馈或点击同意", "Give feedback, or approve"),
            Self::Paused => ("运行已暂停", "The run is paused"),
            Self::Cancelled => ("运行已取消", "The run was cancelled"),
            Self::MessageLimit => ("已达到最大消息数", "The run reached its message limit"),
            Self::TurnLimit => ("智能体已用完轮次，没有给出答案", "The agent reached its turn limit without a reply"),
            Self::Budget => ("会话的预算已用完", "The budget of the session is spent"),
            Self::VoteCounted => ("您的意见已记录，等待其他人", "Your vote was counted; others still have to vote"),
            Self::NobodyAsked => ("消息已发送，没有智能体需要回答", "Message sent; no agent needs to reply"),
        };
        either(language, zh, en).into()
    }
}

/// Returns a note about mentions of unknown names. If `for_everybody` is true, the note adds that the whole team reads
/// the message.
pub(super) fn unresolved_text(mentions: &[UnresolvedMention], for_everybody: bool, language: Language) -> Arc<str> {
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
