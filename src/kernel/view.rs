//! What everybody who may watch can see of a session at one seq: the snapshot that clients start from.

use std::{collections::VecDeque, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gate::Gate;
use super::{
    ActorKind, CallMemory, File, Knock, Message, ParticipantId, Queued, Redaction, Role, Run, SessionId, Settings,
    Team, Timestamp,
};

/// A person or bot in the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    /// Who.
    pub id: ParticipantId,
    /// A person or a bot.
    pub kind: ActorKind,
    /// The name that people read; also works in a mention.
    pub name: Arc<str>,
    /// What they may do here.
    pub role: Role,
    /// The name looked like that of an agent, or of somebody who spells it differently, when they came in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lookalike: bool,
}

/// Tokens and cost, summed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct UsageTotals {
    /// Agent id, participant id or run id.
    pub of: Arc<str>,
    /// Turns.
    pub turns: u64,
    /// Tokens sent to models.
    pub input_tokens: u64,
    /// Tokens that models wrote.
    pub output_tokens: u64,
    /// Millionths of the configured currency.
    pub cost_micros: u64,
    /// Some of the figures are estimates.
    pub estimated: bool,
}

/// A session at one seq, bounded however long its log is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The session.
    pub session: SessionId,
    /// Its title.
    pub title: Arc<str>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its last event was decided.
    pub updated_at: Timestamp,
    /// It takes no further commands.
    pub closed: bool,
    /// All that was written in it was erased, and by whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Arc<Redaction>>,
    /// Its agents and flow.
    pub team: Arc<Team>,
    /// Its settings.
    pub settings: Settings,
    /// Its people and bots.
    pub participants: Vec<Member>,
    /// The current run, or the last one.
    pub run: Option<Run>,
    /// Open gates.
    pub gates: Vec<Gate>,
    /// Gates that ended, newest last, at most [`View::DECIDED`].
    pub decided: VecDeque<Arc<Gate>>,
    /// Messages that wait for the run, in order.
    pub inbox: Vec<Queued>,
    /// The newest messages, oldest first, at most [`View::MESSAGES`].
    pub messages: VecDeque<Arc<Message>>,
    /// Every version of its files, oldest first; the newest of a name is the one that counts.
    #[serde(default)]
    pub files: Vec<Arc<File>>,
    /// Whether there are older messages than these; they are to be had over REST.
    pub more: bool,
    /// The newest messages that are a model's business, at most [`View::MESSAGES`]: talk among people must not push a run's
    /// words out of what its agents read. Not part of what clients receive.
    #[serde(skip)]
    pub heard: VecDeque<Arc<Message>>,
    /// The results of calls that agents read beside those that the run itself holds. Clients do not receive them.
    #[serde(skip)]
    pub call_memory: CallMemory,
    /// Participants who were removed, newest last, at most [`View::REMOVED`]: an old invitation does not bring them back.
    #[serde(default)]
    pub removed: VecDeque<ParticipantId>,
    /// Those who wait to be let in, oldest first, at most [`View::KNOCKS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knocks: Vec<Knock>,
    /// Those whose request to come in was declined, newest last, at most [`View::REMOVED`]; they cannot ask again.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub refused: VecDeque<ParticipantId>,
    /// What agents used in the session.
    pub usage_by_agent: Vec<UsageTotals>,
    /// What was used on behalf of each participant.
    pub usage_by_participant: Vec<UsageTotals>,
    /// What the current or last run used.
    pub usage_of_run: UsageTotals,
}

impl View {
    /// Messages in a view, and messages that a model can be sent.
    pub const MESSAGES: usize = 100;
    /// Removed participants that a view remembers.
    pub const REMOVED: usize = 500;
    /// Requests to come in that may wait at once.
    pub const KNOCKS: usize = 20;
    /// Ended gates in a view.
    pub const DECIDED: usize = 20;
    /// Participants that a session may have.
    pub const PARTICIPANTS: usize = 500;

    /// The participant with this id.
    pub fn member(&self, id: ParticipantId) -> Option<&Member> {
        self.participants.iter().find(|member| member.id == id)
    }

    /// The request of this participant to come in.
    pub fn knock(&self, id: ParticipantId) -> Option<&Knock> {
        self.knocks.iter().find(|knock| knock.participant == id)
    }

    /// The current run, if it is not over.
    pub fn active_run(&self) -> Option<&Run> {
        self.run.as_ref().filter(|run| !run.phase.is_over())
    }

    /// The message with this id, if it is among the newest.
    pub fn message(&self, id: super::MessageId) -> Option<&Arc<Message>> {
        self.messages.iter().rev().chain(self.heard.iter().rev()).find(|message| message.id == id)
    }
}
