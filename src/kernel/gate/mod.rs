//! Gates: questions for people to decide or answer. A gate has a question, the roles that can answer, and a quorum.
//! Usually a run or a call waits for the outcome.

mod approval_rule;
pub(super) mod approval_text;
pub(super) mod asked_command;
mod command_failure;
pub(super) mod comment;
mod comment_place;
pub(super) mod delegation;
pub(super) mod escalation;
pub(super) mod opening;
mod quorum;
pub(super) mod settle;
pub(super) mod vote;
pub(super) mod voting_right;

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use approval_rule::{ApprovalRule, DeadlineOutcome};
pub use asked_command::{AskedCommand, AskedCommandData};
pub use command_failure::CommandFailure;
pub use comment::{CommentThread, ThreadResolution};
pub use comment_place::{CommentFile, CommentPlace, CommentTarget, FileLine};
pub use delegation::VoteDelegate;
pub use escalation::{Escalation, EscalationStep};
pub use quorum::{Quorum, Weights};
pub use settle::{Decision, Outcome};
pub use vote::{BatchedVote, Choice, Vote};

use super::call::{CallSourceKind, Risk, RuleSuggestion, StandingTerms};
use super::{Actor, AgentId, Budget, CallId, GateId, MessageId, ParticipantId, Role, RunId, Timestamp, View};

/// Kind of question that a gate asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateKind {
    /// Asks for approval or feedback on the newest output.
    Feedback,
    /// Asks for approval of a plan.
    Plan,
    /// Asks for permission to make a call.
    Tool,
    /// An agent or a tool asks a question.
    Question,
    /// A call was sent and its result was lost: asks how to continue.
    Uncertain,
    /// The budget of the session is spent: asks whether to raise it or to end the run.
    Budget,
    /// Asks whether calls like those that people allowed should be made without asking. No run waits for it.
    Rule,
    /// Asks the owners whether a participant's command should be carried out. No run waits for it.
    Command,
}

impl GateKind {
    /// Returns whether a message without a gate id can answer a gate of this kind.
    pub fn accepts_text(self) -> bool {
        matches!(self, Self::Feedback | Self::Plan | Self::Question)
    }
}

/// Id of a gate's subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SubjectId {
    /// A message.
    Message(MessageId),
    /// A tool call.
    Call(CallId),
    /// A run, if the gate is about the budget or a rule.
    Run(RunId),
}

/// Subject of a gate. A decision is valid for exactly this revision and text (law 11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subject {
    /// Message, call or run that is decided on. Example: `t_21`.
    pub id: SubjectId,
    /// Revision, from 1.
    pub rev: u32,
    /// BLAKE3 hash of the text or the arguments, in hexadecimal.
    pub digest: Arc<str>,
}

/// Possible response at a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateAction {
    /// Vote for the subject.
    Approve,
    /// Edit the subject and vote for the edited version.
    Edit,
    /// Vote against the subject. At a feedback or plan gate, requires a comment that says what should change.
    Reject,
    /// Answer with text.
    Respond,
}

/// A question for people to decide or answer. Usually a run or a call waits for the outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// Id of the gate. Example: `g_30`.
    pub id: GateId,
    /// Run that waits. For a proposed rule or a command: the newest run when it was proposed. Absent before the first
    /// run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Kind of question that the gate asks.
    pub kind: GateKind,
    /// Subject of the decision. Absent if nothing has been written yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Subject>,
    /// Current revision of the subject, from 1. A vote must name it.
    pub rev: u32,
    /// The question, in the language of the session.
    pub prompt: Arc<str>,
    /// Information that helps to answer. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Arc<str>>,
    /// Call that waits for the gate. Absent if the whole run waits, or if nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// JSON Schema of an answer, or of the arguments that can be edited. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Tool server that asks the question. Absent if no tool server asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<QuestionOrigin>,
    /// Agent whose work led to the gate. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Possible responses. Example: `["approve","reject","respond"]`.
    pub allow: Vec<GateAction>,
    /// Agents that feedback can be addressed to.
    pub agents: Vec<AgentId>,
    /// Quorum of the gate, fixed when it opened; an escalation replaces it.
    pub quorum: Quorum,
    /// Quorums that replace `quorum` if nobody decides by their times, the next one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub escalations: Vec<Escalation>,
    /// Roles that can respond.
    pub eligible: Vec<Role>,
    /// True if participants who started or steered the run (`directed_by` of the run) or edited the subject
    /// (`edited_by`) cannot approve it. Guests cannot approve it either. Votes against it by all these participants
    /// count. A participant who asked for a command can never approve it, even if this is false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub separate_duties: bool,
    /// Participants who edited the subject, or proposed a standing permission.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited_by: Vec<ParticipantId>,
    /// True if votes cannot approve the gate while a thread of comments is open. Fixed when the gate opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub comments_hold: bool,
    /// Threads of comments at the gate, oldest first. At most 50 comments in total.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<CommentThread>,
    /// Time at which the gate expires. Absent if it stays open until it is decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Outcome of the gate at the deadline. Absent without a deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_deadline: Option<DeadlineOutcome>,
    /// Risk of the call that the gate is about. Absent if the gate is not about a call that waits to be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// Kinds of the call's sources that the gate's rule asks about. Fixed when the gate opened.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub caused_by: BTreeSet<CallSourceKind>,
    /// Standing permission that is decided on together with the call. Absent if no voter proposed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<StandingTerms>,
    /// Budget of the session after an approval. An edit names its new `max_tokens` or `max_cost_micros`, or a `model`.
    /// Absent at gates of other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Model that all agents use after an approval, as `provider/model`. Absent unless somebody proposed one at a gate
    /// about the budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// Rule that is proposed, with its evidence and its forecast. Absent at gates of other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Box<RuleSuggestion>>,
    /// Command that is carried out after an approval. Absent at gates of other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Box<AskedCommand>>,
    /// Votes so far, the latest one of each participant.
    #[serde(default)]
    pub votes: Vec<Vote>,
    /// True if the gate ended at its deadline without a decision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expired: bool,
    /// Decision of the gate. Absent while it is open, and if it ended without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Time at which the gate opened.
    pub opened_at: Timestamp,
    /// Time of the newest edit, from which the deadline and the escalation count. Absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revised_at: Option<Timestamp>,
    /// Seq of the event that ended the gate, decided or not. Absent while it is open. Timelines show the end at this
    /// position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<NonZeroU64>,
}

/// A tool server that asks people a question during a call. Their answer is sent to the server, is visible in the
/// session, and is read by the agents' models. Clients display these facts next to the form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionOrigin {
    /// Name of the server in the configuration. Example: `github`.
    pub server: Arc<str>,
    /// URL of a page of the server that people are asked to open. What they enter there reaches neither the session nor
    /// a model. Clients display the whole URL with its host, and open it only when a person requests it. The answer
    /// `{}` means that the person agreed. Absent if the gate has a form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Arc<str>>,
}

impl Gate {
    /// Returns whether a participant's approval does not count: they contributed to what is decided on, or duties are
    /// separated and they are a guest. Anybody with an invitation link can be a guest, including a participant who
    /// contributed.
    pub(crate) fn excludes(&self, view: &View, participant: ParticipantId) -> bool {
        let own_vote = self.votes.iter().find(|vote| vote.by.participant_id() == Some(participant));
        let is_guest = || match own_vote {
            Some(vote) => vote.by.guest,
            None => view.member(participant).is_some_and(|member| member.guest),
        };
        self.is_own_work(view, participant) || self.separate_duties && is_guest()
    }

    /// Returns whether a participant cannot approve, because they contributed to what is decided on.
    pub(crate) fn is_own_work(&self, view: &View, participant: ParticipantId) -> bool {
        let directs = || view.run.as_ref().is_some_and(|run| run.directed_by.contains(&participant));
        // A participant who asked for a command can have become an owner since.
        let asked = self.command.as_ref().is_some_and(|asked| asked.by.participant_id() == Some(participant));
        asked || self.separate_duties && (self.edited_by.contains(&participant) || directs())
    }

    /// Returns whether the gate currently accepts a vote in this role.
    pub(crate) fn takes_vote(&self, view: &View, role: Role) -> bool {
        self.eligible.contains(&role) && view.settings.may_vote(role, true)
    }

    /// Returns whether the whole run waits for the gate. Otherwise only its call waits, or nothing does.
    pub fn blocks_run(&self) -> bool {
        self.call.is_none() && self.holds_work()
    }

    /// Returns whether a run or a call waits for the gate. Nothing waits for a proposed rule or a command.
    pub fn holds_work(&self) -> bool {
        !matches!(self.kind, GateKind::Rule | GateKind::Command)
    }
}
