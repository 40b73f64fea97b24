//! State of a session at one seq, as everyone with the right to watch sees it. Client snapshots contain it.

use std::{collections::VecDeque, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::{CallHistory, SourceLedger, StandingPermission};
use super::gate::{Gate, VoteDelegate};
use super::{
    ActorKind, CallMemory, File, Knock, Message, NodeActivity, ParticipantId, QueuedMessage, Redaction, Role, Run,
    SessionId, Settings, Team, Timestamp, TitleRequest,
};

/// A person or bot in the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// Id of the participant.
    pub id: ParticipantId,
    /// Kind of participant: `user` or `bot`.
    pub kind: ActorKind,
    /// Display name; also works in a mention. Example: `Ann`.
    pub name: Arc<str>,
    /// Role in the session.
    pub role: Role,
    /// True for a guest, such as a person who joined through a link and chose their own name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// True if, when the participant joined, the name resembled an agent's name or another participant's name with a
    /// different spelling.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lookalike: bool,
    /// Participant who votes on the member's behalf. Absent without a delegation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate: Option<VoteDelegate>,
}

/// Total of tokens and cost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct UsageTotals {
    /// Id of the agent, participant or run that the total is for.
    pub of: Arc<str>,
    /// Number of attempts at turns.
    pub turns: u64,
    /// Tokens in requests to models.
    pub input_tokens: u64,
    /// Tokens in responses from models.
    pub output_tokens: u64,
    /// Cost in millionths of the configured currency. Example: 1500.
    pub cost_micros: u64,
    /// True if some of the numbers are estimates.
    pub estimated: bool,
}

/// A session at one seq. Its size is bounded, no matter how long the log is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// Id of the session.
    pub session: SessionId,
    /// Title of the session.
    pub title: Arc<str>,
    /// True if a participant has changed the title. The server then keeps the title, even if it equals one that the
    /// server would generate. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub titled: bool,
    /// Time at which the session was created.
    pub created_at: Timestamp,
    /// Time of the last event.
    pub updated_at: Timestamp,
    /// True if the session accepts no further commands.
    pub closed: bool,
    /// Mark of the redaction that erased all content of the session. Absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Arc<Redaction>>,
    /// Agents and flow of the session.
    pub team: Arc<Team>,
    /// Settings of the session.
    pub settings: Settings,
    /// People and bots in the session, in the order in which they joined.
    pub participants: Vec<Member>,
    /// Current run, or the last one. Absent before the first run.
    pub run: Option<Run>,
    /// Open gates, in the order in which they opened.
    pub gates: Vec<Gate>,
    /// Ended gates, newest last. At most 20.
    pub decided: VecDeque<Arc<Gate>>,
    /// Standing permissions, in the order in which they were granted. At most 50 of them are still in effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<StandingPermission>,
    /// Messages waiting for the run, in order.
    pub inbox: Vec<QueuedMessage>,
    /// Newest messages, oldest first. At most 100.
    pub messages: VecDeque<Arc<Message>>,
    /// All versions of all files, oldest first. The last version of a name is current, unless it is `removed`.
    #[serde(default)]
    pub files: Vec<Arc<File>>,
    /// True if the session has messages older than `messages`; REST returns them.
    pub more: bool,
    /// Newest messages that models can read. At most [`View::MESSAGES`]. Kept separate from `messages`, because
    /// conversation among people would otherwise push a run's messages out of the prompts. Not sent to clients.
    #[serde(skip)]
    pub model_messages: VecDeque<Arc<Message>>,
    /// Results of calls that agents read in addition to those in the run. Not sent to clients.
    #[serde(skip)]
    pub call_memory: CallMemory,
    /// Events of monitored nodes, for the reports on them. Empty unless a run is in progress. Not sent to clients.
    #[serde(skip)]
    pub node_activity: NodeActivity,
    /// Sources of the calls that agents propose next. Not sent to clients.
    #[serde(skip)]
    pub sources: SourceLedger,
    /// Calls that people were asked about, from which rules are learned. Not sent to clients.
    #[serde(skip)]
    pub call_history: CallHistory,
    /// Participants who were removed, newest last. At most 500. An old invitation does not readmit them.
    #[serde(default)]
    pub removed: VecDeque<ParticipantId>,
    /// Pending requests to join, oldest first. At most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knocks: Vec<Knock>,
    /// Participants whose request to join was refused, newest last. At most 500. They cannot ask again.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub refused: VecDeque<ParticipantId>,
    /// Request for a title that is in progress, in a session with a budget. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_request: Option<TitleRequest>,
    /// Usage by agent.
    pub usage_by_agent: Vec<UsageTotals>,
    /// Usage by the participant whose messages caused it.
    pub usage_by_participant: Vec<UsageTotals>,
    /// Usage of the current or last run.
    pub usage_of_run: UsageTotals,
}

impl View {
    /// Maximum number of messages in a view. The same limit applies separately to the messages in a model's prompt.
    pub const MESSAGES: usize = 100;
    /// Maximum number of removed participants in a view. The same limit applies separately to refused participants.
    pub const REMOVED: usize = 500;
    /// Maximum number of pending requests to join.
    pub const KNOCKS: usize = 20;
    /// Maximum number of ended gates in a view.
    pub const DECIDED: usize = 20;
    /// Maximum number of standing permissions that are still in effect.
    pub const PERMISSIONS: usize = 50;
    /// Maximum number of participants in a session.
    pub const PARTICIPANTS: usize = 1000;

    /// Returns the member of the session with this id.
    pub fn member(&self, id: ParticipantId) -> Option<&Member> {
        self.participants.iter().find(|member| member.id == id)
    }

    /// Returns this participant's request to join.
    pub fn knock(&self, id: ParticipantId) -> Option<&Knock> {
        self.knocks.iter().find(|knock| knock.participant == id)
    }

    /// Returns the current run, if it has not ended.
    pub fn active_run(&self) -> Option<&Run> {
        self.run.as_ref().filter(|run| !run.phase.is_over())
    }

    /// Returns the message with this id, if it is among the newest or a comment at an open gate.
    pub fn message(&self, id: super::MessageId) -> Option<&Arc<Message>> {
        let threads = self.gates.iter().flat_map(|gate| &gate.threads);
        let known = self.messages.iter().rev().chain(self.model_messages.iter().rev());
        known.chain(threads.flat_map(|thread| &thread.comments)).find(|message| message.id == id)
    }
}
