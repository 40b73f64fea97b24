//! Where a run waits for people: the question, who may answer, and when the answer is certain.

use std::num::NonZeroU64;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Actor, AgentId, CallId, GateId, MessageId, ParticipantId, Right, Role, RunId, Timestamp, View};

/// What sort of question a gate asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    /// Is this good, or what should change?
    Feedback,
    /// Is this plan good?
    Plan,
    /// May this call be made?
    Tool,
    /// An agent asks something.
    Question,
    /// A call was sent, and its result was lost: did it happen?
    Uncertain,
}

impl GateKind {
    /// Whether words that are said without naming a gate answer it.
    pub fn takes_words(self) -> bool {
        matches!(self, Self::Feedback | Self::Plan | Self::Question)
    }
}

/// What a subject is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SubjectId {
    /// A message.
    Message(MessageId),
    /// A call of a tool.
    Call(CallId),
}

/// What is decided on; a decision holds for exactly this revision and text (law 11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// The message or call that is judged.
    pub id: SubjectId,
    /// Counted from 1.
    pub rev: u32,
    /// BLAKE3 of its text or arguments, in hexadecimal.
    pub digest: Arc<str>,
}

/// What a gate allows people to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Vote for it.
    Approve,
    /// Change it, and vote for what it is then.
    Edit,
    /// Vote against it, with a comment that says what should change.
    Reject,
    /// Answer in words.
    Respond,
}

/// A vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// For.
    Approve,
    /// Against.
    Reject,
    /// Neither; counts as having voted.
    Abstain,
}

/// When votes are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "rule")]
pub enum Rule {
    /// The first vote for or against decides.
    #[default]
    Any,
    /// Everyone eligible votes for it; one vote against decides.
    All,
    /// `n` votes for it; decided against as soon as `n` can no longer be reached.
    AtLeast {
        /// How many.
        n: u32,
    },
    /// A vote of this role decides; others may comment.
    Role {
        /// Whose vote it takes.
        role: Role,
    },
    /// One vote against decides; it is approved once everyone has voted, or at the deadline if nobody is against it.
    Veto,
}

/// How a gate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// By votes for it.
    Approved,
    /// By votes against it.
    Rejected,
    /// By words: somebody said what should change.
    Responded,
}

/// Who voted what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Vote {
    /// Who.
    pub by: Actor,
    /// As what: the role that the vote counts as.
    pub role: Role,
    /// What.
    pub choice: Choice,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<Arc<str>>,
    /// The message that holds the voter's words, for the agents to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// When.
    pub at: Timestamp,
}

/// How and by whom a gate was ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// How.
    pub outcome: Outcome,
    /// Whose act decided it.
    pub by: Actor,
    /// When.
    pub at: Timestamp,
    /// The feedback that decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
}

/// A place where a run waits for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// Its id.
    pub id: GateId,
    /// The run that waits.
    pub run: RunId,
    /// What sort of question it is.
    pub kind: GateKind,
    /// What is decided on; absent where nothing has been written yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// The revision that a vote must name.
    pub rev: u32,
    /// What is asked, in the session's language.
    pub prompt: Arc<str>,
    /// What one should know to answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Arc<str>>,
    /// The call that waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// JSON Schema of an answer, or of the arguments that may be edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The server of tools that asks, where no agent does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<QuestionOrigin>,
    /// The agent after whose work it opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// What people may do.
    pub allow: Vec<Act>,
    /// The agents that feedback may be addressed to.
    pub agents: Vec<AgentId>,
    /// When votes are enough.
    pub rule: Rule,
    /// Roles that may vote.
    pub eligible: Vec<Role>,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Votes so far, the latest of each participant.
    #[serde(default)]
    pub votes: Vec<Vote>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// When it opened.
    pub opened_at: Timestamp,
    /// Seq of the event that ended it, decided or not; absent while it is open. Timelines show the end there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<NonZeroU64>,
}

/// A server of tools that asks people in the midst of a call. What they answer is sent to it, stands in the session, and is read
/// by the agents' models: clients say so where people answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionOrigin {
    /// Name of the server in the configuration.
    pub server: Arc<str>,
    /// Page of the server that people are asked to open. What they enter there reaches neither the session nor a model. Clients
    /// show it whole, with its host, and open it only when a person asks for that; the answer `{}` says that the person agreed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Arc<str>>,
}

impl Gate {
    /// Whether nothing goes on in the run while it is open; else only what waits for its call.
    pub fn blocks_run(&self) -> bool {
        self.call.is_none()
    }
}

impl Rule {
    /// Why the rule cannot be used.
    pub fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::AtLeast { n } if !(1..=100).contains(n) => Err("approval.n must be between 1 and 100"),
            Self::Role { role } if !role.may(Right::Approve) => Err("approval.role must be a role that may approve"),
            _ => Ok(()),
        }
    }

    /// Why the session cannot have the rule as it stands: its gates would wait for people who are not there. A new session has
    /// nobody but its owner yet, so it is not looked at then.
    pub fn within(&self, view: &View) -> Result<(), String> {
        let Self::AtLeast { n } = self else { return Ok(()) };
        let may = view.participants.iter().filter(|member| member.role.may(Right::Approve)).count();
        if usize::try_from(*n).is_ok_and(|n| n <= may) {
            return Ok(());
        }
        let people = if may == 1 { "1 participant" } else { &format!("{may} participants") };
        Err(format!(
            "approval.n is {n}, and {people} here may approve; set at most {may}, or bring more people in first"
        ))
    }

    /// Whether one of this role decides under the rule; others' words and votes are comments.
    pub fn counts(&self, role: Role) -> bool {
        !matches!(self, Self::Role { role: wanted } if *wanted != role)
    }

    /// The outcome, as soon as no further vote can change it. `voters` are all who have voted or still may.
    pub fn outcome(&self, votes: &[Vote], voters: &[(ParticipantId, Role)]) -> Option<Outcome> {
        let mut approve = 0;
        let mut reject = 0;
        let mut abstain = 0;
        let mut open = 0;
        for (id, _) in voters.iter().filter(|(_, role)| self.counts(*role)) {
            let vote = votes.iter().find(|vote| vote.by.participant_id() == Some(*id));
            match vote.map(|vote| vote.choice) {
                Some(Choice::Approve) => approve += 1,
                Some(Choice::Reject) => reject += 1,
                Some(Choice::Abstain) => abstain += 1,
                None => open += 1,
            }
        }
        let decided = |yes: bool, no: bool| match (no, yes) {
            (true, _) => Some(Outcome::Rejected),
            (false, true) => Some(Outcome::Approved),
            (false, false) => None,
        };
        match self {
            Self::Any | Self::Role { .. } => decided(approve > 0, reject > 0),
            Self::All => decided(approve > 0 && open + abstain == 0, reject > 0),
            Self::Veto => decided(approve > 0 && open == 0, reject > 0),
            Self::AtLeast { n } => {
                let n = usize::try_from(*n).unwrap_or(usize::MAX);
                // The people who could still vote for it may be fewer than asked for: then it waits for more people,
                // unless somebody is against it.
                decided(approve >= n, reject > 0 && approve + open < n)
            }
        }
    }
}
